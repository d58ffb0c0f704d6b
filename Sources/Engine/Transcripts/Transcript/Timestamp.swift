import EngineBasics

/// A time in a transcript file: whole milliseconds from the start of the recording.
package struct Timestamp: Hashable, Comparable, Sendable {
    package let milliseconds: Int

    /// Rounds to the nearest millisecond, ties to even, like Python's `round(seconds * 1000)`. Negative times and NaN
    /// become 0; larger times are clamped to 2⁵³ ms, the last exact value.
    package init(seconds: Double) {
        let exact = (seconds * 1000).rounded(.toNearestOrEven)
        milliseconds = exact > 0 ? Int(min(exact, 0x1p53)) : 0
    }

    /// `01:02:03,456`; hours have at least two digits.
    package var srt: String { formatted(decimalMark: ",", alwaysHours: true) }

    /// `02:03.456`, or `01:02:03.456` from one hour on.
    package var vtt: String { formatted(decimalMark: ".", alwaysHours: false) }

    /// `02:03.45`: any number of minutes, hundredths truncated.
    package var lrc: String {
        let hundredths = milliseconds / 10
        return Digits.decimal(hundredths / 6000) + ":" + Digits.decimal(hundredths / 100 % 60) + "."
            + Digits.decimal(hundredths % 100)
    }

    /// `1:02:03.45`: hundredths truncated.
    package var ass: String {
        let hundredths = milliseconds / 10
        return "\(hundredths / 360_000):" + Digits.decimal(hundredths / 6000 % 60) + ":"
            + Digits.decimal(hundredths / 100 % 60) + "." + Digits.decimal(hundredths % 100)
    }

    /// Returns `[00:00.000 --> 00:03.200]`, the form used on a console. Each time has hours from one hour on.
    package static func span(from start: Double, to end: Double) -> String {
        "[\(Timestamp(seconds: start).vtt) --> \(Timestamp(seconds: end).vtt)]"
    }

    /// Formats seconds for messages as `12:31` or `1:02:03`, rounded down.
    package static func clock(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds.isFinite ? seconds : 0, 1e9)))
        let (hours, minutes) = (whole / 3600, whole / 60 % 60)
        return (hours > 0 ? "\(hours):\(Digits.decimal(minutes))" : "\(minutes)") + ":" + Digits.decimal(whole % 60)
    }

    private func formatted(decimalMark: String, alwaysHours: Bool) -> String {
        let seconds = milliseconds / 1000
        let hours = seconds / 3600
        let prefix = alwaysHours || hours > 0 ? Digits.decimal(hours) + ":" : ""
        return prefix + Digits.decimal(seconds / 60 % 60) + ":" + Digits.decimal(seconds % 60) + decimalMark
            + Digits.decimal(milliseconds % 1000, width: 3)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }
}
