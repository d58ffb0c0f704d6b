/// A session's sound as `live --save-audio` leaves it: 16-bit mono WAV of 16 kHz whose header may be older than what
/// follows it.
enum SavedAudio {
    static let headerBytes = 44

    /// Whole samples behind the header, whatever that says; `nil` where there is no such file.
    static func sampleCount(of path: FilePath) -> Int? {
        guard let file = try? ReadOnlyFile(path), file.count >= headerBytes,
            let header = try? file.bytes(0..<headerBytes), Array(header[0..<4]) == Array("RIFF".utf8),
            Array(header[36..<40]) == Array("data".utf8)
        else { return nil }
        return (file.count - headerBytes) / 2
    }

    /// Sets the sizes in the header to what is there, so that nothing behind the last rewriting is passed over.
    static func repair(_ path: FilePath) throws(DiskAccess.Fault) {
        guard let samples = sampleCount(of: path) else { return }
        let data = 2 * samples
        let descriptor = try DiskAccess.openForWriting(path)
        defer { try? DiskAccess.close(descriptor) }
        try DiskAccess.write(littleEndian(data + headerBytes - 8), to: descriptor, at: 4)
        try DiskAccess.write(littleEndian(data), to: descriptor, at: 40)
    }

    /// The largest number stands for all that do not fit.
    private static func littleEndian(_ size: Int) -> [UInt8] {
        let value = UInt32(clamping: size)
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
