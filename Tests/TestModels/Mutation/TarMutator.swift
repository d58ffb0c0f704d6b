import EngineBasics

/// Mutates NeMo files: the members of the archive, its headers, and any bytes.
struct TarMutator {
    /// - Parameter other: a file to splice in.
    static func mutate(_ bytes: inout [UInt8], other: [UInt8], using draws: inout SplitMix64) {
        if draws.oneIn(8) {
            let layout = FileLayout(bytes)
            ByteMutator.mutate(&bytes, layout, other: (other, layout), using: &draws)
            return
        }
        var tar = TarContents(parsing: bytes)
        for _ in 0...draws.below(2) {
            let at = draws.below(tar.members.count)
            guard at < tar.members.count else { break }
            if draws.oneIn(3) {
                mutate(&tar, at, using: &draws)
            } else if tar.members[at].data.starts(with: [0x50, 0x4b]) {
                ZIPMutator.mutate(&tar.members[at].data, other: tar.members[at].data, using: &draws)
            } else {
                let data = tar.members[at].data, layout = FileLayout(data)
                ByteMutator.mutate(&tar.members[at].data, layout, other: (data, layout), using: &draws)
            }
        }
        bytes = tar.bytes
    }

    private static func mutate(_ tar: inout TarContents, _ at: Int, using draws: inout SplitMix64) {
        let number = draws.element(ByteMutator.numbers) ?? 0
        switch draws.below(8) {
        case 0: tar.members[at].size = number & .max
        case 1: tar.members[at].type = Unicode.Scalar(UInt8(ascii: "0") + UInt8(draws.below(80)))
        case 2: tar.members[at].checksumError = 1
        case 3: tar.members.remove(at: at)
        case 4: tar.members.append(tar.members[at])
        case 5: tar.members[at].name = tar.members[draws.below(tar.members.count)].name
        case 6: tar.members.insert(.init("x", Array("12 size=\(number)\n".utf8), type: "x"), at: at)
        default: tar.hasEnd = false
        }
    }
}
