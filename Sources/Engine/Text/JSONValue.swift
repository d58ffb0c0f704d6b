/// A JSON text, strictly by RFC 8259: what a damaged or hostile file holds is refused with its place.
enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// As written.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// In the order of the text; no name comes twice.
    case object([Member])

    struct Member: Equatable, Sendable {
        let name: String
        let value: JSONValue
    }

    struct Problem: Error, Equatable {
        /// Byte of the text.
        let offset: Int
        let what: String
    }

    /// - Parameters:
    ///   - depth: most arrays and objects inside one another.
    ///   - members: most members and elements in all.
    init(_ text: [UInt8], depth: Int, members: Int) throws(Problem) {
        var parser = JSONParser(text: text, membersLeft: members)
        self = try parser.whole(depth: depth)
    }

    /// The value of a member; `nil` where there is none, and for what is no object.
    subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number from 0 on that is written without fraction or exponent and fits.
    var count: Int? {
        guard case .number(let text) = self, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// A list of such numbers.
    var counts: [Int]? {
        guard case .array(let elements) = self else { return nil }
        var counts: [Int] = []
        for element in elements {
            guard let count = element.count else { return nil }
            counts.append(count)
        }
        return counts
    }
}
