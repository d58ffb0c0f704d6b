/// The numbers that an option accepts.
package struct NumberRange: Sendable {
    private let lower: Double
    private let upper: Double
    private let excludesLower: Bool
    private let allowsZero: Bool
    /// For help and messages: `0 to 1`, `a number above 0`, `1 to 100 or None`.
    package let allowed: String

    package init(_ range: ClosedRange<Int>, orNone: Bool = false) {
        self.init(Double(range.lowerBound), Double(range.upperBound), allowsNone: orNone)
    }

    package init(_ range: ClosedRange<Double>) {
        self.init(range.lowerBound, range.upperBound)
    }

    /// The range, and 0 to turn something off.
    package static func zeroOr(_ range: ClosedRange<Double>) -> NumberRange {
        NumberRange(range.lowerBound, range.upperBound, allowsZero: true)
    }

    /// Numbers above `value`.
    package static func above(_ value: Double) -> NumberRange { NumberRange(value, .infinity, excludesLower: true) }

    /// `value` and any number above it.
    package static func from(_ value: Double) -> NumberRange { NumberRange(value, .infinity) }

    package static let any = NumberRange(-.infinity, .infinity)

    private init(
        _ lower: Double, _ upper: Double, excludesLower: Bool = false, allowsZero: Bool = false,
        allowsNone: Bool = false
    ) {
        self.lower = lower
        self.upper = upper
        self.excludesLower = excludesLower
        self.allowsZero = allowsZero
        let range =
            if excludesLower {
                "a number above \(Self.text(lower))"
            } else if upper.isFinite {
                "\(Self.text(lower)) to \(Self.text(upper))"
            } else if lower.isFinite {
                "at least \(Self.text(lower))"
            } else {
                "any number"
            }
        allowed = (allowsZero ? "0 or " : "") + range + (allowsNone ? " or None" : "")
    }

    /// The same numbers, and `None`.
    var orNone: NumberRange {
        NumberRange(lower, upper, excludesLower: excludesLower, allowsZero: allowsZero, allowsNone: true)
    }

    /// A number within the range.
    var example: String {
        Self.text(excludesLower ? lower + 1 : lower.isFinite ? lower : 0)
    }

    func integer(_ value: [UInt8], option: String) throws(UsageError) -> Int {
        guard let number = ValueSyntax.integer(value) else {
            // A whole number that does not fit in 64 bits is still a number, and outside every range.
            if let decimal = ValueSyntax.decimal(value), decimal.rounded() == decimal, abs(decimal) > 9e18 {
                throw .outOfRange(option: option, value: value, allowed: allowed)
            }
            throw .badNumber(option: option, value: value, allowed: allowed)
        }
        guard contains(Double(number)) else { throw .outOfRange(option: option, value: value, allowed: allowed) }
        return number
    }

    func decimal(_ value: [UInt8], option: String) throws(UsageError) -> Double {
        guard let number = ValueSyntax.decimal(value) else {
            throw .badNumber(option: option, value: value, allowed: allowed)
        }
        guard contains(number) else { throw .outOfRange(option: option, value: value, allowed: allowed) }
        return number
    }

    /// `5` or `0.2`: whole numbers are written without a fraction.
    static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }

    private func contains(_ number: Double) -> Bool {
        number == 0 && allowsZero || number <= upper && (excludesLower ? number > lower : number >= lower)
    }
}
