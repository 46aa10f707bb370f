import CGStreamer

// Sendable unchecked: GObject's reference count is atomic, and nothing here changes the device.
/// A device that GStreamer found: `GstDevice`.
@safe
public final class Device: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstDevice>

    /// Takes over a reference (transfer full).
    init(adopting pointer: UnsafeMutablePointer<GstDevice>) { unsafe self.pointer = pointer }

    deinit { unsafe gst_object_unref(pointer) }

    /// The name of its class, such as "GstV4l2Device"; it tells which provider found it.
    public var typeName: String {
        unsafe g_type_name_from_instance(cast(pointer)).map { unsafe String(cString: $0) } ?? ""
    }

    /// Where the device is in memory: the same for every wrapper of it as long as there is one.
    public var address: UInt { unsafe UInt(bitPattern: pointer) }

    /// The name that people know it by.
    public var displayName: String {
        let text = unsafe gst_device_get_display_name(pointer)
        defer { unsafe g_free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// What the provider says of it, by name: "device.path", "v4l2.device.bus_info" and so on.
    public var properties: [String: Value] {
        guard let structure = unsafe gst_device_get_properties(pointer) else { return [:] }
        defer { unsafe gst_structure_free(structure) }
        return unsafe Caps.fields(UnsafePointer(structure))
    }

    /// What the device can deliver.
    public var caps: Caps {
        unsafe gst_device_get_caps(pointer).map { unsafe Caps(adopting: $0) } ?? Caps()
    }

    /// A source element for the device, set up but not started.
    ///
    /// - Throws: ``GStreamerError`` of kind `missingElement` when the provider has none for it.
    public func makeElement(name: String) throws(GStreamerError) -> Element {
        guard let made = unsafe gst_device_create_element(pointer, name) else {
            throw GStreamerError(.missingElement, "GStreamer has no source element for '\(displayName)'")
        }
        return unsafe Element(sinking: made)
    }
}

// Sendable unchecked: the one stored pointer never changes, and GstDeviceMonitor locks itself.
/// Lists the machine's cameras and tells when they come and go: `GstDeviceMonitor`.
@safe
public final class DeviceMonitor: @unchecked Sendable {
    let pointer: UnsafeMutablePointer<GstDeviceMonitor>

    /// A monitor for devices of a class, such as "Video/Source". It does nothing until it is started.
    ///
    /// - Parameter showsAll: whether devices are listed too that a provider hides because it reports them itself.
    /// - Throws: ``GStreamerError`` of kind `missingElement` when no installed plugin finds such devices.
    public init(deviceClass: String, showsAll: Bool = false) throws(GStreamerError) {
        guard let made = unsafe gst_device_monitor_new() else {
            throw GStreamerError(.other, "GStreamer gave no device monitor")
        }
        unsafe pointer = made
        unsafe gst_device_monitor_set_show_all_devices(made, showsAll ? 1 : 0)
        guard unsafe gst_device_monitor_add_filter(pointer, deviceClass, nil) != 0 else {
            throw GStreamerError(
                .missingElement,
                "no installed GStreamer plugin finds devices of the class '\(deviceClass)'")
        }
    }

    deinit {
        // A monitor that still runs is not freed.
        stop()
        unsafe gst_object_unref(pointer)
    }

    /// The bus with the messages of devices that come and go.
    public var bus: Bus { unsafe Bus(adopting: gst_device_monitor_get_bus(pointer)) }

    /// Starts to watch. **Blocks** while each device is asked once.
    ///
    /// - Returns: whether any provider started.
    public func start() -> Bool { unsafe gst_device_monitor_start(pointer) != 0 }

    /// Stops to watch.
    public func stop() { unsafe gst_device_monitor_stop(pointer) }

    /// The devices that are there now.
    public var devices: [Device] {
        let list = unsafe gst_device_monitor_get_devices(pointer)
        defer { unsafe g_list_free(list) }
        var found: [Device] = []
        var item = unsafe list
        while let node = unsafe item {
            if let device = unsafe node.pointee.data {
                unsafe found.append(Device(adopting: device.assumingMemoryBound(to: GstDevice.self)))
            }
            unsafe item = node.pointee.next
        }
        return found
    }
}
