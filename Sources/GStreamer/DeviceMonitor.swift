import CGStreamer

/// A device that GStreamer found: `GstDevice`.
public final class Device: @unchecked Sendable {  // GObject's reference count is atomic; nothing here changes it
    private let pointer: UnsafeMutablePointer<GstDevice>

    /// Takes over a reference (transfer full).
    init(adopting pointer: UnsafeMutablePointer<GstDevice>) { self.pointer = pointer }

    deinit { gst_object_unref(pointer) }

    /// The name that people know it by.
    public var displayName: String {
        let text = gst_device_get_display_name(pointer)
        defer { g_free(text) }
        return text.map { String(cString: $0) } ?? ""
    }

    /// What the provider says of it, by name: "device.path", "v4l2.device.bus_info" and so on.
    public var properties: [String: Value] {
        guard let structure = gst_device_get_properties(pointer) else { return [:] }
        defer { gst_structure_free(structure) }
        return Caps.fields(UnsafePointer(structure))
    }

    /// What the device can deliver.
    public var caps: Caps {
        gst_device_get_caps(pointer).map { Caps(adopting: $0) } ?? Caps()
    }

    /// A source element for the device, set up but not started.
    public func makeElement(name: String) throws(GStreamerError) -> Element {
        guard let made = gst_device_create_element(pointer, name) else {
            throw GStreamerError(.missingElement, "GStreamer has no source element for '\(displayName)'")
        }
        return Element(sinking: made)
    }
}

/// Lists the machine's cameras and tells when they come and go: `GstDeviceMonitor`.
public final class DeviceMonitor: @unchecked Sendable {  // GstDeviceMonitor locks itself
    private let pointer: UnsafeMutablePointer<GstDeviceMonitor>

    /// A monitor for devices of a class, such as "Video/Source". It does nothing until it is started.
    public init(deviceClass: String) throws(GStreamerError) {
        guard let made = gst_device_monitor_new() else {
            throw GStreamerError(.other, "GStreamer gave no device monitor")
        }
        pointer = made
        guard gst_device_monitor_add_filter(pointer, deviceClass, nil) != 0 else {
            throw GStreamerError(
                .missingElement,
                "No installed GStreamer plugin finds devices of the class '\(deviceClass)'")
        }
    }

    deinit { gst_object_unref(pointer) }

    /// The bus with the messages of devices that come and go.
    public var bus: Bus { Bus(adopting: gst_device_monitor_get_bus(pointer)) }

    /// Starts to watch. **Blocks** while each device is asked once.
    ///
    /// - Returns: whether any provider started.
    public func start() -> Bool { gst_device_monitor_start(pointer) != 0 }

    /// Stops to watch.
    public func stop() { gst_device_monitor_stop(pointer) }

    /// The devices that are there now.
    public var devices: [Device] {
        let list = gst_device_monitor_get_devices(pointer)
        defer { g_list_free(list) }
        var found: [Device] = []
        var item = list
        while let node = item {
            if let device = node.pointee.data {
                found.append(Device(adopting: device.assumingMemoryBound(to: GstDevice.self)))
            }
            item = node.pointee.next
        }
        return found
    }
}
