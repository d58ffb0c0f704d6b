package import EngineBasics
import Glibc

/// An unnamed temporary file, on disk or in memory: no other process can open it, and it disappears with this one.
///
/// Invariants: this object owns the descriptor, which stays open for its lifetime and whose own position is never moved;
/// no pointer outlives the call it is made for.
package final class ScratchFile: Sendable {
    private let descriptor: Int32
    private let folder: FilePath

    /// `$TMPDIR`, then `/tmp` and `/var/tmp`, then the folder of caches, which is usually on another disk.
    package static var defaultFolders: [FilePath] {
        let cache = folder(in: "XDG_CACHE_HOME") ?? folder(in: "HOME")?.appending(".cache")
        return [folder(in: "TMPDIR"), FilePath("/tmp"), FilePath("/var/tmp"), cache].compactMap(\.self)
    }

    /// `$XDG_RUNTIME_DIR`, which only this user can read and which is usually in memory, then the default folders.
    package static var privateFolders: [FilePath] {
        [folder(in: "XDG_RUNTIME_DIR")].compactMap(\.self) + defaultFolders
    }

    /// The value of an environment variable if it is an absolute path.
    private static func folder(in variable: String) -> FilePath? {
        let value = unsafe getenv(variable).map { unsafe FilePath(String(cString: $0)) }
        return value?.bytes.first == UInt8(ascii: "/") ? value : nil
    }

    /// Creates a file in the first folder that has room for this many bytes, or else in the one with the most room;
    /// `nil` if none allows it.
    package convenience init?(in folders: [FilePath], room: Int) {
        let roomy = folders.filter { Self.room(in: $0) >= room }
        self.init(in: roomy + folders.sorted { Self.room(in: $0) > Self.room(in: $1) })
    }

    private static func room(in folder: FilePath) -> Int { (try? DiskAccess.freeBytes(in: folder)) ?? 0 }

    /// Copies the file into another folder because its own is full.
    ///
    /// - Parameters:
    ///   - count: bytes to copy from its start.
    ///   - room: free bytes that the other folder needs after that.
    /// - Returns: `nil` if no folder has enough room.
    package func moved(to folders: [FilePath], count: Int, room: Int) -> ScratchFile? {
        let roomy = folders.filter { $0 != folder && Self.room(in: $0) >= count + room }
        guard let other = ScratchFile(in: roomy) else { return nil }
        let block = 1 << 20
        for start in stride(from: 0, to: count, by: block) {
            guard let bytes = try? read(at: start, count: min(block, count - start)),
                (try? other.write(bytes, at: start)) != nil
            else { return nil }
        }
        return other
    }

    /// Creates a file in memory; `nil` if the system does not allow it.
    package static func inMemory() -> ScratchFile? { ScratchFile(in: [FilePath("/dev/shm")]) }

    /// Creates a file in the first folder that allows it; `nil` if none does.
    package init?(in folders: [FilePath]) {
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

    /// Writes numbers, little-endian; zeros after the end of the file take no space on disk.
    package func write(_ numbers: [some FixedWidthInteger], at position: Int) throws(SampleStoreError) {
        let (count, isZero) = unsafe numbers.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, bytes.count > 0 else { return (0, true) }
            // Each byte is like the one before it; a loop over a generic type would take longer than all the rest.
            return unsafe (bytes.count, bytes[0] == 0 && memcmp(start, start + 1, bytes.count - 1) == 0)
        }
        if isZero, ftruncate(descriptor, position + count) == 0 { return }
        do {
            try DiskAccess.write(numbers, to: descriptor, at: position)
        } catch {
            throw error.isNoSpace ? .diskFull(folder) : .writeFailed(folder)
        }
    }

    package func read(at position: Int, count: Int) throws(SampleStoreError) -> [UInt8] {
        let bytes = DiskAccess.bytes(of: descriptor, at: position, count: count)
        guard bytes.count == count else { throw .readFailed(folder) }
        return bytes
    }

    /// Opens the file as a recording. Each source reads it from the start, independently of all others.
    ///
    /// - Parameter name: the name in error messages.
    package func openAudio(
        name: FilePath, options: AudioOptions = AudioOptions()
    ) throws(AudioFormatError) -> any AudioSource {
        try AudioFile.open(descriptor: descriptor, name: name, options: options)
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
