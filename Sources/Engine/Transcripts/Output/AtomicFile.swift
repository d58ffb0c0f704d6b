package import EngineBasics
import Synchronization

/// Writes files atomically: a reader, a crash or a full disk never leaves a partial file.
///
/// The bytes are written to a temporary file `.NAME.PROCESS.RANDOM.tmp` in the same folder, flushed to disk and renamed.
/// An existing file stays intact until then and passes on its owner and mode; a new file gets mode 0666 minus the umask.
/// If the path is a symbolic link, its target is replaced and the link is kept.
package enum AtomicFile {
    /// Replaces or creates a file.
    ///
    /// - Parameter isPrivate: whether only its owner may read and write it, whatever the mode of an existing file.
    /// - Throws: `OutputError`; the old file is then unchanged and no temporary file is left.
    package static func write(
        _ bytes: [UInt8], to path: FilePath, isPrivate: Bool = false
    ) throws(OutputError) {
        let draft = try Draft(of: path, isPrivate: isPrivate)
        try draft.append(bytes)
        try draft.commit()
    }

    /// Removes the file if possible.
    package static func remove(_ path: FilePath) {
        try? DiskAccess.remove(file: path)
    }

    /// Removes temporary files left by processes that were killed while writing one of these files.
    ///
    /// A temporary file is stale if the process in its name does not exist and its lock is free. (A process in another
    /// container is invisible, but its lock is not.)
    package static func removeStaleTemporaries(for paths: [FilePath]) {
        var names: [FilePath: Set<FilePath>] = [:]
        for path in paths {
            guard let target = try? target(of: path) else { continue }
            names[target.path.folder, default: []].insert(shortened(target.path.name))
        }
        for (folder, targets) in names {
            for name in (try? DiskAccess.names(in: folder)) ?? [] {
                guard let (target, process) = TemporaryName.parts(of: name), targets.contains(target),
                    !DiskAccess.isRunning(process: process)
                else { continue }
                removeIfUnlocked(folder.appending(name))
            }
        }
    }

    /// Removes the temporary files and lock files of this process, before an exit without cleanup.
    package static func removeLeftovers() {
        for path in leftovers.withLock({ $0 }) { remove(path) }
    }

    /// Files that this process has created and must not leave behind.
    static let leftovers = Mutex<Set<FilePath>>([])

    /// The file to replace.
    package struct Target {
        /// The path after following links.
        let path: FilePath
        /// The status of the existing file.
        package let existing: DiskAccess.Status?
    }

    /// Returns the file to replace.
    ///
    /// - Throws: `OutputError` if this path cannot be written.
    package static func target(of path: FilePath) throws(OutputError) -> Target {
        var (resolved, existing) = (path, try status(of: path, followingLinks: false))
        if let link = existing, link.kind == .link {
            guard isTrusted(link, in: path.folder) else { throw .untrustedLink(path) }
            existing = try status(of: path, followingLinks: true)
            guard existing != nil else { throw .danglingLink(path) }
            do { resolved = try DiskAccess.resolved(path) } catch { throw error.outputError(at: path) }
        }
        switch existing?.kind {
        case .file?, nil: break
        case .folder?: throw .outputIsFolder(path)
        case .pipe?, .special?, .link?: throw .outputIsSpecial(path)
        }
        if let existing, DiskAccess.userID != 0, existing.owner != DiskAccess.userID { throw .ownerWouldChange(path) }
        return Target(path: resolved, existing: existing)
    }

    /// Whether a symbolic link is one of ours, or in a folder where only its owner can make links. The kernel follows links
    /// by the same rule where `fs.protected_symlinks` is set.
    private static func isTrusted(_ link: DiskAccess.Status, in folder: FilePath) -> Bool {
        guard link.owner != DiskAccess.userID, let folder = try? DiskAccess.status(of: folder, followingLinks: true)
        else { return true }
        return folder.permissions & 0o1002 != 0o1002 || link.owner == folder.owner
    }

    /// Creates and removes a temporary file, the only reliable way to find out whether a folder is writable.
    static func probe(folder: FilePath) throws(OutputError) {
        let path = folder.appending("whisper-local")
        do {
            let (temporary, descriptor) = try createTemporary(for: Target(path: path, existing: nil))
            try? DiskAccess.close(descriptor)
            discard(temporary)
        } catch {
            throw error.creationError(at: path)
        }
    }

    // MARK: Steps

    private static func status(of path: FilePath, followingLinks: Bool) throws(OutputError) -> DiskAccess.Status? {
        do {
            return try DiskAccess.status(of: path, followingLinks: followingLinks)
        } catch {
            if error == .missing { return nil }
            throw error.outputError(at: path)
        }
    }

    /// Creates a locked temporary file; the lock shows other processes that it is in use.
    static func createTemporary(
        for target: Target, isPrivate: Bool = false
    ) throws(DiskAccess.Fault) -> (FilePath, Int32) {
        var attempts = 100
        while true {
            let name = TemporaryName.make(for: shortened(target.path.name))
            let temporary = target.path.folder.appending(name)
            leftovers.withLock { _ = $0.insert(temporary) }
            do {
                // Private until it gets the mode of the file it replaces.
                let descriptor = try DiskAccess.create(
                    temporary, mode: target.existing == nil && !isPrivate ? 0o666 : 0o600)
                _ = try? DiskAccess.tryLock(descriptor)
                return (temporary, descriptor)
            } catch {
                leftovers.withLock { _ = $0.remove(temporary) }
                attempts -= 1
                if error != .exists || attempts == 0 { throw error }
            }
        }
    }

    static func discard(_ temporary: FilePath) {
        remove(temporary)
        leftovers.withLock { _ = $0.remove(temporary) }
    }

    private static func removeIfUnlocked(_ path: FilePath) {
        guard let descriptor = try? DiskAccess.openExisting(path) else { return }
        defer { try? DiskAccess.close(descriptor) }
        if let isFree = try? DiskAccess.tryLock(descriptor), isFree { remove(path) }
    }

    /// Truncates a name so that the name of the temporary file fits in 255 bytes.
    private static func shortened(_ name: FilePath) -> FilePath {
        FilePath(bytes: name.bytes.prefix(200))
    }
}

/// Names of temporary files: `.NAME.PROCESS.RANDOM.tmp`.
private enum TemporaryName {
    static func make(for name: FilePath) -> FilePath {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        return FilePath(".").adding(name).adding(".\(DiskAccess.processID).\(random).tmp")
    }

    /// Returns the name and the process in the name of a temporary file, or `nil` for any other name.
    static func parts(of name: FilePath) -> (name: FilePath, process: Int)? {
        let dot = UInt8(ascii: ".")
        var pieces = name.bytes.split(separator: dot, omittingEmptySubsequences: false)
        guard pieces.count >= 5, pieces.removeFirst().isEmpty, pieces.removeLast().elementsEqual("tmp".utf8),
            let random = pieces.popLast(), UInt64(text(random), radix: 16) != nil,
            let digits = pieces.popLast(), let process = Int(text(digits)), process > 0
        else { return nil }
        return (FilePath(bytes: pieces.joined(separator: [dot])), process)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension FilePath {
    func adding(_ suffix: FilePath) -> FilePath { FilePath(bytes: bytes + suffix.bytes) }
}
