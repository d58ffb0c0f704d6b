import EngineBasics
import Synchronization

/// A file whose parts are mapped, read-only once it is complete, and that no program can take away: before another one
/// writes to it or truncates it, the mapped parts become private copies. Without this, words would change, or the process
/// would be killed by SIGBUS.
///
/// Invariant: this object owns the descriptor, which is open for reading only.
final class SharedPages: Sendable {
    let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        var parts: [Part] = []
        /// Whether another program may have changed the file.
        var isLost = false
    }

    private struct Part {
        weak var pages: PageMapping?
        let offset: Int
    }

    /// - Parameter descriptor: of a file opened for reading.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        FileLease.release(descriptor)
        try? DiskAccess.close(descriptor)
    }

    /// From now on, a program that wants to change the file waits for the copies.
    ///
    /// - Throws: EAGAIN if a program has the file open for writing, EINVAL if the file system has no leases.
    func protect() throws(DiskAccess.Fault) {
        try FileLease.take(descriptor) { [weak self] in self?.giveUp() }
    }

    /// Ends `protect`, while nothing is mapped.
    func unprotect() { FileLease.release(descriptor) }

    /// Maps a part of the file through this descriptor, or through a writable one.
    ///
    /// - Returns: `nil` if another program may have changed the file.
    func part(_ range: Range<Int>, writer: Int32?) throws(ComputeError) -> PageMapping? {
        try state.withLock { state throws(ComputeError) in
            guard !state.isLost else { return nil }
            let pages = try PageMapping(
                count: range.count, of: writer ?? descriptor, at: range.lowerBound, isWritable: writer != nil,
                owner: self)
            state.parts.append(Part(pages: pages, offset: range.lowerBound))
            return pages
        }
    }

    /// Maps the parts again through the descriptor for reading: while a writable mapping exists, the file counts as open for
    /// writing.
    ///
    /// - Returns: false if the system refuses that; the parts must then not be used any more.
    func seal() -> Bool {
        state.withLock { state in
            state.parts.allSatisfy { part in part.pages?.remap(descriptor, at: part.offset) ?? true }
        }
    }

    private func giveUp() {
        state.withLock { state in
            state.isLost = true
            for part in state.parts { _ = part.pages?.makePrivate() }
            state.parts = []
        }
        FileLease.release(descriptor)
    }
}
