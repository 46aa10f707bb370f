import Testing

@testable import GStreamer

@Suite(.timeLimit(.minutes(1))) struct DeviceMonitorTests {
    init() throws { try initialize() }

    /// On a machine without a camera the list is empty; with one, each device can be asked.
    @Test func listsWhatIsThere() throws {
        let monitor = try DeviceMonitor(deviceClass: "Video/Source")
        monitor.bus.setHandler { _ in }
        _ = monitor.start()
        for device in monitor.devices {
            #expect(!device.displayName.isEmpty)
            #expect(!device.caps.isEmpty)
            _ = device.properties
            #expect(try device.makeElement(name: "camera").name == "camera")
        }
        monitor.stop()
        monitor.stop()
    }

    @Test func mayBeLetGoWhileItRuns() throws {
        try expectFreed {
            let monitor = try DeviceMonitor(deviceClass: "Video/Source")
            _ = monitor.start()
            return monitor
        }
    }

    @Test func namesAClassThatNobodyFinds() throws {
        let error = try gstreamerError { try DeviceMonitor(deviceClass: "Smell/Source") }
        #expect(error.kind == .missingElement)
        #expect(error.message.contains("'Smell/Source'"))
    }
}
