import CGStreamer

extension Bin {
    /// The sides of a bin.
    public enum Ends: Sendable {
        /// Where data comes out.
        case source
        /// Where data goes in.
        case sink
        /// Both.
        case both
    }

    /// A bin from a description in the syntax of `gst-launch`, with its unlinked ends as its pads.
    ///
    /// Wraps `gst_parse_bin_from_description_full`; caps at the end are allowed.
    /// - Parameter ends: which unlinked ends become pads. With one side left out, an end at the other is a mistake.
    /// - Throws: ``GStreamerError`` of kind `parse`, also when it is not clear which end is meant, or `missingElement`
    ///   (its message names the element).
    public convenience init(
        description: String, name: String? = nil, ends: Ends = .both
    ) throws(GStreamerError) {
        // A description that ends in caps does not parse as a bin, and a second capsfilter costs nothing at run time.
        let isOpenEnded = Self.isCaps(Self.lastLink(of: description))
        let text = isOpenEnded ? description + " ! capsfilter" : description
        let context = unsafe gst_parse_context_new()
        defer { unsafe gst_parse_context_free(context) }
        var error: UnsafeMutablePointer<GError>?
        let made = unsafe gst_parse_bin_from_description_full(
            text, 0, context, GST_PARSE_FLAG_FATAL_ERRORS, &error)
        guard let made = unsafe made, unsafe error == nil else {
            if let made = unsafe made {
                unsafe gst_object_ref_sink(made)
                unsafe gst_object_unref(made)
            }
            let missing = unsafe Self.strings(gst_parse_context_get_missing_elements(context))
            throw unsafe Self.refusal(GStreamerError(adopting: error), of: description, lacking: missing)
        }
        unsafe self.init(sinking: made)
        if let name {
            unsafe gst_object_set_name(cast(made), name)
        }
        try makeEnds(ends)
    }

    /// What follows the last `!` that is a link, and not part of a value: a quoted one, or one without spaces, goes on
    /// to its own end, as gst-launch reads it.
    private static func lastLink(of description: String) -> Substring {
        var rest = description[...]
        var segment = rest
        while let character = rest.popFirst() {
            switch character {
            case "\\": rest = rest.dropFirst()
            case "!": segment = rest
            case "\"", "'": rest = afterQuote(character, in: rest) ?? rest
            case "=" where !isCaps(segment):
                rest = rest.drop(while: \.isWhitespace)
                if let quote = rest.first, quote == "\"" || quote == "'",
                    let end = afterQuote(quote, in: rest.dropFirst())
                {
                    rest = end
                } else {
                    while let next = rest.first, !next.isWhitespace {
                        rest = rest.dropFirst(next == "\\" ? 2 : 1)
                    }
                }
            default: continue
            }
        }
        return segment
    }

    /// What follows the quote's end; `nil` when it has none, and so is a character like any other.
    private static func afterQuote(_ quote: Character, in text: Substring) -> Substring? {
        var rest = text
        while let character = rest.popFirst() {
            if character == quote { return rest }
            if character == "\\" { rest = rest.dropFirst() }
        }
        return nil
    }

    private static func isCaps(_ segment: Substring) -> Bool {
        let first = segment.drop(while: \.isWhitespace).prefix { !$0.isWhitespace && $0 != "," && $0 != "(" }
        return first.contains("/") && !first.contains("=")
    }

    /// The strings of a C array, which is taken over.
    private static func strings(_ array: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?) -> [String] {
        guard let array = unsafe array else { return [] }
        defer { unsafe g_strfreev(array) }
        var strings: [String] = []
        while let string = unsafe array[strings.count] { unsafe strings.append(String(cString: string)) }
        return strings
    }

    /// The parser takes caps for an element that nobody has, and a wrong reference too; this says what they are.
    private static func refusal(
        _ error: GStreamerError, of description: String, lacking missing: [String]
    ) -> GStreamerError {
        guard let name = missing.first else {
            guard error.kind == .missingElement else { return error }
            return GStreamerError(
                .parse, "it links to an element by a name that none in it has (\(error.message))")
        }
        let words = description.split(whereSeparator: \.isWhitespace).map { word in
            word.drop { $0 == "(" || $0 == "\"" || $0 == "'" }
        }.filter { !$0.isEmpty }
        guard let position = words.firstIndex(where: { $0.hasPrefix("\(name)/") }) else { return error }
        let caps = words[position].prefix { $0 != "," && $0 != "(" && $0 != "\"" && $0 != "'" }
        let place = position == 0 ? "it begins" : "a chain in it begins"
        return GStreamerError(
            .parse,
            "\(place) with the caps '\(caps)', and has to begin with an element; put one before them, "
                + "such as 'identity ! \(caps)'")
    }
}

// MARK: - Open ends

extension Bin {
    /// Makes the unlinked ends the bin's own pads.
    private func makeEnds(_ ends: Ends) throws(GStreamerError) {
        let (inputs, outputs) = (openEnds(GST_PAD_SINK), openEnds(GST_PAD_SRC))
        // What follows a decoder is linked once the decoder knows what there is, and until then looks like a beginning.
        let late = lateLinkCount
        if ends == .source {
            guard inputs.count <= late else {
                throw GStreamerError(
                    .parse, "nothing goes into \(Self.list(inputs)); it has to begin with a source")
            }
        } else if let input = inputs.first {
            guard inputs.count <= 1 + late else {
                throw GStreamerError(
                    .parse,
                    "it has \(inputs.count) beginnings, \(Self.list(inputs)); link all but one, which gets the frames"
                )
            }
            try addGhostPad("sink", for: input.pad)
        }
        if ends == .sink {
            guard outputs.isEmpty else {
                throw GStreamerError(
                    .parse,
                    "nothing takes what comes out of \(Self.list(outputs)); it has to end in a sink, such as 'fakesink'"
                )
            }
        } else if let output = outputs.first {
            guard outputs.count == 1 else {
                throw GStreamerError(
                    .parse, "it has \(outputs.count) ends, \(Self.list(outputs)); link all but one")
            }
            try addGhostPad("src", for: output.pad)
        }
    }

    private typealias OpenEnd = (element: Element, pad: Pad)

    private static func list(_ ends: [OpenEnd]) -> String {
        ends.map { "the pad '\($0.pad.name)' of '\($0.element.name)'" }.joined(separator: " and ")
    }

    /// Where data comes in or goes out: the elements none of whose pads of this direction is linked, in the order of the
    /// description. One that has a link has other pads for those who want them, such as the mask of `shapewipe`.
    private func openEnds(_ direction: GstPadDirection) -> [OpenEnd] {
        children.reversed().flatMap { child -> [OpenEnd] in
            let pads = child.pads(direction)
            if pads.isEmpty, let bin = child as? Bin, bin.isPlain { return bin.openEnds(direction) }
            guard let first = pads.first, pads.allSatisfy({ $0.peer == nil }) else { return [] }
            return [(child, first)]
        }
    }

    /// How many elements get source pads only once they run; each can be what another one's link waits for.
    private var lateLinkCount: Int {
        children.reduce(0) { count, child in
            if let bin = child as? Bin, bin.isPlain { return count + bin.lateLinkCount }
            return count + (child.makesPadsLate ? 1 : 0)
        }
    }

    /// Whether the bin comes from brackets in a description, and is not an element that is a bin inside.
    private var isPlain: Bool { factoryName == "bin" }
}

extension Element {
    /// The pads that there are, in the order in which the element made them.
    fileprivate func pads(_ direction: GstPadDirection) -> [Pad] {
        let iterator =
            unsafe direction == GST_PAD_SINK
            ? gst_element_iterate_sink_pads(element) : gst_element_iterate_src_pads(element)
        return unsafe collect(iterator) { object in
            unsafe gst_object_ref(object)
            return unsafe Pad(adopting: object.assumingMemoryBound(to: GstPad.self))
        }
    }

    /// Whether source pads appear when the element knows what there is, as a decoder's do.
    fileprivate var makesPadsLate: Bool {
        var item = unsafe gst_element_get_pad_template_list(element)
        while let node = unsafe item {
            let template = unsafe node.pointee.data.assumingMemoryBound(to: GstPadTemplate.self)
            if unsafe template.pointee.direction == GST_PAD_SRC,
                unsafe template.pointee.presence == GST_PAD_SOMETIMES
            {
                return true
            }
            unsafe item = node.pointee.next
        }
        return false
    }
}
