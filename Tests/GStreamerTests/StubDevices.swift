import CGStreamer

@testable import GStreamer

/// A device provider of the tests' own: it finds one device of the class "Stub/Source" on any machine.
enum StubDevices {
    static let deviceClass = "Stub/Source"
    static let name = "Stub"
    static let caps = Caps(Caps.Structure("video/x-raw", ["width": .int(64)]))

    /// Registered once for the process, on first use.
    static let isRegistered: Bool = {
        let type = unsafe g_type_register_static_simple(
            gst_device_provider_get_type(), "StubDeviceProvider",
            guint(MemoryLayout<GstDeviceProviderClass>.size), initializeProvider,
            guint(MemoryLayout<GstDeviceProvider>.size), { _, _ in }, GTypeFlags(rawValue: 0))
        return unsafe gst_device_provider_register(nil, "stubdeviceprovider", 256, type) != 0
    }()

    fileprivate static let deviceType: GType = unsafe g_type_register_static_simple(
        gst_device_get_type(), "StubDevice", guint(MemoryLayout<GstDeviceClass>.size), initializeDevice,
        guint(MemoryLayout<GstDevice>.size), { _, _ in }, GTypeFlags(rawValue: 0))

    fileprivate static func make() -> UnsafeMutablePointer<GstDevice>? {
        let values: [(String, Value)] = [
            ("display-name", .string(name)), ("device-class", .string(deviceClass)), ("caps", .caps(caps)),
        ]
        var raw = values.map { _ in GValue() }
        for (index, (_, value)) in values.enumerated() {
            unsafe value.withGValue { source in
                unsafe g_value_init(&raw[index], source.pointee.g_type)
                unsafe g_value_copy(source, &raw[index])
            }
        }
        var names = values.map { unsafe UnsafePointer(g_strdup($0.0)) }
        defer {
            for name in unsafe names { unsafe g_free(UnsafeMutableRawPointer(mutating: name)) }
            for index in raw.indices { unsafe g_value_unset(&raw[index]) }
        }
        return unsafe g_object_new_with_properties(deviceType, guint(values.count), &names, &raw).map {
            unsafe cast($0)
        }
    }
}

private let initializeProvider: GClassInitFunc = { type, _ in
    guard let provider = unsafe type?.assumingMemoryBound(to: GstDeviceProviderClass.self) else { return }
    unsafe gst_device_provider_class_set_metadata(
        provider, "Stub", StubDevices.deviceClass, "Finds a device that is none", "The tests")
    unsafe provider.pointee.start = { provider in
        guard let device = unsafe StubDevices.make() else { return 0 }
        unsafe gst_device_provider_device_add(provider, device)
        return 1
    }
    unsafe provider.pointee.stop = { _ in }
}

private let initializeDevice: GClassInitFunc = { type, _ in
    guard let device = unsafe type?.assumingMemoryBound(to: GstDeviceClass.self) else { return }
    unsafe device.pointee.create_element = { _, name in unsafe gst_element_factory_make("videotestsrc", name)
    }
}
