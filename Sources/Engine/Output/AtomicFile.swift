import Synchronization

/// Writes files so that a reader, a crash or a full disk never sees half of one.
///
/// The bytes go to a new file `.NAME.PROCESS.RANDOM.tmp` in the target's folder, to the disk, and then under the
/// target's name in one step. A file that was there stays whole until then and hands its owner and mode on; a new one
/// gets 0666 less umask. Through a symbolic link the file it leads to is replaced, the link stays.
public enum AtomicFile {
    /// - Throws: `OutputError`, with the old file untouched and no temporary left.
    public static func write(_ bytes: [UInt8], to path: FilePath) throws(OutputError) {
        let target = try target(of: path)
        do throws(DiskAccess.Fault) {
            let (temporary, descriptor) = try createTemporary(for: target)
            do {
                try fill(descriptor, with: bytes, like: target.existing)
                try DiskAccess.rename(temporary, to: target.path)
                leftovers.withLock { _ = $0.remove(temporary) }
            } catch {
                discard(temporary)
                throw error
            }
            try DiskAccess.synchronize(folder: target.path.folder)
        } catch {
            throw error.outputError(at: path)
        }
    }

    /// Removes the file if it is there; failing changes nothing.
    public static func remove(_ path: FilePath) {
        try? DiskAccess.remove(file: path)
    }

    /// Removes the temporaries of runs that were killed while writing one of these files.
    ///
    /// A temporary is stale when the process in its name is gone and nobody holds its lock (a process in another
    /// container is not to be seen, its lock is).
    public static func removeStaleTemporaries(for paths: [FilePath]) {
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

    /// Removes this process's temporaries and lock files, for ways out of the program that run nothing else.
    public static func removeLeftovers() {
        for path in leftovers.withLock({ $0 }) { remove(path) }
    }

    /// What this process has created and must not leave behind.
    static let leftovers = Mutex<Set<FilePath>>([])

    /// Where a path leads: itself, or the file behind a link.
    struct Target {
        let path: FilePath
        /// The file that is there now.
        let existing: DiskAccess.Status?
    }

    /// - Throws: `OutputError` where a file by this name can never be written.
    static func target(of path: FilePath) throws(OutputError) -> Target {
        var (place, existing) = (path, try status(of: path, followingLinks: false))
        if existing?.kind == .link {
            existing = try status(of: path, followingLinks: true)
            guard existing != nil else { throw .danglingLink(path) }
            do { place = try DiskAccess.resolved(path) } catch { throw error.outputError(at: path) }
        }
        switch existing?.kind {
        case .file?, nil: break
        case .folder?: throw .outputIsFolder(path)
        case .special?, .link?: throw .outputIsSpecial(path)
        }
        if let existing, DiskAccess.userID != 0, existing.owner != DiskAccess.userID { throw .ownerWouldChange(path) }
        return Target(path: place, existing: existing)
    }

    /// Creates and removes a temporary: the only sure way to learn whether files can be written in a folder.
    static func probe(folder: FilePath) throws(OutputError) {
        let path = folder.appending("whisper-local")
        do {
            let (temporary, descriptor) = try createTemporary(for: Target(path: path, existing: nil))
            try? DiskAccess.close(descriptor)
            discard(temporary)
        } catch {
            // A folder that is there and still takes no file, such as those of the kernel.
            throw error == .missing ? .folderNotWritable(folder) : error.outputError(at: path)
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

    /// The lock on the temporary tells others that it is in use.
    private static func createTemporary(for target: Target) throws(DiskAccess.Fault) -> (FilePath, Int32) {
        var attempts = 100
        while true {
            let name = TemporaryName.make(for: shortened(target.path.name))
            let temporary = target.path.folder.appending(name)
            leftovers.withLock { _ = $0.insert(temporary) }
            do {
                // Closed to others until it has the mode of the file that it replaces.
                let descriptor = try DiskAccess.create(temporary, mode: target.existing == nil ? 0o666 : 0o600)
                _ = try? DiskAccess.tryLock(descriptor)
                return (temporary, descriptor)
            } catch {
                leftovers.withLock { _ = $0.remove(temporary) }
                attempts -= 1
                if error != .exists || attempts == 0 { throw error }
            }
        }
    }

    private static func fill(
        _ descriptor: Int32, with bytes: [UInt8], like existing: DiskAccess.Status?
    ) throws(DiskAccess.Fault) {
        do {
            try DiskAccess.write(bytes, to: descriptor)
            // After the bytes: writing takes the set-user bit away.
            if let existing {
                let own = try DiskAccess.status(of: descriptor)
                if own.owner != existing.owner {
                    try DiskAccess.setOwner(of: descriptor, to: existing.owner, group: existing.group)
                } else if own.group != existing.group {
                    // A group that this user has left cannot be given; the file matters more.
                    try? DiskAccess.setOwner(of: descriptor, to: existing.owner, group: existing.group)
                }
                try DiskAccess.setPermissions(of: descriptor, to: existing.permissions)
            }
            try DiskAccess.synchronize(descriptor)
        } catch {
            try? DiskAccess.close(descriptor)
            throw error
        }
        try DiskAccess.close(descriptor)
    }

    private static func discard(_ temporary: FilePath) {
        remove(temporary)
        leftovers.withLock { _ = $0.remove(temporary) }
    }

    private static func removeIfUnlocked(_ path: FilePath) {
        guard let descriptor = try? DiskAccess.openExisting(path) else { return }
        defer { try? DiskAccess.close(descriptor) }
        if let isFree = try? DiskAccess.tryLock(descriptor), isFree { remove(path) }
    }

    /// A name cut so that the temporary's name fits into 255 bytes.
    private static func shortened(_ name: FilePath) -> FilePath {
        FilePath(bytes: name.bytes.prefix(200))
    }
}
