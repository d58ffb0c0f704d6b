import EngineBasics

/// Mutates pickles opcode by opcode.
struct PickleMutator {
    private var opcodes: [ArraySlice<UInt8>]

    /// Opcodes with arguments: all that the reader knows and some that it does not.
    private static let known: [ArraySlice<UInt8>] = knownBytes.map { $0[...] }
    private static let knownBytes: [[UInt8]] =
        "()]}NQR0.stuabeo2".utf8.map { [$0] }
        + [[0x81], [0x85], [0x86], [0x87], [0x88], [0x89], [0x93], [0x94], [0x8f]] + [
            [0x80, 2], [0x80, 4], [0x4b, 0], [0x4b, 255], [0x4d, 0xff, 0xff], [0x4a, 0xff, 0xff, 0xff, 0xff],
            [0x4a, 0xff, 0xff, 0xff, 0x7f], [0x8a, 0], [0x8a, 8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
            [0x8a, 8, 0, 0, 0, 0, 0, 0, 0, 0x80], [0x8a, 9] + [UInt8](repeating: 1, count: 9),
            [0x47, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0], [0x58, 0, 0, 0, 0], [0x58, 0xff, 0xff, 0xff, 0x7f],
            [0x58, 1, 0, 0, 0, 0x1b], [0x58, 1, 0, 0, 0, 0xff], [0x71, 0], [0x71, 255], [0x68, 0], [0x68, 255],
            [0x72, 0x3f, 0x42, 0x0f, 0], [0x72, 0xff, 0xff, 0xff, 0xff], [0x6a, 0xff, 0xff, 0xff, 0x7f],
            Array("cos\nsystem\n".utf8), Array("ccollections\nOrderedDict\n".utf8), Array("ctorch\nHalfStorage\n".utf8),
            Array("ctorch._utils\n_rebuild_tensor_v2\n".utf8), Array("ctorch._utils\n_rebuild_parameter\n".utf8),
        ]

    /// Splits any bytes into opcodes; the rest after an unknown one counts as a single opcode.
    init(_ bytes: [UInt8]) {
        opcodes = []
        var at = 0
        while at < bytes.count {
            let size = 1 + Self.argumentBytes(bytes[at...])
            opcodes.append(bytes[at...].prefix(size))
            at += size
        }
    }

    private static func argumentBytes(_ bytes: ArraySlice<UInt8>) -> Int {
        let rest = bytes.dropFirst()
        switch bytes.first {
        case 0x80, 0x4b, 0x71, 0x68: return 1
        case 0x4d: return 2
        case 0x4a, 0x72, 0x6a: return 4
        case 0x47: return 8
        case 0x8a: return 1 + Int(rest.first ?? 0)
        case 0x58: return 4 + rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        case 0x63:
            guard let first = rest.firstIndex(of: 10), let second = rest[(first + 1)...].firstIndex(of: 10) else {
                return rest.count
            }
            return second - bytes.startIndex
        default: return 0
        }
    }

    var bytes: [UInt8] { Array(opcodes.joined()) }

    /// Changes one to four opcodes.
    ///
    /// - Parameter other: a pickle to splice in.
    mutating func mutate(other: () -> PickleMutator, using draws: inout SplitMix64) {
        for _ in 0...draws.below(4) {
            let at = draws.below(opcodes.count), from = draws.below(opcodes.count)
            guard at < opcodes.count else { return }
            switch draws.below(12) {
            case 0: opcodes[at] = draws.element(Self.known) ?? []
            case 1: opcodes.insert(draws.element(Self.known) ?? [], at: at)
            case 2: opcodes.remove(at: at)
            case 3: opcodes[at] = opcodes[from]
            case 4: opcodes.swapAt(at, from)
            case 5:
                let run = Array(opcodes[at...].prefix(1 + draws.below(60)))
                opcodes.insert(contentsOf: run, at: from)
            case 6 where draws.oneIn(4):
                let other = other().opcodes
                opcodes = Array(opcodes[..<at] + other[draws.below(other.count)...])
            case 7 where draws.oneIn(8):
                // Deep nesting, or the same value many times.
                let filler: ArraySlice<UInt8> = draws.oneIn(2) ? [0x85] : [0x4e]
                opcodes.insert(contentsOf: repeatElement(filler, count: 1 << draws.below(15)), at: at)
            case 8:
                let end = at + 1 + draws.below(30)
                opcodes.removeSubrange(at..<min(opcodes.count, end))
            default: argument(using: &draws)
            }
        }
    }

    /// Changes the argument of an opcode.
    private mutating func argument(using draws: inout SplitMix64) {
        for _ in 0..<20 {
            let at = draws.below(opcodes.count)
            guard at < opcodes.count, opcodes[at].count > 1 else { continue }
            var opcode = Array(opcodes[at])
            if draws.oneIn(3) {
                opcode[1 + draws.below(opcode.count - 1)] = UInt8(draws.below(256))
            } else {
                // A string's argument is its length.
                let width = min(opcode[0] == 0x58 ? 4 : 8, opcode.count - 1)
                opcode.set(draws.element(ByteMutator.numbers) ?? 0, 1..<(1 + width))
            }
            opcodes[at] = opcode[...]
            return
        }
    }
}
