import Synchronization

/// A lock file that contains the ID of the process holding it.
///
/// The kernel releases the lock when the process ends for any reason, so the file of a crashed process is simply taken
/// over. A file that is not a lock file, or that has several hard links, is left alone.
package final class LockFile: Sendable {
    package enum Failure: Error, Equatable {
        /// Another process holds the lock; its ID, if known.
        case held(by: Int?)
        /// Something that is not a lock file has this name.
        case foreign
        case failed(DiskAccess.Fault)
    }

    package let path: FilePath
    private let descriptor: Mutex<Int32?>

    /// Acquires the lock without waiting.
    ///
    /// - Parameters:
    ///   - mode: the permissions of the file if it is created.
    ///   - isRead: whether other programs need the process ID, so that failing to write it is an error.
    package init(_ path: FilePath, mode: UInt32 = 0o666, isRead: Bool = false) throws(Failure) {
        self.path = path
        var attempts = 0
        while true {
            attempts += 1
            let (descriptor, isNew) = try Self.open(path, mode: mode)
            let isOurs: Bool
            do { isOurs = try DiskAccess.tryLock(descriptor) } catch {
                if isNew { try? DiskAccess.remove(file: path) }
                try? DiskAccess.close(descriptor)
                throw .failed(error)
            }
            guard isOurs else {
                let owner = Self.process(in: DiskAccess.prefix(of: descriptor, count: Self.maxBytes))
                try? DiskAccess.close(descriptor)
                throw .held(by: owner)
            }
            // On some network mounts a file's inode number is never the same twice; give up checking there.
            if Self.isInPlace(path, descriptor) || attempts == 100 {
                do { try Self.writeProcessID(to: descriptor) } catch  where isRead {
                    try? DiskAccess.remove(file: path)
                    try? DiskAccess.close(descriptor)
                    throw .failed(error)
                } catch {}
                self.descriptor = Mutex(descriptor)
                return
            }
            try? DiskAccess.close(descriptor)
        }
    }

    deinit { release() }

    /// Releases the lock and removes the file; repeated calls do nothing.
    package func release() {
        let last = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let last else { return }
        // Removed while still locked: a process that has already opened it notices and starts over.
        if Self.isInPlace(path, last) { try? DiskAccess.remove(file: path) }
        try? DiskAccess.close(last)
    }

    /// Creates the file, or opens an existing lock file.
    private static func open(_ path: FilePath, mode: UInt32) throws(Failure) -> (descriptor: Int32, isNew: Bool) {
        while true {
            do { return (try DiskAccess.create(path, mode: mode), true) } catch {
                guard error == .exists else { throw .failed(error) }
            }
            let descriptor: Int32
            do { descriptor = try DiskAccess.openLock(path) } catch {
                if error == .missing { continue }
                throw error == .link ? .foreign : .failed(error)
            }
            guard isLock(descriptor) else {
                try? DiskAccess.close(descriptor)
                throw .foreign
            }
            return (descriptor, false)
        }
    }

    /// Whether a file contains nothing but a process ID, or nothing yet, and has no other name.
    private static func isLock(_ descriptor: Int32) -> Bool {
        guard let status = try? DiskAccess.status(of: descriptor), status.kind == .file, status.links <= 1 else {
            return false
        }
        let bytes = DiskAccess.prefix(of: descriptor, count: maxBytes + 1)
        return bytes.isEmpty && status.size == 0
            || bytes.count <= maxBytes && process(in: bytes) != nil
    }

    /// The digits of a process ID, and a line feed.
    private static let maxBytes = 20

    /// False if the file was removed between opening and locking it.
    private static func isInPlace(_ path: FilePath, _ descriptor: Int32) -> Bool {
        guard let named = try? DiskAccess.status(of: path, followingLinks: false),
            let locked = try? DiskAccess.status(of: descriptor)
        else { return false }
        return named.identity == locked.identity
    }

    /// Writes our process ID for other processes' messages; failing usually makes only those less specific.
    private static func writeProcessID(to descriptor: Int32) throws(DiskAccess.Fault) {
        try DiskAccess.empty(descriptor)
        try DiskAccess.write(Array("\(DiskAccess.processID)\n".utf8), to: descriptor)
    }

    private static func process(in bytes: [UInt8]) -> Int? {
        let digits = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }
}
