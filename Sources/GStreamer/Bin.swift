import CGStreamer

// Sendable unchecked: as Element is; this adds no state of its own.
/// An element that holds others: `GstBin`.
public class Bin: Element, @unchecked Sendable {
    var bin: UnsafeMutablePointer<GstBin> { unsafe cast(element) }

    /// An empty bin.
    ///
    /// - Throws: ``GStreamerError`` when GStreamer gives none, as before it is initialised.
    public convenience init(name: String) throws(GStreamerError) {
        guard let made = unsafe gst_bin_new(name) else {
            throw GStreamerError(.other, "GStreamer gave no bin")
        }
        unsafe self.init(sinking: made)
    }

    /// Puts elements into the bin.
    ///
    /// - Throws: ``GStreamerError`` when an element is in a bin already, or one of its name in this; those before it in
    ///   the list were added then.
    public func add(_ elements: Element...) throws(GStreamerError) {
        for item in elements where unsafe gst_bin_add(bin, item.element) == 0 {
            throw GStreamerError(.other, "'\(item.name)' cannot be added to '\(name)'")
        }
    }

    /// Takes an element out of the bin, which unlinks it. It must be in the state NULL.
    ///
    /// - Throws: ``GStreamerError`` when it is not directly inside.
    public func remove(_ item: Element) throws(GStreamerError) {
        guard unsafe gst_bin_remove(bin, item.element) != 0 else {
            throw GStreamerError(.other, "'\(item.name)' is not in '\(name)'")
        }
    }

    /// The elements inside, at any depth.
    public var descendants: [Element] { unsafe elements(gst_bin_iterate_recurse(bin)) }

    /// The elements directly inside, the one that was added last first.
    var children: [Element] { unsafe elements(gst_bin_iterate_elements(bin)) }

    private func elements(_ iterator: UnsafeMutablePointer<GstIterator>?) -> [Element] {
        unsafe collect(iterator) { object in
            let element = unsafe object.assumingMemoryBound(to: GstElement.self)
            guard unsafe camera_is_bin(object) != 0 else { return unsafe Element(sinking: element) }
            return unsafe Bin(sinking: element)
        }
    }

    /// Makes a pad of an inner element the bin's own.
    ///
    /// - Throws: ``GStreamerError`` of kind `link` when the pad is linked already, or the bin has one of this name.
    public func addGhostPad(_ name: String, for target: Pad) throws(GStreamerError) {
        // In these two cases GStreamer itself takes a bug for granted, and complains on its error output.
        guard staticPad(name) == nil else {
            throw GStreamerError(.link, "'\(self.name)' has a pad '\(name)' already")
        }
        guard target.peer == nil else {
            throw GStreamerError(.link, "the pad '\(target.name)' is linked inside '\(self.name)'")
        }
        guard let ghost = unsafe gst_ghost_pad_new(name, target.pointer) else {
            throw GStreamerError(.link, "the pad '\(name)' cannot stand for a pad of '\(self.name)'")
        }
        // It is floating, and the bin keeps it only when it takes it.
        unsafe gst_object_ref_sink(ghost)
        defer { unsafe gst_object_unref(ghost) }
        unsafe gst_pad_set_active(ghost, 1)
        guard unsafe gst_element_add_pad(element, ghost) != 0 else {
            throw GStreamerError(.link, "'\(self.name)' does not take the pad '\(name)'")
        }
    }

    /// The graph as text in the DOT language. Wraps `gst_debug_bin_to_dot_data`.
    public func dot() -> String {
        let text = unsafe gst_debug_bin_to_dot_data(bin, GST_DEBUG_GRAPH_SHOW_ALL)
        defer { unsafe g_free(text) }
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }
}
