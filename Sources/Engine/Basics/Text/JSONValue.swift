/// A JSON value, parsed strictly by RFC 8259: a damaged or hostile file is rejected with the offset of the problem.
package enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// The digits as written.
    case number(String)
    case string(String)
    case array([JSONValue])
    /// The members in the order of the text; names are unique.
    case object([Member])

    package struct Member: Equatable, Sendable {
        package let name: String
        package let value: JSONValue
    }

    package struct Problem: Error, Equatable {
        /// The byte offset in the text.
        package let offset: Int
        /// What is wrong, as a predicate: "ends inside a string".
        package let what: String
    }

    /// Parses `text`, which must be UTF-8.
    ///
    /// - Parameters:
    ///   - depth: the maximum nesting depth of arrays and objects.
    ///   - members: the maximum total number of object members and array elements.
    package init(_ text: [UInt8], depth: Int, members: Int) throws(Problem) {
        var parser = JSONParser(text: text, membersLeft: members)
        self = try parser.document(depth: depth)
    }

    /// The value of the member called `name`; `nil` if there is none or this is not an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    package var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value as a non-negative integer, if it is written without fraction or exponent and fits an `Int`.
    package var count: Int? {
        guard case .number(let text) = self, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    /// The value as an array of non-negative integers.
    package var counts: [Int]? {
        guard case .array(let elements) = self else { return nil }
        var counts: [Int] = []
        for element in elements {
            guard let count = element.count else { return nil }
            counts.append(count)
        }
        return counts
    }
}
