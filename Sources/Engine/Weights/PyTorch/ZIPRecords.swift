import EngineBasics

/// Reads little-endian numbers in order.
struct ZIPFields {
    private let bytes: [UInt8]
    private(set) var offset: Int

    init(_ bytes: [UInt8], at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// The next `count` bytes; `nil` if there are fewer.
    mutating func next(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    /// The next number of 2, 4 or 8 bytes; `nil` if there are fewer, or if it does not fit in an `Int`.
    mutating func number(_ size: Int) -> Int? {
        next(size).flatMap { bytes in Int(exactly: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
    }

    /// Numbers of the given sizes; `nil` if the bytes end before the last.
    mutating func numbers(_ sizes: Int...) -> [Int]? {
        var numbers: [Int] = []
        for size in sizes {
            guard let number = number(size) else { return nil }
            numbers.append(number)
        }
        return numbers
    }
}

/// The location of the central directory, from the end records.
struct ZIPDirectory {
    let bytes: Range<Int>
    /// The number of entries.
    let count: Int

    /// The end record and the longest comment.
    private static let searchBytes = 22 + 65_535

    init(_ file: ReadOnlyFile) throws(ModelError) {
        let start = max(0, file.count - Self.searchBytes)
        let tail = try file.checked(start..<file.count)
        guard
            let end = tail.indices.dropLast(21).last(where: { index in
                tail[index] == 0x50 && tail[index...].starts(with: [0x50, 0x4b, 5, 6])
                    && Int(tail[index + 20]) | Int(tail[index + 21]) << 8 == tail.count - index - 22
            })
        else { throw .noArchiveDirectory(path: file.path, bytes: file.count) }
        var fields = ZIPFields(tail, at: end + 4)
        func bad(_ problem: String) -> ModelError { .badArchive(path: file.path, problem: problem) }
        guard let short = fields.numbers(2, 2, 2, 2, 4, 4) else { throw bad("has a damaged end record") }
        var record = Record(
            disk: short[0], directoryDisk: short[1], countOnDisk: short[2], count: short[3], size: short[4],
            offset: short[5])
        var directoryEnd = start + end
        if let locator = Self.locator(tail, before: end) {
            guard locator.disks <= 1,
                let (long, end) = try Self.record(file, at: locator.offset, before: start + end - 20)
            else { throw bad("has a damaged ZIP64 end record") }
            directoryEnd = end
            guard record.agrees(with: long) else { throw bad("has two end records that contradict each other") }
            record = long
        } else if record.count == 0xffff || record.size == 0xffff_ffff || record.offset == 0xffff_ffff {
            throw bad("has no ZIP64 end record")
        }
        guard record.disk == 0, record.directoryDisk == 0, record.countOnDisk == record.count else {
            throw bad("is split over several disks")
        }
        guard record.offset <= directoryEnd, record.size == directoryEnd - record.offset else {
            throw bad("has a directory of \(record.size) bytes at \(record.offset), expected to end at \(directoryEnd)")
        }
        bytes = record.offset..<directoryEnd
        count = record.count
    }

    private struct Record {
        package let disk, directoryDisk, countOnDisk, count, size, offset: Int

        /// Whether the fields of this short record, if not marked as too large, are those of the ZIP64 record.
        func agrees(with long: Record) -> Bool {
            [(count, long.count, 0xffff), (size, long.size, 0xffff_ffff), (offset, long.offset, 0xffff_ffff)]
                .allSatisfy { $0.0 == $0.1 || $0.0 == $0.2 }
        }
    }

    private static func locator(_ tail: [UInt8], before end: Int) -> (offset: Int, disks: Int)? {
        guard end >= 20, tail[(end - 20)...].starts(with: [0x50, 0x4b, 6, 7]) else { return nil }
        var fields = ZIPFields(tail, at: end - 16)
        // An offset that does not fit lies outside every file.
        guard fields.number(4) != nil, let offset = fields.number(8), let disks = fields.number(4) else {
            return (Int.max, 1)
        }
        return (offset, disks)
    }

    /// The ZIP64 end record, which must end where its locator begins.
    private static func record(
        _ file: ReadOnlyFile, at offset: Int, before locator: Int
    ) throws(ModelError) -> (record: Record, offset: Int)? {
        guard offset <= locator - 56 else { return nil }
        var fields = ZIPFields(try file.checked(offset..<(offset + 56)))
        guard fields.next(4)?.elementsEqual([0x50, 0x4b, 6, 6]) == true, let size = fields.number(8),
            size == locator - offset - 12, let long = fields.numbers(2, 2, 4, 4, 8, 8, 8, 8)
        else { return nil }
        let record = Record(
            disk: long[2], directoryDisk: long[3], countOnDisk: long[4], count: long[5], size: long[6], offset: long[7])
        return (record, offset)
    }
}

/// A header of the central directory.
struct ZIPHeader {
    let method: Int
    let isEncrypted: Bool
    let crc32: UInt32
    let packedSize: Int
    let size: Int
    package let disk: Int
    /// The offset of the local header.
    let offset: Int
    let name: ArraySlice<UInt8>

    /// The size of a local header without name and extra field.
    static let localBytes = 30
    /// The size of a header of the central directory without its variable parts.
    static let directoryBytes = 46

    /// Reads the next header; `nil` if it is damaged.
    init?(_ fields: inout ZIPFields) {
        guard fields.next(4)?.elementsEqual([0x50, 0x4b, 1, 2]) == true,
            let numbers = fields.numbers(2, 2, 2, 2, 2, 2, 4, 4, 4, 2, 2, 2, 2, 2, 4, 4),
            let name = fields.next(numbers[9]), let extra = fields.next(numbers[10]), fields.next(numbers[11]) != nil
        else { return nil }
        self.name = name
        isEncrypted = ZIPFlags.isEncrypted(numbers[2])
        method = numbers[3]
        crc32 = UInt32(numbers[6])
        // Numbers that do not fit here are in the ZIP64 extra field, in this order.
        var large = ZIPFields(Array(Self.zip64(extra)))
        func value(_ short: Int, _ marker: Int, _ size: Int) -> Int? { short == marker ? large.number(size) : short }
        guard let size = value(numbers[8], 0xffff_ffff, 8), let packed = value(numbers[7], 0xffff_ffff, 8),
            let offset = value(numbers[15], 0xffff_ffff, 8), let disk = value(numbers[12], 0xffff, 4)
        else { return nil }
        self.size = size
        packedSize = packed
        self.offset = offset
        self.disk = disk
    }

    /// The content of the ZIP64 extra field; empty if there is none.
    private static func zip64(_ extra: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var fields = ZIPFields(Array(extra))
        while let header = fields.numbers(2, 2), let content = fields.next(header[1]) {
            if header[0] == 1 { return content }
        }
        return []
    }
}

/// The local header in front of an entry's content.
struct ZIPLocalHeader {
    let method: Int
    let isEncrypted: Bool
    /// Whether size and checksum follow the content, because the archive was written to a stream.
    let sizeFollows: Bool
    /// `nil` if it is in the ZIP64 extra field.
    let size: Int?
    let nameBytes: Int
    let extraBytes: Int
    /// The part of the name in the bytes given to the initializer.
    let name: ArraySlice<UInt8>

    init?(_ bytes: [UInt8]) {
        var fields = ZIPFields(bytes)
        guard fields.next(4)?.elementsEqual([0x50, 0x4b, 3, 4]) == true,
            let numbers = fields.numbers(2, 2, 2, 2, 2, 4, 4, 4, 2, 2), let name = fields.next(numbers[8])
        else { return nil }
        isEncrypted = ZIPFlags.isEncrypted(numbers[1])
        sizeFollows = numbers[1] & 8 != 0
        method = numbers[2]
        size = numbers[7] == 0xffff_ffff ? nil : numbers[7]
        nameBytes = numbers[8]
        extraBytes = numbers[9]
        self.name = name
    }
}

private enum ZIPFlags {
    /// Traditional encryption, strong encryption, and encryption of the directory.
    static func isEncrypted(_ flags: Int) -> Bool { flags & (1 | 1 << 6 | 1 << 13) != 0 }
}
