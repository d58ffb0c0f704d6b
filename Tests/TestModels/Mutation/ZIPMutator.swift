import EngineBasics

/// Mutates PyTorch files: the pickle, the entries of the archive, its directory, and any bytes.
struct ZIPMutator {
    /// - Parameter other: a file to splice in.
    static func mutate(_ bytes: inout [UInt8], other: [UInt8], using draws: inout SplitMix64) {
        if !draws.oneIn(6), var zip = ZIPContents(parsing: bytes) {
            if !draws.oneIn(3), let at = zip.entries.firstIndex(where: { $0.name.isPickle }) {
                var pickle = PickleMutator(zip.entries[at].data)
                pickle.mutate(
                    other: {
                        PickleMutator(
                            ZIPContents(parsing: other)?.entries.first { $0.name.isPickle }?.data ?? [])
                    }, using: &draws)
                zip.entries[at].data = pickle.bytes
            } else {
                for _ in 0...draws.below(2) { mutate(&zip, using: &draws) }
            }
            bytes = zip.bytes
            if !draws.oneIn(4) { return }
        }
        // The directory and the end records are at the end, the first local header at the beginning.
        let directory = max(0, bytes.count - 6000)
        for _ in 0..<draws.below(4) {
            let at = draws.oneIn(4) ? draws.below(200) : directory + draws.below(bytes.count - directory)
            let width = [1, 2, 4, 8][draws.below(4)]
            guard at + width <= bytes.count else { continue }
            if draws.oneIn(3) {
                bytes[at] ^= 1 << UInt8(draws.below(8))
            } else {
                bytes.set(draws.element(ByteMutator.numbers) ?? 0, at..<(at + width))
            }
        }
        if draws.oneIn(4) {
            let layout = FileLayout(bytes)
            ByteMutator.resize(&bytes, layout, other: (other, layout), using: &draws)
        }
    }

    private static func mutate(_ zip: inout ZIPContents, using draws: inout SplitMix64) {
        let at = draws.below(zip.entries.count), number = draws.element(ByteMutator.numbers) ?? 0
        guard at < zip.entries.count else { return }
        switch draws.below(17) {
        case 0: zip.entries[at].method = [0, 8, 12, 99][draws.below(4)]
        case 1: zip.entries[at].flags = number & 0xffff
        case 2: zip.entries[at].disk = number & 0xffff
        case 3: zip.entries[at].size = number & .max
        case 4: zip.entries[at].packedSize = number & .max
        case 5: (zip.entries[at].size, zip.entries[at].packedSize) = (number & .max, number & .max)
        case 6: zip.entries[at].offset = number & .max
        case 7: zip.entries[at].isZIP64.toggle()
        case 8: zip.entries[at].localName = zip.entries[draws.below(zip.entries.count)].name
        case 9: zip.entries[at].name = zip.entries[draws.below(zip.entries.count)].name
        case 10:
            zip.entries[at].name = Array(["", "..", "/a", "m/../x", "m\u{1b}[2J", "m/data.pkl"][draws.below(6)].utf8)
        case 11: zip.entries.remove(at: at)
        case 12: zip.entries.append(zip.entries[at])
        case 13: zip.end[draws.below(6)] = number
        case 14: zip.end64[draws.below(6)] = number
        case 15: zip.isZIP64.toggle()
        default: zip.entries[at].data.removeLast(draws.below(zip.entries[at].data.count + 1))
        }
    }
}

extension [UInt8] {
    fileprivate var isPickle: Bool { self.suffix(8).elementsEqual("data.pkl".utf8) }
}

extension ZIPContents {
    /// Reads an archive of stored entries as far as its directory is valid; `nil` if it has no end record.
    init?(parsing bytes: [UInt8]) {
        func number(_ at: Int, _ size: Int) -> Int {
            guard at >= 0, at + size <= bytes.count else { return 0 }
            return bytes[at..<(at + size)].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let end = bytes.count - 22
        guard end >= 0, number(end, 4) == 0x0605_4b50 else { return nil }
        self.init(entries: [])
        isZIP64 = number(end - 20, 4) == 0x0706_4b50
        var at = number(end + 16, 4)
        while number(at, 4) == 0x0201_4b50 {
            let nameBytes = number(at + 28, 2), local = number(at + 42, 4), size = number(at + 24, 4)
            let start = local + 30 + number(local + 26, 2) + number(local + 28, 2)
            guard at + 46 + nameBytes <= bytes.count, start + size <= bytes.count else { break }
            var entry = Entry("", Array(bytes[start..<(start + size)]))
            entry.name = Array(bytes[(at + 46)..<(at + 46 + nameBytes)])
            entries.append(entry)
            at += 46 + nameBytes + number(at + 30, 2) + number(at + 32, 2)
        }
    }
}
