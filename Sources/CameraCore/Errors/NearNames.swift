/// Finds the names that somebody may have meant who wrote another.
package enum NearNames {
    /// Something that has a name, or several.
    package struct Choice: Sendable {
        /// How the message shows it.
        let shown: String
        let names: [String]

        /// - Parameter aliases: what else it is called.
        package init(_ shown: String, aliases: [String] = []) {
            self.shown = shown
            names = [shown] + aliases
        }
    }

    /// At most three of the choices, the nearest first: those that begin like `text`, and those that differ from it in a
    /// third of its letters at most, whatever the case.
    package static func nearest(to text: String, in choices: [Choice]) -> [String] {
        let wanted = text.lowercased()
        let limit = max(2, wanted.count / 3)
        let near = choices.compactMap { choice in
            choice.names.compactMap { distance(wanted, $0.lowercased(), limit: limit) }.min()
                .map { (choice: choice.shown, distance: $0) }
        }
        // The sort need not be stable, so the order among equals is made part of it.
        let sorted = near.enumerated().sorted { ($0.1.distance, $0.0) < ($1.1.distance, $1.0) }
        return Array(sorted.map(\.element.choice).withoutRepeats.prefix(3))
    }

    /// A question to put before the remedy, with a blank after it; empty when nothing is near.
    package static func question(_ text: String, in choices: [Choice]) -> String {
        let names = nearest(to: text, in: choices)
        guard let last = names.last else { return "" }
        let others = names.dropLast().joined(separator: ", ")
        return others.isEmpty ? "did you mean \(last)? " : "did you mean \(others) or \(last)? "
    }

    /// The letters to take out and to put in; a beginning of the name is nearer than any other difference.
    private static func distance(_ text: String, _ name: String, limit: Int) -> Int? {
        if text.count > 1, name.hasPrefix(text) { return 0 }
        // Comparing takes the product of the two lengths.
        guard abs(text.count - name.count) <= limit else { return nil }
        let distance = name.difference(from: text).count
        return distance <= limit && distance < text.count ? distance : nil
    }
}
