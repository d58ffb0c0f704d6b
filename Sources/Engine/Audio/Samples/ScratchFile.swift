import Glibc

/// An unnamed temporary file, on disk or in memory: no other process can open it, and it disappears with this one.
///
/// Invariants: this object owns the descriptor, which stays open for its lifetime and whose own position is never moved;
/// no pointer outlives the call it is made for.
package final class ScratchFile: Sendable {
    private let descriptor: Int32
    private let folder: FilePath

    /// `$TMPDIR` if it is set and absolute, then `/tmp` and `/var/tmp`.
    static var defaultFolders: [FilePath] {
        let custom = unsafe getenv("TMPDIR").map { unsafe FilePath(String(cString: $0)) }
        return [custom, FilePath("/tmp"), FilePath("/var/tmp")].compactMap(\.self)
            .filter { $0.bytes.first == UInt8(ascii: "/") }
    }

    /// `$XDG_RUNTIME_DIR`, which only this user can read and which is usually in memory, then the default folders.
    package static var privateFolders: [FilePath] {
        let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe FilePath(String(cString: $0)) }
        return [runtime].compactMap(\.self).filter { $0.bytes.first == UInt8(ascii: "/") } + defaultFolders
    }

    /// Creates a file in the first folder that has room for this many bytes, or else in the first that allows it; `nil`
    /// if none does.
    package convenience init?(in folders: [FilePath], room: Int) {
        let roomy = folders.filter { Self.freeBytes(in: $0) >= room }
        self.init(in: roomy + folders)
    }

    /// Creates a file in memory; `nil` if the system does not allow it.
    package static func inMemory() -> ScratchFile? { ScratchFile(in: [FilePath("/dev/shm")]) }

    /// Creates a file in the first folder that allows it; `nil` if none does.
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

    /// Writes bytes; zeros after the end of the file take no space on disk.
    package func write(_ bytes: [UInt8], at position: Int) throws(SampleStoreError) {
        try write(numbers: bytes, at: position)
    }

    /// Writes 16-bit numbers in the processor's byte order.
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

    package func read(at position: Int, count: Int) throws(SampleStoreError) -> [UInt8] {
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

    /// Opens the file as a recording. Each source reads it from the start, independently of all others.
    ///
    /// - Parameter name: the name in error messages.
    package func openAudio(name: FilePath) throws(AudioFormatError) -> any AudioSource {
        try AudioFile.open(descriptor: descriptor, name: name)
    }

    private static func freeBytes(in folder: FilePath) -> Int {
        var info = statvfs()
        guard unsafe statvfs(folder.cString, &info) == 0 else { return 0 }
        let (bytes, overflows) = UInt64(info.f_bavail).multipliedReportingOverflow(by: UInt64(info.f_frsize))
        return overflows ? .max : Int(clamping: bytes)
    }

    /// `O_TMPFILE`, a macro that Swift does not import.
    private static func unnamed(in folder: FilePath) -> Int32? {
        let temporaryFile: Int32 = 0o20000000 | O_DIRECTORY
        let descriptor = unsafe open(
            folder.cString, temporaryFile | O_RDWR | O_CLOEXEC, mode_t(S_IRUSR | S_IWUSR))
        return descriptor >= 0 ? descriptor : nil
    }

    /// For file systems without `O_TMPFILE`.
    private static func unlinked(in folder: FilePath) -> Int32? {
        var name = folder.appending("whisper-local-XXXXXX").cString
        let descriptor = unsafe mkstemp(&name)
        guard descriptor >= 0 else { return nil }
        unsafe unlink(name)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}
