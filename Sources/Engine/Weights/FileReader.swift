package import EngineBasics

/// Reads a file from front to back, buffered so that small numbers and names need no system call each.
package struct FileReader {
    package let file: ReadOnlyFile
    /// The position of the next byte; may be moved, also beyond the end.
    package var offset: Int
    private var buffer: [UInt8] = []
    private var bufferStart = 0

    private static let bufferBytes = 1 << 14

    package init(file: ReadOnlyFile, offset: Int = 0) {
        self.file = file
        self.offset = offset
    }

    /// Reads `count` bytes and advances; `nil` if the file has fewer.
    package mutating func read(_ count: Int) throws(ModelError) -> ArraySlice<UInt8>? {
        guard count <= file.count - offset else { return nil }
        if offset < bufferStart || offset + count > bufferStart + buffer.count {
            do throws(FileError) {
                buffer = try file.bytes(offset..<min(file.count, offset + max(count, Self.bufferBytes)))
            } catch { throw ModelError(error, path: file.path) }
            bufferStart = offset
        }
        defer { offset += count }
        return buffer[(offset - bufferStart)..<(offset - bufferStart + count)]
    }

    /// Reads a little-endian number; `nil` if the file ends before it.
    package mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
        _: Number.Type = Number.self
    ) throws(ModelError) -> Number? {
        guard let bytes = try read(Number.bitWidth / 8) else { return nil }
        return bytes.reversed().reduce(0) { $0 &<< 8 | Number($1) }
    }
}
