import EngineBasics

/// Reads the options of a call: the members of a JSON object, of which each must be known.
struct OptionReader {
    /// What the object is called in messages, such as `vad_parameters.`; empty for the options themselves.
    private let prefix: String
    private var unread: [JSONValue.Member]
    /// The names that were asked for.
    private var known: [String] = []

    /// - Parameter text: UTF-8; empty and `nil` for the defaults.
    init(_ text: [UInt8]?) throws(InterfaceError) {
        prefix = ""
        guard let text, text.contains(where: { $0 > 0x20 }) else {
            unread = []
            return
        }
        let value: JSONValue
        do {
            value = try JSONValue(text, depth: 8, members: 1 << 20)
        } catch {
            throw InterfaceError(.option, "the options are not valid JSON: byte \(error.offset) \(error.what)")
        }
        guard case .object(let members) = value else {
            throw InterfaceError(.option, "the options must be a JSON object such as {\"language\": \"en\"}")
        }
        unread = members
    }

    private init(prefix: String, members: [JSONValue.Member]) {
        self.prefix = prefix
        unread = members
    }

    /// Whether an option is there.
    func has(_ name: String) -> Bool { unread.contains { $0.name == name } }

    private mutating func take(_ name: String) -> JSONValue? {
        known.append(name)
        guard let index = unread.firstIndex(where: { $0.name == name }) else { return nil }
        return unread.remove(at: index).value
    }

    /// Reads an option for which `null` is the default.
    mutating func read<Value>(
        _ name: String, _ type: OptionType<Value>, into value: inout Value
    ) throws(InterfaceError) {
        guard let found = take(name), found != .null else { return }
        value = try parse(name, type, found)
    }

    /// Reads an option for which `null` is `nil`.
    mutating func read<Value>(
        _ name: String, _ type: OptionType<Value>, into value: inout Value?
    ) throws(InterfaceError) {
        guard let found = take(name) else { return }
        value = found == .null ? nil : try parse(name, type, found)
    }

    /// An option without a default; `nil` also for `null`.
    mutating func value<Value>(_ name: String, _ type: OptionType<Value>) throws(InterfaceError) -> Value? {
        var value: Value?
        try read(name, type, into: &value)
        return value
    }

    /// Reads an option that is an object itself; its members must be known, too.
    mutating func object(
        _ name: String, _ read: (inout OptionReader) throws(InterfaceError) -> Void
    ) throws(InterfaceError) {
        guard let found = take(name), found != .null else { return }
        guard case .object(let members) = found else {
            throw InterfaceError(.option, "\(prefix)\(name) must be an object")
        }
        var reader = OptionReader(prefix: "\(name).", members: members)
        try read(&reader)
        try reader.finish()
    }

    private func parse<Value>(
        _ name: String, _ type: OptionType<Value>, _ found: JSONValue
    ) throws(InterfaceError) -> Value {
        guard let value = type.parse(found) else {
            throw InterfaceError(.option, "\(prefix)\(name) must be \(type.wanted)")
        }
        return value
    }

    /// Rejects what was not asked for.
    func finish() throws(InterfaceError) {
        guard let first = unread.first else { return }
        let nearest = Suggestion.nearest(to: first.name, among: known)
        throw InterfaceError(
            .option,
            "there is no option \(JSONText.string(prefix + first.name)) here"
                + (nearest.map { "; did you mean \(JSONText.string(prefix + $0))?" } ?? ""))
    }
}

/// The values that an option can have.
struct OptionType<Value> {
    /// Completes "x must be …".
    let wanted: String
    /// `nil` if a value is none of them.
    let parse: (JSONValue) -> Value?
}

extension JSONValue {
    fileprivate var number: Double? {
        guard case .number(let text) = self, let number = Double(text), number.isFinite else { return nil }
        return number
    }

    /// Also `2.0`, as some languages write integers.
    fileprivate var integer: Int? { number.flatMap { Int(exactly: $0) } }

    fileprivate func elements<Value>(_ parse: (JSONValue) -> Value?) -> [Value]? {
        guard case .array(let elements) = self else { return nil }
        let values = elements.compactMap(parse)
        return values.count == elements.count ? values : nil
    }
}

extension OptionType where Value == Bool {
    static var flag: OptionType {
        OptionType(wanted: "true or false") { if case .bool(let value) = $0 { value } else { nil } }
    }
}

extension OptionType where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> OptionType {
        OptionType(wanted: "an integer from \(range.lowerBound) to \(range.upperBound)") {
            $0.integer.flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension OptionType where Value == Double {
    static var number: OptionType { OptionType(wanted: "a number", parse: \.number) }

    static func number(_ range: ClosedRange<Double>) -> OptionType {
        OptionType(wanted: "a number from \(range.lowerBound) to \(range.upperBound)") {
            $0.number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    static var seconds: OptionType {
        OptionType(wanted: "a number of seconds, at least 0") { $0.number.flatMap { $0 >= 0 ? $0 : nil } }
    }
}

extension OptionType where Value == String {
    static var text: OptionType { OptionType(wanted: "a string", parse: \.string) }
}

extension OptionType where Value == [String] {
    static var texts: OptionType { OptionType(wanted: "an array of strings") { $0.elements(\.string) } }
}

extension OptionType where Value == [Int] {
    static var integers: OptionType { OptionType(wanted: "an array of integers") { $0.elements(\.integer) } }
}

extension OptionType where Value == [Double] {
    static var numbers: OptionType { OptionType(wanted: "an array of numbers") { $0.elements(\.number) } }

    static func numbersOrNumber(_ range: ClosedRange<Double>) -> OptionType {
        OptionType(
            wanted: "a number from \(range.lowerBound) to \(range.upperBound), or an array of such numbers"
        ) { value in
            guard let numbers = value.number.map({ [$0] }) ?? value.elements(\.number), !numbers.isEmpty else {
                return nil
            }
            return numbers.allSatisfy(range.contains) ? numbers : nil
        }
    }
}

extension OptionType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    static var choice: OptionType {
        let names = Value.allCases.map { JSONText.string($0.rawValue) }
        return OptionType(wanted: "one of \(names.joined(separator: ", "))") { $0.string.flatMap(Value.init) }
    }
}

/// A text, or the ids of its tokens.
enum TextOrTokens {
    case text(String)
    case tokens([Int])
}

extension OptionType where Value == TextOrTokens {
    static var textOrTokens: OptionType {
        OptionType(wanted: "a string or an array of token ids") { value in
            value.string.map { .text($0) } ?? value.elements(\.integer).map { .tokens($0) }
        }
    }
}
