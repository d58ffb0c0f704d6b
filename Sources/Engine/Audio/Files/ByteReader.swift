/// Reads an open file sequentially, with seeking where the file supports it.
final class ByteReader {
    let file: OpenFile
    private(set) var position: Int
    /// The first error; FFmpeg passes on only the fact that reading failed.
    private(set) var failure: AudioFormatError?

    init(_ file: OpenFile, from position: Int = 0) {
        self.file = file
        self.position = position
    }

    /// Whether reading would wait for the writer of a pipe.
    var isStalled: Bool { file.isStalled(at: position) }

    /// Reads up to `count` bytes; returns none at the end.
    func read(upTo count: Int) throws(AudioFormatError) -> [UInt8] {
        do {
            let bytes =
                file.isPipe
                ? try file.nextBytes(at: position, count: count) : try file.bytes(at: position, count: count)
            position += bytes.count
            return bytes
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// Seeks.
    ///
    /// - Returns: `false` if the file does not support it: pipes only move forward.
    func move(to newPosition: Int) -> Bool {
        guard newPosition >= 0, !file.isPipe || newPosition >= position else { return false }
        position = newPosition
        return true
    }
}
