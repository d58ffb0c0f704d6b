import Glibc

/// A temporary file without a name: nobody else can open it, and it is gone when the process is.
///
/// Invariants: the descriptor is this object's own and open for its life; no pointer outlives the call it is made for.
final class ScratchFile: Sendable {
    private let descriptor: Int32
    private let folder: FilePath

    /// `$TMPDIR` where it is set and absolute, then `/tmp` and `/var/tmp`.
    static var defaultFolders: [FilePath] {
        let own = unsafe getenv("TMPDIR").map { unsafe FilePath(String(cString: $0)) }
        return [own, FilePath("/tmp"), FilePath("/var/tmp")].compactMap(\.self)
            .filter { $0.bytes.first == UInt8(ascii: "/") }
    }

    /// `nil` where no folder takes a file.
    init?(in folders: [FilePath]) {
        for folder in folders {
            if let descriptor = Self.unnamed(in: folder) ?? Self.unlinked(in: folder) {
                self.descriptor = descriptor
                self.folder = folder
                return
            }
        }
        return nil
    }

    deinit { close(descriptor) }

    /// Zeros behind the end take no room on the disk.
    func write(_ bytes: [UInt8], at position: Int) throws(SampleStoreError) {
        try write(numbers: bytes, at: position)
    }

    /// The same for 16-bit numbers as they lie in memory.
    func write(_ words: [Int16], at position: Int) throws(SampleStoreError) {
        try write(numbers: words, at: position)
    }

    private func write(numbers bytes: [some FixedWidthInteger], at position: Int) throws(SampleStoreError) {
        let isZero = bytes.allSatisfy { $0 == 0 }
        let count = unsafe bytes.withUnsafeBytes { $0.count }
        if isZero, ftruncate(descriptor, position + count) == 0 { return }
        var written = 0
        while written < count {
            let got = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor, buffer.baseAddress?.advanced(by: written), count - written, position + written)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else {
                throw [ENOSPC, EDQUOT, EFBIG].contains(errno) || got == 0
                    ? .diskFull(folder) : .writeFailed(folder)
            }
            written += got
        }
    }

    func read(at position: Int, count: Int) throws(SampleStoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, position + filled)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { throw .readFailed(folder) }
            filled += got
        }
        return bytes
    }

    /// `O_TMPFILE`, which the headers hide behind a macro of several parts.
    private static func unnamed(in folder: FilePath) -> Int32? {
        let withoutName: Int32 = 0o20000000 | O_DIRECTORY
        let descriptor = unsafe open(
            PathDiagnosis.terminated(folder), withoutName | O_RDWR | O_CLOEXEC, mode_t(S_IRUSR | S_IWUSR))
        return descriptor >= 0 ? descriptor : nil
    }

    /// For file systems that know no files without a name.
    private static func unlinked(in folder: FilePath) -> Int32? {
        var name = PathDiagnosis.terminated(folder.appending("whisper-local-XXXXXX"))
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { return nil }
        unsafe unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}
