import WhisperEngine

/// Reads the text fields of a form by their types.
struct FormFields {
    let form: MultipartForm

    init(_ form: MultipartForm) { self.form = form }

    /// The value of a field; `nil` if it is absent.
    ///
    /// - Throws: 400 if it is given twice.
    func text(_ name: String) throws(HTTPError) -> String? {
        let values = form.fields.filter { $0.name == name }
        guard values.count < 2 else { throw .invalid(name, "The field \(name) is given twice.") }
        return values.first?.value
    }

    /// All values of a repeatable field, which may be named without brackets, with empty ones, or with an index, which
    /// then gives their order.
    func list(_ name: String) -> [String] {
        let values = form.fields.compactMap { field -> (index: Int, value: String)? in
            guard let (list, index) = Self.element(field.name), list == name else { return nil }
            return (index ?? 0, field.value)
        }
        // Among equal indices, the order is that of the form.
        return values.enumerated().sorted { ($0.element.index, $0.offset) < ($1.element.index, $1.offset) }
            .map(\.element.value)
    }

    /// Splits `name`, `name[]` or `name[3]`; `nil` for other names with brackets.
    static func element(_ name: String) -> (list: String, index: Int?)? {
        guard let bracket = name.firstIndex(of: "[") else { return (name, nil) }
        let digits = name[name.index(after: bracket)...].dropLast()
        guard name.last == "]", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return (String(name[..<bracket]), Int(digits))
    }

    /// The value of a member of an object, sent as `name[member]`.
    func member(_ member: String, of name: String) throws(HTTPError) -> String? { try text("\(name)[\(member)]") }

    /// A Boolean in upper or lower case; `nil` if it is absent.
    func flag(_ name: String) throws(HTTPError) -> Bool? {
        guard let text = try text(name) else { return nil }
        switch text.lowercased() {
        case "true", "1", "yes", "y", "on", "t": return true
        case "false", "0", "no", "n", "off", "f": return false
        default: throw .invalid(name, "The field \(name) must be true or false.")
        }
    }

    /// A number in a range; `nil` if it is absent.
    func number(_ name: String, in range: ClosedRange<Double>) throws(HTTPError) -> Double? {
        guard let text = try text(name) else { return nil }
        guard let number = Self.number(text), range.contains(number) else {
            throw .invalid(name, "The field \(name) must be a number from \(Self.shown(range)).")
        }
        return number
    }

    /// A decimal number, such as `0.2` or `1e-05`; `nil` for anything else that Swift takes for a number.
    static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text),
            number.isFinite
        else { return nil }
        return number
    }

    static func shown(_ range: ClosedRange<Double>) -> String {
        "\(shown(range.lowerBound)) to \(shown(range.upperBound))"
    }

    private static func shown(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }
}
