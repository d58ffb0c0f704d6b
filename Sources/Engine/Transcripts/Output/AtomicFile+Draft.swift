package import EngineBasics
import Synchronization

extension AtomicFile {
    /// New content that replaces or creates a file when it is complete. Without `commit` nothing changes, and the
    /// temporary file is removed.
    package final class Draft {
        private let path: FilePath
        private let target: Target
        private let temporary: FilePath
        private let descriptor: Int32
        private let isPrivate: Bool
        private var isOpen = true
        private var isPending = true

        /// Creates the temporary file.
        ///
        /// - Parameter isPrivate: whether only its owner may read and write it, whatever the mode of an existing file.
        package init(of path: FilePath, isPrivate: Bool = false) throws(OutputError) {
            self.path = path
            self.isPrivate = isPrivate
            target = try AtomicFile.target(of: path)
            do {
                (temporary, descriptor) = try AtomicFile.createTemporary(for: target, isPrivate: isPrivate)
            } catch { throw error.outputError(at: path) }
        }

        deinit {
            if isOpen { try? DiskAccess.close(descriptor) }
            if isPending { AtomicFile.discard(temporary) }
        }

        package func append(_ bytes: [UInt8]) throws(OutputError) {
            do { try DiskAccess.write(bytes, to: descriptor) } catch { throw error.outputError(at: path) }
        }

        /// Flushes the content to disk and puts it in place.
        package func commit() throws(OutputError) {
            do throws(DiskAccess.Fault) {
                // Only now, because writing clears the set-user-ID bit.
                if let existing = target.existing { try resemble(existing) }
                try DiskAccess.synchronize(descriptor)
                isOpen = false
                try DiskAccess.close(descriptor)
                try DiskAccess.rename(temporary, to: target.path)
                isPending = false
                AtomicFile.leftovers.withLock { _ = $0.remove(temporary) }
                try DiskAccess.synchronize(folder: target.path.folder)
            } catch {
                throw error.outputError(at: path)
            }
        }

        /// Takes over the owner and mode of the existing file.
        private func resemble(_ existing: DiskAccess.Status) throws(DiskAccess.Fault) {
            let own = try DiskAccess.status(of: descriptor)
            if own.owner != existing.owner {
                try DiskAccess.setOwner(of: descriptor, to: existing.owner, group: existing.group)
            } else if own.group != existing.group {
                // The user may have left the group; writing the file is more important.
                try? DiskAccess.setOwner(of: descriptor, to: existing.owner, group: existing.group)
            }
            try DiskAccess.setPermissions(of: descriptor, to: isPrivate ? 0o600 : existing.permissions)
        }
    }
}
