/// Compiles a regular expression by recursive descent.
struct PatternCompiler {
    typealias Instruction = TextPattern.Instruction
    typealias SyntaxError = TextPattern.SyntaxError

    /// More instructions than this would make matching slow.
    private static let maxInstructions = 5000
    private static let maxDepth = 50
    private static let maxRepetitions = 1000

    private let text: [Character]
    private var position = 0
    private var depth = 0
    private(set) var groups = 0
    private(set) var hasCapital = false

    init(_ source: String) { text = Array(source) }

    mutating func compiled() throws(SyntaxError) -> [Instruction] {
        guard !text.isEmpty else { throw problem("the expression is empty; write what to replace between the slashes") }
        let body = try alternatives()
        if position < text.count { throw problem("this parenthesis closes nothing; write \\) for the character") }
        return [.save(0)] + Self.moved(body, by: 1) + [.save(1), .match]
    }

    private func problem(_ what: String, at offset: Int? = nil) -> SyntaxError {
        SyntaxError(offset: offset ?? position, description: what)
    }

    private var next: Character? { position < text.count ? text[position] : nil }

    private mutating func consume(_ character: Character) -> Bool {
        guard next == character else { return false }
        position += 1
        return true
    }

    /// Code with relative places, moved to where it will stand.
    private static func moved(_ code: [Instruction], by offset: Int) -> [Instruction] {
        code.map { instruction in
            switch instruction {
            case .split(let first, let second): .split(first + offset, second + offset)
            case .jump(let target): .jump(target + offset)
            default: instruction
            }
        }
    }

    private static func joined(_ first: [Instruction], _ second: [Instruction]) -> [Instruction] {
        first + moved(second, by: first.count)
    }

    private mutating func alternatives() throws(SyntaxError) -> [Instruction] {
        var code = try sequence()
        while consume("|") {
            let other = try sequence()
            let end = code.count + 2 + other.count
            code =
                [.split(1, code.count + 2)] + Self.moved(code, by: 1) + [.jump(end)]
                + Self.moved(other, by: code.count + 2)
        }
        return code
    }

    private mutating func sequence() throws(SyntaxError) -> [Instruction] {
        var code: [Instruction] = []
        while let character = next, character != "|", character != ")" {
            let start = position
            code = Self.joined(code, try repeated(try element(), from: start))
            if code.count > Self.maxInstructions {
                throw problem("the expression is too long; divide it into several", at: start)
            }
        }
        return code
    }

    private mutating func element() throws(SyntaxError) -> [Instruction] {
        let start = position
        guard let character = next else { return [] }
        position += 1
        switch character {
        case "(":
            var slot: Int?
            if consume("?") {
                guard consume(":") else {
                    throw problem("only (…) and (?:…) are supported, no look-around and no names", at: start)
                }
            } else {
                groups += 1
                slot = 2 * groups
            }
            depth += 1
            guard depth <= Self.maxDepth else { throw problem("the groups are nested too deeply", at: start) }
            let body = try alternatives()
            depth -= 1
            guard consume(")") else {
                throw problem("this parenthesis is never closed; write \\( for the character", at: start)
            }
            return slot.map { [.save($0)] + Self.moved(body, by: 1) + [.save($0 + 1)] } ?? body
        case "[": return [.one(try characterClass(from: start))]
        case ".": return [.one(CharacterClass(members: [.any]))]
        case "^": return [.start]
        case "$": return [.end]
        case "*", "+", "?", "{":
            throw problem("\(character) has nothing to repeat; write \\\(character) for the character", at: start)
        case "\\":
            if consume("b") { return [.boundary(isPresent: true)] }
            if consume("B") { return [.boundary(isPresent: false)] }
            return [.one(CharacterClass(members: [try escape(from: start)]))]
        default: return [.one(CharacterClass(members: [literal(character)]))]
        }
    }

    private mutating func literal(_ character: Character) -> CharacterClass.Member {
        if character.isUppercase { hasCapital = true }
        return .range(character...character)
    }

    /// What follows a backslash.
    private mutating func escape(from start: Int) throws(SyntaxError) -> CharacterClass.Member {
        guard let character = next else { throw problem("nothing follows the backslash", at: start) }
        position += 1
        switch character {
        case "d": return .digit(true)
        case "D": return .digit(false)
        case "s": return .space(true)
        case "S": return .space(false)
        case "w": return .word(true)
        case "W": return .word(false)
        case "t": return .range("\t"..."\t")
        case _ where character.isLetter || character.isNumber:
            throw problem(
                "\\\(character) is not supported; \\b, \\B, \\d, \\D, \\s, \\S, \\w, \\W and \\t are", at: start)
        default: return .range(character...character)
        }
    }

    private mutating func characterClass(from start: Int) throws(SyntaxError) -> CharacterClass {
        var found = CharacterClass(members: [], isNegated: consume("^"))
        while true {
            let place = position
            guard let character = next else {
                throw problem("this bracket is never closed; write \\[ for the character", at: start)
            }
            position += 1
            if character == "]", !found.members.isEmpty { return found }
            let member = character == "\\" ? try escape(from: place) : literal(character)
            guard case .range(let first) = member, next == "-", position + 1 < text.count, text[position + 1] != "]"
            else {
                found.members.append(member)
                continue
            }
            position += 1
            let end = position
            position += 1
            let other = text[end] == "\\" ? try escape(from: end) : literal(text[end])
            guard case .range(let last) = other, first.lowerBound <= last.lowerBound else {
                throw problem("the range goes backwards or ends with a class; exchange its ends", at: place)
            }
            found.members.append(.range(first.lowerBound...last.lowerBound))
        }
    }

    /// An element with the repetition that follows it.
    private mutating func repeated(_ code: [Instruction], from start: Int) throws(SyntaxError) -> [Instruction] {
        let place = position
        let (least, most): (Int, Int?)
        switch next {
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "?": (least, most) = (0, 1)
        case "{":
            (least, most) = try counts()
            position -= 1
        default: return code
        }
        position += 1
        let isLazy = consume("?")
        if let again = next, "*+?{".contains(again) {
            throw problem("a repetition cannot be repeated; put it into (?:…)")
        }
        if let most, most < least { throw problem("the repetition ends before it starts", at: place) }
        guard max(least, most ?? 0) * code.count <= Self.maxInstructions else {
            throw problem("the expression repeats too much", at: start)
        }
        func split(_ first: Int, _ second: Int) -> Instruction {
            isLazy ? .split(second, first) : .split(first, second)
        }
        var result: [Instruction] = []
        for _ in 0..<least { result = Self.joined(result, code) }
        if let most {
            for _ in least..<most {
                result = Self.joined(result, [split(1, code.count + 1)] + Self.moved(code, by: 1))
            }
        } else {
            let loop = [split(1, code.count + 2)] + Self.moved(code, by: 1) + [.jump(0)]
            result = Self.joined(result, loop)
        }
        return result
    }

    /// `{n}`, `{n,}` or `{n,m}`.
    private mutating func counts() throws(SyntaxError) -> (Int, Int?) {
        let start = position
        position += 1
        func bad() -> SyntaxError {
            problem("a repetition is written {2}, {2,} or {2,5}; write \\{ for the character", at: start)
        }
        guard let least = number() else { throw bad() }
        var most: Int? = least
        if consume(",") { most = number() }
        guard consume("}") else { throw bad() }
        guard max(least, most ?? 0) <= Self.maxRepetitions else {
            throw problem("the repetition is at most \(Self.maxRepetitions)", at: start)
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next, digit.isASCII, let worth = digit.wholeNumberValue {
            value = min(Self.maxRepetitions + 1, 10 * (value ?? 0) + worth)
            position += 1
        }
        return value
    }
}
