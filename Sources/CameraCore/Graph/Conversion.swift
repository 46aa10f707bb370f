import GStreamer

/// A preview branch that converts, and all who read from it: who asks for what somebody has already gets the same frames.
///
///     queue ─ videoconvert ─ [videoscale] ─ appsink ─ mailboxes
final class Conversion: Sendable {
    /// What is asked for; at least one of the two.
    struct Wish: Hashable, Sendable {
        var format: PixelFormat?
        var size: Dimensions?

        fileprivate var caps: Caps {
            var fields: [String: Value] = [:]
            if let format { fields["format"] = .string(format.rawValue) }
            if let size {
                fields["width"] = .int(size.width)
                fields["height"] = .int(size.height)
                fields["pixel-aspect-ratio"] = .fraction(1, 1)
            }
            return Caps(Caps.Structure("video/x-raw", fields))
        }
    }

    fileprivate struct Place: Sendable {
        let reader: FrameReader
        let isCallback: Bool
        /// How many frames had come before the reader did.
        let start: Int
    }

    let wish: Wish
    let branch: Branch
    private let numbers: FrameNumbers<ClockTime?>
    private let demand: FrameDemand
    private let places: Places

    /// Those who read, by number of subscription. An object of its own, which the sink's handler keeps and not the branch.
    private final class Places: Sendable { let all = Guarded<[Int: Place]>([:]) }

    init(_ wish: Wish, name: String, demand: FrameDemand) throws(GStreamerError) {
        self.wish = wish
        self.demand = demand
        let (numbers, places) = (FrameNumbers<ClockTime?> { demand.skipped }, Places())
        self.numbers = numbers
        self.places = places
        let sink = try AppSink(name: name, caps: wish.caps)
        sink.setHandler { sample in
            let number = numbers.number(of: sample.timestamp)
            let all = places.all.withLock { Array($0.values) }
            // While the one callback works nothing is converted that would be thrown away.
            if all.count == 1, let only = all.first, only.isCallback, number > only.start {
                only.reader.mailbox.hand(sample, number: number - only.start)
                return
            }
            for place in all where number > place.start {
                place.reader.mailbox.put(sample, number: number - place.start)
            }
        }
        var elements = [try Element("videoconvert")]
        if wish.size != nil { elements.append(try Element("videoscale")) }
        branch = try Branch(name: name, elements: elements + [sink], isQueued: true, numbers: numbers)
    }

    /// Whether frames can still come of it.
    var isWell: Bool { branch.failure == nil && !branch.hasEnded }

    /// A reader of the frames that come from now on.
    func join(_ id: Int, mark: ChangeMark, isCallback: Bool) -> FrameReader {
        let start = numbers.counts
        let reader = FrameReader(
            mark: mark, demand: demand, missed: { [numbers] in numbers.counts.dropped - start.dropped })
        places.all.withLock { $0[id] = Place(reader: reader, isCallback: isCallback, start: start.arrived) }
        return reader
    }

    /// Takes a reader out; `true` when it was the last.
    func leave(_ id: Int) -> Bool {
        places.all.withLock { all in
            all[id] = nil
            return all.isEmpty
        }
    }

    /// Ends the streams of all readers.
    func closeAll() {
        for place in places.all.withLock({ Array($0.values) }) { place.reader.mailbox.close() }
    }
}
