import Testing

@testable import GStreamer

/// One after the other: there is one provider for all monitors, and it adds its device for the first of them.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DeviceMonitorTests {
    init() throws { try initialize() }

    @Test func listsWhatIsThere() throws {
        try #require(StubDevices.isRegistered)
        let monitor = try DeviceMonitor(deviceClass: StubDevices.deviceClass)
        let added = Recorder<String>()
        monitor.bus.setHandler { message in
            if case .deviceAdded(let device) = message.payload { added.add(device.displayName) }
        }
        #expect(monitor.start())
        let devices = monitor.devices
        #expect(devices.map(\.displayName) == [StubDevices.name])
        #expect(added.all == [StubDevices.name])
        let device = try #require(devices.first)
        #expect(device.typeName == "StubDevice")
        #expect(device.caps == StubDevices.caps)
        #expect(device.properties.isEmpty)
        #expect(monitor.devices.map(\.address) == [device.address])
        let element = try device.makeElement(name: "camera")
        #expect(element.name == "camera" && element.factoryName == "videotestsrc")
        monitor.stop()
        monitor.stop()
        #expect(
            try DeviceMonitor(deviceClass: "Video/Source").devices.allSatisfy { $0.typeName != "StubDevice" })
    }

    @Test func isFreedWithItsDevices() throws {
        try #require(StubDevices.isRegistered)
        try expectFreed {
            let monitor = try DeviceMonitor(deviceClass: StubDevices.deviceClass)
            // It still runs when it is let go.
            #expect(monitor.start())
            return monitor
        }
        try expectFreed {
            let monitor = try DeviceMonitor(deviceClass: StubDevices.deviceClass)
            #expect(monitor.start())
            let device = try #require(monitor.devices.first)
            _ = (device.displayName, device.caps, device.properties, try device.makeElement(name: "camera"))
            monitor.stop()
            return device
        }
    }

    @Test func namesAClassThatNobodyFinds() throws {
        let error = try gstreamerError { try DeviceMonitor(deviceClass: "Smell/Source") }
        #expect(error.kind == .missingElement)
        #expect(error.message.contains("'Smell/Source'"))
    }
}
