/// A recursive-descent JSON parser over UTF-8 bytes; strict by RFC 8259.
package struct JSONParser {
    package typealias Problem = JSONValue.Problem

    private let text: [UInt8]
    /// The offset of the next byte.
    package private(set) var position: Int
    private var membersLeft: Int

    package init(text: [UInt8], position: Int = 0, membersLeft: Int) {
        self.text = text
        self.position = position
        self.membersLeft = membersLeft
    }

    /// Parses the single value that the text consists of.
    mutating func document(depth: Int) throws(Problem) -> JSONValue {
        let value = try value(depth: depth)
        skipSpace()
        if position < text.count { throw problem("continues after its end") }
        return value
    }

    /// Parses the single object that the text consists of, without keeping it.
    ///
    /// - Parameter member: receives the name of each member and must parse its value.
    package mutating func document(
        depth: Int, member: (String, inout JSONParser) throws(Problem) -> Void
    ) throws(Problem) {
        skipSpace()
        guard next == UInt8(ascii: "{") else { throw problem("is not an object") }
        try members(depth: depth, member)
        skipSpace()
        if position < text.count { throw problem("continues after its end") }
    }

    private func problem(_ what: String) -> Problem { Problem(offset: position, what: what) }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    mutating func skipSpace() {
        while let byte = next, byte == 0x20 || (0x09...0x0a).contains(byte) || byte == 0x0d { position += 1 }
    }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == character.value else { return false }
        position += 1
        return true
    }

    package mutating func value(depth: Int) throws(Problem) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try literal("true", .bool(true))
        case UInt8(ascii: "f"): return try literal("false", .bool(false))
        case UInt8(ascii: "n"): return try literal("null", .null)
        case nil: throw problem("ends unexpectedly")
        default: return try number()
        }
    }

    private mutating func literal(_ literal: String, _ value: JSONValue) throws(Problem) -> JSONValue {
        guard text[position...].starts(with: literal.utf8) else { throw problem("has an unknown literal") }
        position += literal.utf8.count
        return value
    }

    private mutating func open(depth: Int) throws(Problem) {
        if depth <= 0 { throw problem("is nested too deeply") }
        position += 1
    }

    private mutating func countMember() throws(Problem) {
        membersLeft -= 1
        if membersLeft < 0 { throw problem("has too many entries") }
    }

    private mutating func object(depth: Int) throws(Problem) -> JSONValue {
        var found: [JSONValue.Member] = []
        try members(depth: depth) { (name, parser) throws(Problem) in
            found.append(JSONValue.Member(name: name, value: try parser.value(depth: depth - 1)))
        }
        return .object(found)
    }

    private mutating func members(
        depth: Int, _ member: (String, inout JSONParser) throws(Problem) -> Void
    ) throws(Problem) {
        try open(depth: depth)
        var names = ByteStringTable()
        skipSpace()
        if consume("}") { return }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw problem("has a member without a name") }
            try countMember()
            let name = try string()
            if !names.add(name.utf8.span) { throw problem("has \(ShellQuoting.shown(name)) twice") }
            skipSpace()
            guard consume(":") else { throw problem("is missing a colon") }
            skipSpace()
            try member(name, &self)
            skipSpace()
        } while consume(",")
        guard consume("}") else { throw problem("is missing a closing brace") }
    }

    private mutating func array(depth: Int) throws(Problem) -> JSONValue {
        try open(depth: depth)
        var elements: [JSONValue] = []
        skipSpace()
        if consume("]") { return .array([]) }
        repeat {
            try countMember()
            elements.append(try value(depth: depth - 1))
            skipSpace()
        } while consume(",")
        guard consume("]") else { throw problem("is missing a closing bracket") }
        return .array(elements)
    }

    private mutating func digits() -> Int {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func number() throws(Problem) -> JSONValue {
        let start = position
        _ = consume("-")
        let first = next
        let whole = digits()
        if whole == 0 || first == UInt8(ascii: "0") && whole > 1 { throw problem("has an invalid number") }
        if consume("."), digits() == 0 { throw problem("has a number without digits after the point") }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            if digits() == 0 { throw problem("has a number without digits in the exponent") }
        }
        return .number(String(decoding: text[start..<position], as: UTF8.self))
    }

    private mutating func string() throws(Problem) -> String {
        position += 1
        let start = position
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
        // Most strings have no escape sequence.
        if next == UInt8(ascii: "\"") {
            position += 1
            guard let text = String(validating: text[start..<(position - 1)], as: UTF8.self) else {
                throw problem("is not valid UTF-8")
            }
            return text
        }
        position = start - 1
        var bytes: [UInt8] = []
        try pieces { bytes += $0 }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw problem("is not valid UTF-8") }
        return text
    }

    /// Whether the next value is a string.
    package var isAtString: Bool { next == UInt8(ascii: "\"") }

    /// Parses a string without copying it: hands on its bytes in pieces, with escape sequences resolved. Whether they
    /// are valid UTF-8 is not checked.
    package mutating func pieces(_ piece: (ArraySlice<UInt8>) -> Void) throws(Problem) {
        position += 1
        while true {
            let start = position
            while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                position += 1
            }
            if position > start { piece(text[start..<position]) }
            guard let byte = next else { throw problem("ends inside a string") }
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): piece(try escaped()[...])
            default: throw problem("has a control character in a string")
            }
        }
    }

    /// The UTF-8 of an escape sequence whose backslash has been consumed.
    private mutating func escaped() throws(Problem) -> [UInt8] {
        guard let byte = next else { throw problem("ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"):
            var code = try hexadecimal()
            if (0xd800..<0xdc00).contains(code), consume("\\"), consume("u") {
                let low = try hexadecimal()
                guard (0xdc00..<0xe000).contains(low) else { throw problem("has an unpaired surrogate") }
                code = 0x10000 + (code - 0xd800) << 10 + (low - 0xdc00)
            }
            guard let scalar = Unicode.Scalar(code) else { throw problem("has an unpaired surrogate") }
            return Array(String(scalar).utf8)
        default: throw problem("has an unknown escape")
        }
    }

    private mutating func hexadecimal() throws(Problem) -> UInt32 {
        var code: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw problem("has an unknown escape")
            }
            code = code << 4 | UInt32(digit)
            position += 1
        }
        return code
    }
}
