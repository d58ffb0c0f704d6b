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
}
