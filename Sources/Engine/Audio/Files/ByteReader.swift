/// Reads an open file from front to back, with leaps where the file allows them.
final class ByteReader {
    let file: OpenFile
    private(set) var position: Int
    /// The first failure; what stands between may only know that there was one.
    private(set) var failure: AudioFormatError?

    init(_ file: OpenFile, from position: Int = 0) {
        self.file = file
        self.position = position
    }

    /// Up to `count` bytes; none at the end.
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

    /// - Returns: whether it could: pipes go forward only.
    func move(to newPosition: Int) -> Bool {
        guard newPosition >= 0, !file.isPipe || newPosition >= position else { return false }
        position = newPosition
        return true
    }
}
