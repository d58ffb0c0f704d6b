// Invariant: clock_gettime writes into a local variable during the call.
import Glibc

/// A calendar time in whole milliseconds of UTC.
///
/// It records when something was spoken and is never used for decisions: the wall clock may be wrong or jump.
package struct WallTime: Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var milliseconds: Int

    package init(milliseconds: Int) { self.milliseconds = milliseconds }

    /// The current time, limited to dates that can be written: the clock may jump while the program runs.
    package static var now: WallTime {
        let (seconds, nanoseconds) = clock
        let limited = min(max(seconds, range.lowerBound), range.upperBound)
        return WallTime(milliseconds: limited * 1000 + nanoseconds / 1_000_000)
    }

    /// Seconds since 1970 if the clock is at no date that can be written, else `nil`.
    package static var clockOutOfRange: Int? { range.contains(clock.seconds) ? nil : clock.seconds }

    private static var clock: (seconds: Int, nanoseconds: Int) {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return (0, 0) }
        return (time.tv_sec, time.tv_nsec)
    }

    /// The years 1 to 9998, in seconds since 1970: a text has four digits for the year, also that of a session's end.
    private static let range = -62_135_596_800...253_370_764_799
}

extension WallTime: LosslessStringConvertible {
    private static let millisecondsPerDay = 86_400_000
    private static let daysPerEra = 146_097

    /// The time as `2026-03-01T12:34:56.789Z` in the proleptic Gregorian calendar.
    package var description: String {
        let day = Self.floorDivided(milliseconds, by: Self.millisecondsPerDay)
        let (year, month, monthDay) = Self.date(day: day.quotient)
        let seconds = day.remainder / 1000
        let date = [Digits.decimal(year, width: 4), Digits.decimal(month), Digits.decimal(monthDay)]
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Digits.decimal($0) }
        return (year < 0 ? "-" : "") + date.joined(separator: "-") + "T" + time.joined(separator: ":") + "."
            + Digits.decimal(day.remainder % 1000, width: 3) + "Z"
    }

    /// Parses exactly the form that `description` produces.
    package init?(_ description: String) {
        let bytes = Array(description.utf8)
        guard bytes.count == 24 else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(0) { sum, byte in
                guard let sum, byte >= 48, byte <= 57 else { return nil }
                return sum * 10 + Int(byte) - 48
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            let fraction = number(20..<23), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let time = ((hour * 60 + minute) * 60 + second) * 1000 + fraction
        milliseconds = Self.day(year: year, month: month, monthDay: day) * Self.millisecondsPerDay + time
        if self.description != description { return nil }
    }

    // Years start in March here, which makes the leap day the last of its year; 400 years have a fixed number of days.

    private static func date(day: Int) -> (year: Int, month: Int, monthDay: Int) {
        // There are 719 468 days between 0000-03-01 and 1970-01-01.
        let era = floorDivided(day + 719_468, by: daysPerEra)
        let left = era.remainder
        let year = (left - left / 1460 + left / 36_524 - left / 146_096) / 365
        let yearDay = left - (365 * year + year / 4 - year / 100)
        // From March, months repeat the lengths 31, 30, 31, 30, 31.
        let month = (5 * yearDay + 2) / 153
        let isNextYear = month >= 10
        return (
            era.quotient * 400 + year + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
            yearDay - (153 * month + 2) / 5 + 1
        )
    }

    private static func day(year: Int, month: Int, monthDay: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let era = floorDivided(marchYear, by: 400)
        let yearDay = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + monthDay - 1
        let years = era.remainder
        return era.quotient * daysPerEra + years * 365 + years / 4 - years / 100 + yearDay - 719_468
    }

    private static func floorDivided(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        let remainder = (value % divisor + divisor) % divisor
        return ((value - remainder) / divisor, remainder)
    }
}
