/// Text of the progress line: position, speed as a multiple of real time, time left.
package struct ProgressLine: Sendable, Equatable {
    /// Seconds of sound recognized so far.
    package var position: Double
    /// Seconds of sound in all; `nil` while unknown.
    package var duration: Double?
    /// Seconds of work so far.
    package var elapsed: Double

    package init(position: Double, duration: Double?, elapsed: Double) {
        self.position = position
        self.duration = duration
        self.elapsed = elapsed
    }

    /// `12:31 of 60:00 (20%), 8.3 times real time, 5:43 left`
    package var text: String {
        var text = TimeSyntax.clock(position)
        if let duration, duration > 0 {
            let share = max(0, min(100, Int(100 * position / duration)))
            text += " of \(TimeSyntax.clock(duration)) (\(share)%)"
        }
        guard elapsed > 0.5, position > 0 else { return text }
        let speed = position / elapsed
        text += ", \(Self.oneDecimal(speed)) times real time"
        if let duration, duration > position { text += ", \(TimeSyntax.clock((duration - position) / speed)) left" }
        return text
    }

    /// The line for a terminal of so many columns, with as much of the end of `volatile` as fits; `nil` where there
    /// is no room for a line at all.
    package func line(columns: Int, volatile: String, styled: Bool) -> String? {
        guard columns >= 8 else { return nil }
        // The last column stays free: some terminals break the line there.
        let head = DisplayWidth.head(of: text, columns: columns - 1)
        let room = columns - 1 - DisplayWidth.columns(of: head) - 2
        guard !volatile.isEmpty, room >= 12 else { return head }
        let tail = DisplayWidth.tail(of: volatile, columns: room)
        return head + "  " + (styled ? "\u{1b}[2m\(tail)\u{1b}[22m" : tail)
    }

    /// `8.3`, always with a point.
    static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((max(0, min(value, 1e9)) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
