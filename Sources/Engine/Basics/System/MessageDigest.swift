/// The digest of a stream of bytes, computed as the bytes arrive: `SHA1` or `SHA256` (FIPS 180-4).
///
/// It identifies downloads whose digest has been published; it protects no secrets.
package struct MessageDigest<Function: CompressionFunction>: Sendable {
    private var function = Function()
    /// The bytes after the last whole block.
    private var pending: [UInt8] = []
    private var count: UInt64 = 0

    package init() {}

    package mutating func update(_ bytes: [UInt8]) {
        count += UInt64(bytes.count)
        var start = 0
        if !pending.isEmpty {
            start = min(Self.blockBytes - pending.count, bytes.count)
            pending += bytes[..<start]
            guard pending.count == Self.blockBytes else { return }
            let block = pending
            pending = []
            function.absorb(block.span)
        }
        let span = bytes.span
        while bytes.count - start >= Self.blockBytes {
            function.absorb(span.extracting(start..<start + Self.blockBytes))
            start += Self.blockBytes
        }
        pending += bytes[start...]
    }

    /// The digest of all bytes so far in lower-case hexadecimal.
    package var hexadecimal: String {
        var rest = self
        let bits = count &* 8
        let zeros = (2 * Self.blockBytes - 9 - pending.count) % Self.blockBytes
        rest.update([0x80] + Array(repeating: 0, count: zeros) + bits.bigEndianBytes)
        return rest.function.words.flatMap(\.bigEndianBytes).map { Digits.hexadecimal($0) }.joined()
    }

    /// The digest of bytes in memory.
    package static func hexadecimal(of bytes: [UInt8]) -> String {
        var digest = Self()
        digest.update(bytes)
        return digest.hexadecimal
    }

    /// The digest of a whole file.
    ///
    /// - Parameters:
    ///   - prefix: bytes that precede those of the file.
    ///   - progress: called after each chunk with the number of bytes read; returns false to stop.
    /// - Returns: `nil` if `progress` stopped it.
    package static func hexadecimal(
        of file: ReadOnlyFile, after prefix: [UInt8] = [], progress: (Int) -> Bool = { _ in true }
    ) throws(FileError) -> String? {
        var digest = Self()
        digest.update(prefix)
        var start = 0
        while start < file.count {
            let end = min(file.count, start + chunkBytes)
            digest.update(try file.bytes(start..<end))
            start = end
            guard progress(start) else { return nil }
        }
        return digest.hexadecimal
    }

    private static var blockBytes: Int { 64 }
    private static var chunkBytes: Int { 1 << 20 }
}

/// The part in which digests with blocks of 64 bytes and big-endian words differ.
package protocol CompressionFunction: Sendable {
    init()
    /// The digest of the blocks so far.
    var words: [UInt32] { get }
    /// - Parameter block: 64 bytes.
    mutating func absorb(_ block: Span<UInt8>)
}

extension CompressionFunction {
    /// A block as 16 big-endian words.
    static func words(of block: Span<UInt8>) -> InlineArray<16, UInt32> {
        InlineArray { index in
            let start = 4 * index
            return UInt32(block[start]) << 24 | UInt32(block[start + 1]) << 16 | UInt32(block[start + 2]) << 8
                | UInt32(block[start + 3])
        }
    }
}

extension UInt32 {
    func rotatedLeft(_ bits: UInt32) -> UInt32 { self << bits | self >> (32 - bits) }
    func rotatedRight(_ bits: UInt32) -> UInt32 { self >> bits | self << (32 - bits) }
}

extension FixedWidthInteger {
    fileprivate var bigEndianBytes: [UInt8] {
        (1...Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (Self.bitWidth - 8 * $0)) }
    }
}
