/// Which numbers an option takes.
struct NumberRule: Sendable {
    private let lowest: Double
    private let highest: Double
    private let excludesLowest: Bool
    private let takesNone: Bool
    /// `0 to 1`, `above 0`, `1 to 100 or None`.
    let allowed: String

    init(_ range: ClosedRange<Int>, orNone: Bool = false) {
        self.init(Double(range.lowerBound), Double(range.upperBound), takesNone: orNone)
    }

    init(_ range: ClosedRange<Double>) {
        self.init(range.lowerBound, range.upperBound)
    }

    /// Any number above this one.
    static func above(_ value: Double) -> NumberRule { NumberRule(value, .infinity, excludesLowest: true) }

    /// This number and any above it.
    static func from(_ value: Double) -> NumberRule { NumberRule(value, .infinity) }

    static let any = NumberRule(-.infinity, .infinity)

    private init(_ lowest: Double, _ highest: Double, excludesLowest: Bool = false, takesNone: Bool = false) {
        self.lowest = lowest
        self.highest = highest
        self.excludesLowest = excludesLowest
        self.takesNone = takesNone
        let range =
            if excludesLowest {
                "a number above \(Self.text(lowest))"
            } else if highest.isFinite {
                "\(Self.text(lowest)) to \(Self.text(highest))"
            } else if lowest.isFinite {
                "\(Self.text(lowest)) or more"
            } else {
                "any number"
            }
        allowed = takesNone ? "\(range) or None" : range
    }

    /// The same numbers, and `None`.
    var orNone: NumberRule {
        NumberRule(lowest, highest, excludesLowest: excludesLowest, takesNone: true)
    }

    /// A number that fits.
    var example: String {
        Self.text(excludesLowest ? lowest + 1 : lowest.isFinite ? lowest : 0)
    }

    func integer(_ value: [UInt8], option: String) throws(UsageError) -> Int {
        guard let number = NumberSyntax.integer(value) else {
            // A whole number too large for 64 bits is a number all the same, and out of every range.
            if let decimal = NumberSyntax.decimal(value), decimal.rounded() == decimal, abs(decimal) > 9e18 {
                throw .outOfRange(option: option, value: value, allowed: allowed)
            }
            throw .badNumber(option: option, value: value, allowed: allowed)
        }
        guard contains(Double(number)) else { throw .outOfRange(option: option, value: value, allowed: allowed) }
        return number
    }

    func decimal(_ value: [UInt8], option: String) throws(UsageError) -> Double {
        guard let number = NumberSyntax.decimal(value) else {
            throw .badNumber(option: option, value: value, allowed: allowed)
        }
        guard contains(number) else { throw .outOfRange(option: option, value: value, allowed: allowed) }
        return number
    }

    /// Whole numbers without a fraction: `5`, `0.2`.
    static func text(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }

    private func contains(_ number: Double) -> Bool {
        number <= highest && (excludesLowest ? number > lowest : number >= lowest)
    }
}
