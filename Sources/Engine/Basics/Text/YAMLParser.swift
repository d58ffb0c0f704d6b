extension JSONValue {
    /// Parses the part of YAML that settings are written in: maps and lists by indentation or in brackets, and quoted
    /// and plain scalars, which are resolved as in YAML 1.1, except that keys are always text. Anchors, tags, block
    /// scalars and everything else is a `Problem`.
    ///
    /// - Parameters:
    ///   - depth: the maximum nesting depth of maps and lists.
    ///   - members: the maximum total number of their members.
    package init(yaml text: [UInt8], depth: Int, members: Int) throws(Problem) {
        var parser = YAMLParser(text: text, membersLeft: members)
        self = try parser.document(depth: depth)
    }
}

/// A recursive-descent parser over UTF-8 bytes.
private struct YAMLParser {
    typealias Problem = JSONValue.Problem

    private let text: [UInt8]
    private var position = 0
    /// Where the line of the position begins.
    private var lineStart = 0
    private var membersLeft: Int

    init(text: [UInt8], membersLeft: Int) {
        self.text = text
        self.membersLeft = membersLeft
    }

    mutating func document(depth: Int) throws(Problem) -> JSONValue {
        if text.starts(with: "---\n".utf8) { moveToLine(4) }
        let value = try block(deeperThan: -1, depth: depth)
        try skipBlank()
        if position < text.count { throw problem("has a line with an indentation that does not fit") }
        return value
    }

    // MARK: Characters

    private func problem(_ what: String) -> Problem { Problem(offset: position, what: what) }

    private var next: UInt8? { position < text.count ? text[position] : nil }
    private var column: Int { position - lineStart }
    private var isAtLineEnd: Bool { next == nil || next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r") }

    private func isNext(_ character: Unicode.Scalar) -> Bool { next.map { UInt32($0) == character.value } ?? false }

    /// Whether the character after this one is a space, or there is none in the line.
    private var isAlone: Bool {
        position + 1 >= text.count || [0x20, 0x0a, 0x0d].contains(text[position + 1])
    }

    private var isDash: Bool { isNext("-") && isAlone }

    private mutating func moveToLine(_ start: Int) { (position, lineStart) = (start, start) }

    private mutating func skipSpaces() { while isNext(" ") { position += 1 } }

    /// Skips the rest of a line that has nothing but spaces and a comment.
    private mutating func endLine() throws(Problem) {
        let start = position
        skipSpaces()
        if isNext("#"), position > start || column == 0 { while !isAtLineEnd { position += 1 } }
        guard isAtLineEnd else { throw problem("continues a value in a way that is not supported") }
        if isNext("\r") { position += 1 }
        if isNext("\n") { moveToLine(position + 1) }
    }

    /// Skips spaces, comments and ends of lines.
    private mutating func skipBlank() throws(Problem) {
        while true {
            skipSpaces()
            if isNext("\t") { throw problem("is indented with a tab") }
            guard isAtLineEnd || isNext("#") else { return }
            if next == nil { return }
            while !isAtLineEnd { position += 1 }
            if isNext("\r") { position += 1 }
            if isNext("\n") { moveToLine(position + 1) } else if next != nil { throw problem("has a stray return") }
        }
    }

    // MARK: Blocks

    /// The value that begins here or in a line below; null if its column is not greater.
    ///
    /// - Parameter list: a column in which a list may begin, too.
    private mutating func block(deeperThan parent: Int, list: Int? = nil, depth: Int) throws(Problem) -> JSONValue {
        try skipBlank()
        guard next != nil, column > parent || isDash && column == list else { return .null }
        let indentation = column
        if isDash { return try self.list(at: indentation, depth: depth) }
        if isNext("[") || isNext("{") {
            let value = try flow(depth: depth)
            try endLine()
            return value
        }
        let start = (position, lineStart)
        if try key() != nil {
            (position, lineStart) = start
            return try map(at: indentation, depth: depth)
        }
        (position, lineStart) = start
        return try scalar(deeperThan: parent)
    }

    private mutating func count(depth: Int) throws(Problem) {
        guard depth > 0 else { throw problem("is nested too deeply") }
        membersLeft -= 1
        if membersLeft < 0 { throw problem("has too many entries") }
    }

    private mutating func list(at indentation: Int, depth: Int) throws(Problem) -> JSONValue {
        var elements: [JSONValue] = []
        while next != nil, column == indentation, isDash {
            try count(depth: depth)
            position += 1
            elements.append(try block(deeperThan: indentation, depth: depth - 1))
            try skipBlank()
        }
        return .array(elements)
    }

    private mutating func map(at indentation: Int, depth: Int) throws(Problem) -> JSONValue {
        var members: [JSONValue.Member] = [], names: Set<String> = []
        while next != nil, column == indentation {
            try count(depth: depth)
            guard let name = try key() else { throw problem("has a line that is no key with a value") }
            guard names.insert(name).inserted else { throw problem("repeats the key \(ShellQuoting.shown(name))") }
            skipSpaces()
            let value: JSONValue
            if isAtLineEnd || isNext("#") {
                value = try block(deeperThan: indentation, list: indentation, depth: depth - 1)
            } else if isNext("[") || isNext("{") {
                value = try flow(depth: depth - 1)
                try endLine()
            } else {
                value = try scalar(deeperThan: indentation)
            }
            members.append(JSONValue.Member(name: name, value: value))
            try skipBlank()
        }
        return .object(members)
    }

    /// Reads a key with its colon; `nil`, at an undefined position, if something else begins here.
    private mutating func key() throws(Problem) -> String? {
        let name: String
        if isNext("\"") || isNext("'") {
            name = try quoted()
        } else {
            name = try plain(inFlow: false)
        }
        skipSpaces()
        guard isNext(":"), isAlone else { return nil }
        position += 1
        return name
    }

    // MARK: Scalars

    /// A scalar that ends its line. Plain ones may go on in deeper lines.
    private mutating func scalar(deeperThan parent: Int) throws(Problem) -> JSONValue {
        if isNext("\"") || isNext("'") {
            let text = try quoted()
            try endLine()
            return .string(text)
        }
        var text = try plain(inFlow: false), lines = 1
        while true {
            try endLine()
            let start = (position, lineStart)
            try skipBlank()
            guard next != nil, column > parent else {
                (position, lineStart) = start
                break
            }
            text += " " + (try plain(inFlow: false))
            lines += 1
        }
        return lines == 1 ? Self.resolved(text) : .string(text)
    }

    /// The characters of a plain scalar in this line.
    private mutating func plain(inFlow: Bool) throws(Problem) -> String {
        let start = position
        if let next, Self.indicators.contains(next) {
            let character = ShellQuoting.shown(String(UnicodeScalar(next)))
            throw problem("begins a value with \(character), which is not supported")
        }
        if isNext("-") || isNext("?") || isNext(":"), isAlone {
            throw problem("has a key or an element in a wrong place")
        }
        var end = position
        while let byte = next, !isAtLineEnd {
            if byte == UInt8(ascii: ":"), isAlone || inFlow && Self.flowEnds.contains(text[position + 1]) { break }
            if byte == UInt8(ascii: "#"), position > start, text[position - 1] == 0x20 { break }
            if inFlow, Self.flowEnds.contains(byte) { break }
            guard byte >= 0x20 else { throw problem("has a control character") }
            position += 1
            if byte != 0x20 { end = position }
        }
        guard let value = String(validating: text[start..<end], as: UTF8.self) else { throw problem("is not UTF-8") }
        position = end
        return value
    }

    /// What begins something else than a plain scalar.
    private static let indicators = Set("[]{},#&*!|>'\"%@`".utf8)
    private static let flowEnds = Set("[]{},".utf8)

    /// The value of a plain scalar.
    private static func resolved(_ text: String) -> JSONValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON": return .bool(true)
        case "false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF": return .bool(false)
        default: break
        }
        let digits = text.utf8.drop { $0 == UInt8(ascii: "-") }
        guard let first = digits.first, (0x30...0x39).contains(first), text.utf8.count - digits.count < 2,
            // A leading zero makes a number octal.
            first != 0x30 || digits.count == 1 || digits.dropFirst().first == UInt8(ascii: "."),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || ".eE+-".utf8.contains($0) }), Double(text) != nil
        else { return .string(text) }
        return .number(text)
    }

    /// A scalar in quotes. An end of a line is a space, and an empty line an end of a line.
    private mutating func quoted() throws(Problem) -> String {
        let isDouble = isNext("\"")
        var bytes: [UInt8] = []
        position += 1
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "'") where !isDouble:
                guard isNext("'") else { return try Self.text(bytes, at: position) }
                position += 1
                bytes.append(byte)
            case UInt8(ascii: "\"") where isDouble: return try Self.text(bytes, at: position)
            case UInt8(ascii: "\\") where isDouble: bytes += try escape()
            case UInt8(ascii: "\n"):
                while bytes.last == 0x20 { bytes.removeLast() }
                bytes += lineEnds()
            default: bytes.append(byte)
            }
        }
        throw problem("ends inside quotes")
    }

    /// What stands for the end of the line before this position and the empty lines that follow.
    private mutating func lineEnds() -> [UInt8] {
        var empty = 0
        while true {
            lineStart = position
            skipSpaces()
            guard isNext("\n") else { return empty == 0 ? [0x20] : [UInt8](repeating: 0x0a, count: empty) }
            position += 1
            empty += 1
        }
    }

    private static func text(_ bytes: [UInt8], at offset: Int) throws(Problem) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Problem(offset: offset, what: "is not UTF-8")
        }
        return text
    }

    /// The bytes of an escape sequence after its backslash.
    private mutating func escape() throws(Problem) -> [UInt8] {
        guard let byte = next else { throw problem("ends inside quotes") }
        position += 1
        switch byte {
        case UInt8(ascii: "\n"):
            lineStart = position
            skipSpaces()
            return []
        case UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U"):
            let digits = byte == UInt8(ascii: "x") ? 2 : byte == UInt8(ascii: "u") ? 4 : 8
            let end = min(text.count, position + digits)
            guard let code = UInt32(String(decoding: text[position..<end], as: UTF8.self), radix: 16),
                end - position == digits, let scalar = Unicode.Scalar(code)
            else { throw problem("has a damaged escape sequence") }
            position = end
            return Array(String(Character(scalar)).utf8)
        default:
            guard let character = Self.escapes[byte] else { throw problem("has an unknown escape sequence") }
            return Array(String(character).utf8)
        }
    }

    private static let escapes: [UInt8: Character] = [
        UInt8(ascii: "\\"): "\\", UInt8(ascii: "\""): "\"", UInt8(ascii: "/"): "/", UInt8(ascii: " "): " ",
        UInt8(ascii: "n"): "\n", UInt8(ascii: "t"): "\t", UInt8(ascii: "r"): "\r", UInt8(ascii: "0"): "\0",
        UInt8(ascii: "a"): "\u{7}", UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "e"): "\u{1b}",
        UInt8(ascii: "f"): "\u{c}", UInt8(ascii: "v"): "\u{b}", UInt8(ascii: "N"): "\u{85}",
        UInt8(ascii: "_"): "\u{a0}", UInt8(ascii: "L"): "\u{2028}", UInt8(ascii: "P"): "\u{2029}",
    ]

    // MARK: Brackets

    private mutating func flow(depth: Int) throws(Problem) -> JSONValue {
        let isMap = isNext("{"), end: Unicode.Scalar = isMap ? "}" : "]"
        var elements: [JSONValue] = [], members: [JSONValue.Member] = [], names: Set<String> = []
        position += 1
        while true {
            try skipBlank()
            if isNext(end) { break }
            try count(depth: depth)
            if isMap {
                let name = isNext("\"") || isNext("'") ? try quoted() : try plain(inFlow: true)
                skipSpaces()
                guard isNext(":") else { throw problem("has a key without a value in brackets") }
                position += 1
                guard names.insert(name).inserted else { throw problem("repeats the key \(ShellQuoting.shown(name))") }
                members.append(JSONValue.Member(name: name, value: try flowValue(depth: depth - 1)))
            } else {
                elements.append(try flowValue(depth: depth - 1))
            }
            try skipBlank()
            if isNext(",") { position += 1 } else if !isNext(end) { throw problem("has brackets that do not end") }
        }
        position += 1
        return isMap ? .object(members) : .array(elements)
    }

    private mutating func flowValue(depth: Int) throws(Problem) -> JSONValue {
        try skipBlank()
        if isNext("[") || isNext("{") { return try flow(depth: depth) }
        if isNext("\"") || isNext("'") { return .string(try quoted()) }
        guard next != nil else { throw problem("has brackets that do not end") }
        return Self.resolved(isNext(",") || isNext("}") ? "" : try plain(inFlow: true))
    }
}
