/// Who a camera is: what stays when it is unplugged and plugged in again, and its node has another number.
struct CameraIdentity: Sendable, Hashable {
    /// Make and serial number, which the camera takes along to another port.
    let serial: String?
    /// Make and the place it is plugged in at, or whatever else does not change by itself.
    let place: String
    /// Which of a camera's several sensors this is; empty for the first.
    let part: String

    init(serial: String? = nil, place: String, part: String = "") {
        self.serial = serial?.withoutBlanks
        self.place = place.withoutBlanks
        self.part = part
    }

    /// The id of a camera that has no twin.
    var plain: CaptureDevice.ID { (serial ?? place) + part }

    /// The id of one of several with the same serial number, as cheap cameras all have: with the place behind it.
    var exact: CaptureDevice.ID {
        guard let serial else { return plain }
        let port = place.firstIndex(of: "@").map { String(place[$0...]) } ?? "@\(place)"
        return serial + port + part
    }
}

extension CameraIdentity {
    /// What else names the camera that has one of its two ids: an id that was noted when its twin was there, or was not.
    func aliases(of id: CaptureDevice.ID) -> [CaptureDevice.ID] {
        [plain, exact].withoutRepeats.filter { $0 != id }
    }
}

/// The ids that cameras were given. An id does not change while the program runs, whatever is plugged in beside it.
struct CameraIDs: Sendable {
    private var given: [CaptureDevice.ID: CaptureDevice.ID] = [:]

    /// The ids of all cameras that are there, each one its own.
    ///
    /// A serial number that is there once is the id, wherever the camera is plugged in. Cameras that come with a number
    /// that another one has, or two come with at once, have their place in the id too.
    mutating func assign(_ present: [CameraIdentity]) -> [CaptureDevice.ID] {
        let newcomers = present.filter { given[$0.exact] == nil }
        for identity in newcomers where given[identity.exact] == nil {
            let isTaken = present.contains { given[$0.exact] == identity.plain }
            let isAlone = newcomers.filter { $0.plain == identity.plain && $0 != identity }.isEmpty
            if isTaken || !isAlone {
                given[identity.exact] = identity.exact
            } else {
                // It was at another port before, and takes its id along.
                given = given.filter { $0.value != identity.plain }
                given[identity.exact] = identity.plain
            }
        }
        // Two that nothing tells apart: better a number by the order than one camera that cannot be chosen at all.
        var counts: [CaptureDevice.ID: Int] = [:]
        return present.map { identity in
            let id = given[identity.exact] ?? identity.exact
            counts[id, default: 0] += 1
            return counts[id] == 1 ? id : "\(id)~\(counts[id] ?? 0)"
        }
    }
}

extension String {
    /// Without what would need quotes at a prompt. Firmware writes what it likes into a serial number.
    fileprivate var withoutBlanks: String {
        String(map { $0.isWhitespace || $0.asciiValue.map { $0 < 0x20 || $0 == 0x7F } ?? false ? "_" : $0 })
    }
}
