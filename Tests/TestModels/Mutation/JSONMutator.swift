import EngineBasics

/// Mutates JSON so that most results are still JSON.
struct JSONMutator {
    /// The tokens: strings, numbers and literals, punctuation.
    private var tokens: [ArraySlice<UInt8>]

    private static let texts = [
        "\"\"", "\"F32\"", "\"F16\"", "\"BF16\"", "\"F64\"", "\"I8\"", "\"F8_E4M3\"", "\"..\"", "\"../x\"", "\"a/b\"",
        "\"model.safetensors\"", "\"config.json\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\\ud800\"",
        "\"\\u001b[2J\"", "\"\\u00e9\"", "\"e\\u0301\"",
        "\"__metadata__\"", "\"whisper\"", "\"gelu\"", "\"proj_out.weight\"", "\"<|endoftext|>\"",
    ].map { Array($0.utf8) }
    private static let values = [
        "null", "true", "false", "-1", "-0", "0.5", "1e3", "1e999", "99999999999999999999", "[]", "{}", "[0]",
        "[[0,0]]",
        "{\"a\":0}", "nul", "NaN", "", "01",
    ].map { Array($0.utf8) }
    private static let punctuation = "[]{},:\"".utf8.map { [$0] }

    /// Splits any bytes into tokens.
    init(_ bytes: [UInt8]) {
        tokens = []
        var at = 0
        while at < bytes.count {
            let start = at
            at += 1
            switch bytes[start] {
            case UInt8(ascii: "\""):
                while at < bytes.count, bytes[at] != UInt8(ascii: "\"") { at += bytes[at] == 0x5c ? 2 : 1 }
                at = min(bytes.count, at + 1)
            case 0x2b...0x2b, 0x2d...0x2e, 0x30...0x39, 0x41...0x5a, 0x61...0x7a:
                while at < bytes.count, bytes[at] > 0x2c, bytes[at] != 0x3a, bytes[at] < 0x5b || bytes[at] > 0x5d,
                    bytes[at] < 0x7b
                { at += 1 }
            default: break
            }
            tokens.append(bytes[start..<at])
        }
    }

    var bytes: [UInt8] { Array(tokens.joined()) }

    /// Changes one to three things.
    mutating func mutate(using draws: inout SplitMix64) {
        for _ in 0...draws.below(3) {
            switch draws.below(10) {
            case 0: member(using: &draws)
            case 1: member(using: &draws)
            case 2: any(using: &draws)
            case 3 where draws.oneIn(4): nest(using: &draws)
            default: value(using: &draws)
            }
        }
    }

    /// Replaces a value or name by another of its kind, or one of another kind.
    private mutating func value(using draws: inout SplitMix64) {
        let isText = draws.oneIn(3)
        for _ in 0..<50 {
            let at = draws.below(tokens.count)
            guard at < tokens.count, let first = tokens[at].first, first == 0x22 || first >= 0x2d else { continue }
            guard (first == 0x22) == isText, first != 0x3a, first != 0x5b, first != 0x5d, first < 0x7b else { continue }
            switch draws.below(5) {
            case 0: tokens[at] = (draws.element(Self.values) ?? [])[...]
            case 1 where isText: tokens[at] = (draws.element(Self.texts) ?? [])[...]
            case 2 where isText:
                let long = [UInt8](repeating: 0x61, count: 1 << draws.below(15))
                tokens[at] = ([0x22] + long + [0x22])[...]
            case _ where isText:
                let other = draws.below(tokens.count)
                if tokens[other].first == 0x22 { tokens[at] = tokens[other] }
            case 1:
                let number = Int(String(decoding: tokens[at], as: UTF8.self)) ?? 0
                tokens[at] = Array("\(number &+ draws.below(5) &- 2)".utf8)[...]
            default: tokens[at] = Array("\(draws.element(ByteMutator.numbers) ?? 0)".utf8)[...]
            }
            return
        }
    }

    /// Deletes, repeats or moves a member of an object or an element of an array.
    private mutating func member(using draws: inout SplitMix64) {
        let commas = tokens.indices.filter { tokens[$0].elementsEqual([0x2c]) }
        guard let start = draws.element(commas) else { return }
        var depth = 0
        let end = tokens[(start + 1)...].firstIndex { token in
            switch token.first {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            case UInt8(ascii: ",") where depth == 0: return true
            default: break
            }
            return depth < 0
        }
        guard let end else { return }
        let member = Array(tokens[start..<end])
        if !draws.oneIn(3) { tokens.removeSubrange(start..<end) }
        guard !draws.oneIn(3) else { return }
        let to = tokens.indices.filter { tokens[$0].elementsEqual([0x2c]) }
        tokens.insert(contentsOf: member, at: draws.element(to) ?? min(start, tokens.count))
    }

    /// Replaces, inserts or deletes any token.
    private mutating func any(using draws: inout SplitMix64) {
        let at = draws.below(tokens.count)
        guard at < tokens.count else { return }
        switch draws.below(4) {
        case 0: tokens.remove(at: at)
        case 1: tokens.insert(tokens[draws.below(tokens.count)], at: at)
        case 2: tokens[at] = (draws.element(Self.punctuation) ?? [])[...]
        default: tokens[at] = [UInt8(draws.below(256))]
        }
    }

    /// Puts a value inside many arrays.
    private mutating func nest(using draws: inout SplitMix64) {
        let at = draws.below(tokens.count), depth = 1 << draws.below(15)
        guard at < tokens.count else { return }
        let open = draws.oneIn(2) ? Array("[".utf8) : Array("{\"\":".utf8)
        let close = open.count == 1 ? UInt8(ascii: "]") : UInt8(ascii: "}")
        tokens[at] =
            (Array(repeatElement(open, count: depth).joined()) + tokens[at]
            + [UInt8](repeating: close, count: draws.oneIn(2) ? depth : 0))[...]
    }
}
