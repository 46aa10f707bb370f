import CGStreamer

// Sendable unchecked: as Element is; this adds no state of its own.
/// An element that holds others: `GstBin`.
public class Bin: Element, @unchecked Sendable {
    var bin: UnsafeMutablePointer<GstBin> {
        unsafe UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstBin.self)
    }

    /// An empty bin.
    public convenience init(name: String) throws(GStreamerError) {
        guard let made = unsafe gst_bin_new(name) else {
            throw GStreamerError(.other, "GStreamer gave no bin")
        }
        unsafe self.init(sinking: made)
    }

    /// A bin from a description in the syntax of `gst-launch`, with its unlinked ends as its pads.
    ///
    /// Wraps `gst_parse_bin_from_description_full`; caps at the end are allowed.
    /// - Parameter ends: which unlinked ends become pads. With one side left out, an element inside may get its link
    ///   only when a decoder before it knows what there is: such an end would be taken for the bin's own, and stay
    ///   unlinked.
    /// - Throws: ``GStreamerError`` of kind `parse` or `missingElement` (its message names the element).
    public convenience init(
        description: String, name: String? = nil, ends: Ends = .both
    ) throws(GStreamerError) {
        // A description that ends in caps does not parse as a bin, and a second capsfilter costs nothing at run time.
        let isOpenEnded = description.split(separator: "!").last.map(Self.isCaps) ?? false
        let text = isOpenEnded ? description + " ! capsfilter" : description
        var error: UnsafeMutablePointer<GError>?
        let made = unsafe gst_parse_bin_from_description_full(
            text, 0, nil, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        guard let made = unsafe made, unsafe error == nil else {
            if let made = unsafe made {
                unsafe gst_object_ref_sink(made)
                unsafe gst_object_unref(made)
            }
            throw unsafe GStreamerError(adopting: error)
        }
        unsafe self.init(sinking: made)
        if let name {
            unsafe gst_object_set_name(cast(made), name)
        }
        if ends != .source { try addGhostPad("sink", forUnlinked: GST_PAD_SINK) }
        if ends != .sink { try addGhostPad("src", forUnlinked: GST_PAD_SRC) }
    }

    /// The sides of a bin.
    public enum Ends: Sendable {
        /// Where data comes out.
        case source
        /// Where data goes in.
        case sink
        /// Both.
        case both
    }

    private func addGhostPad(_ name: String, forUnlinked direction: GstPadDirection) throws(GStreamerError) {
        guard let pad = unsafe gst_bin_find_unlinked_pad(bin, direction) else { return }
        try addGhostPad(name, for: unsafe Pad(adopting: pad))
    }

    private static func isCaps(_ segment: Substring) -> Bool {
        let first = segment.drop(while: \.isWhitespace).prefix { !$0.isWhitespace && $0 != "," && $0 != "(" }
        return first.contains("/") && !first.contains("=")
    }

    /// Puts elements into the bin.
    public func add(_ elements: Element...) throws(GStreamerError) {
        for item in elements where unsafe gst_bin_add(bin, item.element) == 0 {
            throw GStreamerError(.other, "'\(item.name)' cannot be added to '\(name)'")
        }
    }

    /// Takes an element out of the bin, which unlinks it. It must be in the state NULL.
    public func remove(_ item: Element) throws(GStreamerError) {
        guard unsafe gst_bin_remove(bin, item.element) != 0 else {
            throw GStreamerError(.other, "'\(item.name)' is not in '\(name)'")
        }
    }

    /// The elements inside, at any depth.
    public var descendants: [Element] {
        guard let iterator = unsafe gst_bin_iterate_recurse(bin) else { return [] }
        defer { unsafe gst_iterator_free(iterator) }
        var found: [Element] = []
        var item = GValue()
        while true {
            switch unsafe gst_iterator_next(iterator, &item) {
            case GST_ITERATOR_OK:
                if let object = unsafe g_value_get_object(&item) {
                    unsafe gst_object_ref(object)
                    unsafe found.append(Element(adopting: object.assumingMemoryBound(to: GstElement.self)))
                }
                unsafe g_value_reset(&item)
            case GST_ITERATOR_RESYNC:
                found.removeAll()
                unsafe gst_iterator_resync(iterator)
            default:
                unsafe g_value_unset(&item)
                return found
            }
        }
    }

    /// Makes a pad of an inner element the bin's own.
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
