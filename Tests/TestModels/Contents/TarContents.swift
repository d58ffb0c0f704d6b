/// The members of a tar archive, so that tests can damage any part.
package struct TarContents: Sendable {
    package struct Member: Sendable {
        package var name: String
        package var data: [UInt8]
        /// The type of the header: `0` for a file, `L` for the long name of the next one, `x` for its fields of pax.
        package var type: Unicode.Scalar
        /// The size in the header, if another.
        package var size: Int?
        /// Added to the checksum.
        package var checksumError = 0

        package init(_ name: String, _ data: [UInt8], type: Unicode.Scalar = "0") {
            (self.name, self.data, self.type) = (name, data, type)
        }
    }

    package var members: [Member]
    /// Whether the two empty blocks at the end are written.
    package var hasEnd = true

    package init(_ members: [Member]) { self.members = members }

    package subscript(name: String) -> [UInt8] {
        get { members.first { $0.name.hasSuffix(name) }?.data ?? [] }
        set {
            if let index = members.firstIndex(where: { $0.name.hasSuffix(name) }) { members[index].data = newValue }
        }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for member in members {
            bytes += Self.header(member) + member.data
            bytes += [UInt8](repeating: 0, count: (512 - member.data.count % 512) % 512)
        }
        return bytes + [UInt8](repeating: 0, count: hasEnd ? 1024 : 0)
    }

    private static func header(_ member: Member) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func write(_ text: some Sequence<UInt8>, _ at: Int, _ length: Int) {
            for (index, byte) in text.prefix(length).enumerated() { block[at + index] = byte }
        }
        write(member.name.utf8, 0, 100)
        write("0000644\0".utf8, 100, 8)
        let size = member.size ?? member.data.count
        if (0..<(1 << 33)).contains(size) {
            write(octal(size, 11).utf8, 124, 11)
        } else {
            write([0x80, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) }, 124, 12)
        }
        write([UInt8(truncatingIfNeeded: member.type.value)], 156, 1)
        write("ustar\u{0}00".utf8, 257, 8)
        write([UInt8](repeating: 32, count: 8), 148, 8)
        let sum = block.reduce(0) { $0 + Int($1) } + member.checksumError
        write((octal(sum, 6) + "\0 ").utf8, 148, 8)
        return block
    }

    private static func octal(_ number: Int, _ digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// Reads an archive as far as it is valid.
    package init(parsing bytes: [UInt8]) {
        members = []
        var offset = 0
        while offset + 512 <= bytes.count, bytes[offset] != 0 {
            let block = bytes[offset..<(offset + 512)]
            let digits = block[(offset + 124)..<(offset + 135)].prefix { (0x30...0x37).contains($0) }
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 8) ?? 0
            guard offset + 512 + size <= bytes.count else { break }
            members.append(
                Member(
                    String(decoding: block.prefix(100).prefix { $0 != 0 }, as: UTF8.self),
                    Array(bytes[(offset + 512)..<(offset + 512 + size)]),
                    type: Unicode.Scalar(block[offset + 156])))
            offset += 512 + (size + 511) / 512 * 512
        }
    }
}
