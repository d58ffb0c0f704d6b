/// A session's sound as `live --keep-audio` leaves it: a recording whose header may be older than what follows it.
enum SavedAudio {
    /// Whole samples behind the header, whatever that says; `nil` where there is no such file.
    static func sampleCount(of path: FilePath) -> Int? {
        guard let file = try? ReadOnlyFile(path), file.count >= RecorderHeader.size,
            let head = try? file.bytes(0..<RecorderHeader.size), RecorderHeader.isOurs(head)
        else { return nil }
        return (file.count - RecorderHeader.size) / 2
    }

    /// Sets the sizes in the header to what is there, so that nothing behind the last rewriting is passed over.
    static func repair(_ path: FilePath) throws(DiskAccess.Fault) {
        guard let samples = sampleCount(of: path) else { return }
        let descriptor = try DiskAccess.openForWriting(path)
        defer { try? DiskAccess.close(descriptor) }
        try DiskAccess.write(RecorderHeader.bytes(samples: samples), to: descriptor, at: 0)
    }
}
