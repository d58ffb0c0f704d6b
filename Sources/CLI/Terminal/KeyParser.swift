/// A key, or a reply from the terminal, which arrives on the same stream.
package enum Key: Equatable, Sendable {
    package enum Motion: Equatable, Sendable {
        case press, hold, release
    }

    /// A key that types a character or has a control code, such as Escape (27) and Return (13).
    case code(UInt32, control: Bool, Motion)
    /// The terminal supports kitty's keyboard protocol, which reports presses and releases.
    case keyboardFlags(Int)
    /// Whether the terminal supports synchronized output.
    case synchronizes(Bool)

    package static func character(_ scalar: Unicode.Scalar) -> Key { .code(scalar.value, control: false, .press) }
}

/// Parses the bytes that a terminal sends into keys.
package struct KeyParser: Sendable {
    private var pending: [UInt8] = []

    package init() {}

    /// Whether the bytes so far end inside a key's sequence.
    package var isInKey: Bool { !pending.isEmpty }

    /// The keys completed by these bytes. An empty array means that nothing arrived for a while: a lone escape is then
    /// the Escape key, not the start of a sequence.
    package mutating func keys(_ bytes: [UInt8]) -> [Key] {
        let isTimedOut = bytes.isEmpty
        pending += bytes
        var keys: [Key] = []
        while let first = pending.first {
            if first == Self.escape {
                guard let key = parseSequence(isTimedOut: isTimedOut) else { break }
                if let key = key { keys.append(key) }
            } else if first < 0x80 {
                pending.removeFirst()
                keys.append(Self.key(first))
            } else {
                guard let key = parseCharacter(isTimedOut: isTimedOut) else { break }
                keys.append(key)
            }
        }
        return keys
    }

    private static let escape: UInt8 = 0x1b

    /// A byte below 0x80. Codes 1 to 26 are Ctrl-A to Ctrl-Z, except those of Tab, line feed and Return.
    private static func key(_ byte: UInt8) -> Key {
        let isControl = (1...26).contains(byte) && byte != 9 && byte != 10 && byte != 13
        return .code(isControl ? UInt32(byte) + 96 : UInt32(byte), control: isControl, .press)
    }

    private mutating func parseCharacter(isTimedOut: Bool) -> Key? {
        var decoder = UTF8()
        var bytes = pending.makeIterator()
        switch decoder.decode(&bytes) {
        case .scalarValue(let scalar):
            pending.removeFirst(UTF8.width(scalar))
            return .character(scalar)
        case .error, .emptyInput:
            guard pending.count >= 4 || isTimedOut else { return nil }
            pending.removeFirst()
            return .character("\u{fffd}")
        }
    }

    /// - Returns: `nil` if the sequence is incomplete, `.some(nil)` for one that has no meaning here.
    private mutating func parseSequence(isTimedOut: Bool) -> Key?? {
        guard pending.count > 1 else {
            guard isTimedOut else { return nil }
            pending.removeFirst()
            return .some(.code(27, control: false, .press))
        }
        guard pending[1] == UInt8(ascii: "[") || pending[1] == UInt8(ascii: "O") else {
            // A key with Alt: the escape counts as a separate key.
            pending.removeFirst()
            return .some(.code(27, control: false, .press))
        }
        guard let end = pending[2...].firstIndex(where: { (0x40...0x7e).contains($0) }) else {
            if isTimedOut || pending.count > 64 { pending = [] }
            return isTimedOut ? .some(nil) : nil
        }
        let body = String(decoding: pending[2..<end], as: UTF8.self)
        let final = pending[end]
        let isControlSequence = pending[1] == UInt8(ascii: "[")
        pending.removeFirst(end + 1)
        return .some(isControlSequence ? Self.key(body, final) : nil)
    }

    private static func key(_ body: String, _ final: UInt8) -> Key? {
        switch (final, body.first) {
        case (UInt8(ascii: "u"), "?"):
            return Int(body.dropFirst()).map { .keyboardFlags($0) }
        case (UInt8(ascii: "u"), _):
            // key:shifted:base ; modifiers:event ; text
            let fields = body.split(separator: ";", omittingEmptySubsequences: false)
            guard let code = fields.first?.split(separator: ":").first.flatMap({ UInt32($0) }) else { return nil }
            let state = fields.count > 1 ? fields[1].split(separator: ":").compactMap { Int($0) } : []
            let modifiers = max(0, (state.first ?? 1) - 1)
            let motion: Key.Motion =
                state.count > 1 ? (state[1] == 3 ? .release : state[1] == 2 ? .hold : .press) : .press
            return .code(code, control: modifiers & 4 != 0, motion)
        case (UInt8(ascii: "y"), "?"):
            guard body.hasPrefix("?2026;"), body.hasSuffix("$") else { return nil }
            let state = body.dropFirst(6).dropLast()
            return .synchronizes(state == "1" || state == "2")
        default: return nil
        }
    }
}
