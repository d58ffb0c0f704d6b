import Glibc
import Synchronization

/// A file or pipe opened for reading; the one place of this folder where recordings meet system calls.
///
/// Invariants: the descriptor is this object's own and stays open for its life; no pointer outlives the call it is
/// made for. Regular files are read by position, so that several readers share one object. A pipe is read in order;
/// its first bytes are kept, so that its header can be looked at before it is read.
final class OpenFile: Sendable {
    let name: FilePath
    /// Bytes of a regular file when it was opened, counted from `base`; `nil` for a pipe.
    let size: Int?
    let identity: FileIdentity?

    private let descriptor: Int32
    /// Where the sound begins: standard input may have been read from already.
    private let base: Int
    private let pipe = Mutex(PipeState())

    private struct PipeState {
        var head: [UInt8] = []
        /// Bytes taken from the pipe, those of `head` included.
        var taken = 0
        var isAtEnd = false
    }

    /// Opens a file by its name.
    ///
    /// Waits for the writer of a named pipe; that can be cancelled.
    convenience init(_ path: FilePath, onWaiting: (@Sendable () -> Void)? = nil) throws(AudioFormatError) {
        let name = path.cString
        var facts = stat()
        // Opening a device can set it in motion, so what it is comes first.
        guard unsafe stat(name, &facts) == 0 else { throw PathDiagnosis.failure(path, code: errno) }
        if let refusal = Self.refusal(path, facts.st_mode, allowsDevices: false) { throw refusal }
        let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw PathDiagnosis.failure(path, code: errno) }
        try self.init(owning: descriptor, name: path, allowsDevices: false, onWaiting: onWaiting)
    }

    /// Reads from a descriptor that is open already, such as standard input; it stays the caller's.
    ///
    /// - Parameter waits: for the writer of a pipe.
    convenience init(
        descriptor: Int32, name: FilePath, onWaiting: (@Sendable () -> Void)? = nil, waits: Bool = true
    ) throws(AudioFormatError) {
        // The copy is never 0, 1 or 2, should one of these be closed.
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard own >= 0 else {
            throw errno == EBADF ? .inputClosed(name) : .tooManyOpenFiles(name)
        }
        if isatty(own) == 1 {
            close(own)
            throw .inputIsTerminal(name)
        }
        try self.init(owning: own, name: name, allowsDevices: true, onWaiting: onWaiting, waits: waits)
    }

    private init(
        owning descriptor: Int32, name: FilePath, allowsDevices: Bool, onWaiting: (@Sendable () -> Void)?,
        waits: Bool = true
    ) throws(AudioFormatError) {
        var facts = stat()
        let isKnown = unsafe fstat(descriptor, &facts) == 0
        if let refusal = isKnown ? Self.refusal(name, facts.st_mode, allowsDevices: allowsDevices) : .inputClosed(name)
        {
            close(descriptor)
            throw refusal
        }
        let isRegular = facts.st_mode & S_IFMT == S_IFREG
        let start = isRegular && allowsDevices ? max(0, lseek(descriptor, 0, SEEK_CUR)) : 0
        self.name = name
        self.descriptor = descriptor
        base = start
        size = isRegular ? max(0, facts.st_size - start) : nil
        identity =
            isRegular ? FileIdentity(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino)) : nil
        if !isRegular, waits { try waitForData(onWaiting: onWaiting) }
    }

    deinit { close(descriptor) }

    var isPipe: Bool { size == nil }

    /// Whether reading on would wait for the writer of a pipe.
    var isStalled: Bool { !isReady(within: 0) }

    /// Waits for something to read, or for the end.
    ///
    /// - Returns: whether reading would not wait now.
    func isReady(within milliseconds: Int32) -> Bool {
        guard isPipe, !pipe.withLock(\.isAtEnd) else { return true }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, milliseconds)
        return ready > 0 || ready < 0 && errno != EINTR
    }

    /// Up to `count` bytes from `position`, fewer only at the end (of a pipe: also beyond its kept first bytes).
    func bytes(at position: Int, count: Int) throws(AudioFormatError) -> [UInt8] {
        guard position >= 0, count > 0 else { return [] }
        guard let size else { return try headBytes(at: position, count: count) }
        guard position < size else { return [] }
        return try regularBytes(at: position, count: min(count, size - position))
    }

    /// Up to `count` bytes of a pipe from `position`, which must not be behind what was read already; one or more
    /// bytes except at the end.
    func nextBytes(at position: Int, count: Int) throws(AudioFormatError) -> [UInt8] {
        try pipe.withLock { (state) throws(AudioFormatError) -> [UInt8] in
            if position < state.head.count {
                return Array(state.head[position..<min(state.head.count, position + count)])
            }
            while state.taken < position, !state.isAtEnd {
                _ = try take(min(1 << 16, position - state.taken), &state)
            }
            guard state.taken <= position else { throw .readOnce(name) }
            return state.isAtEnd ? [] : try take(count, &state)
        }
    }

    // MARK: -

    private func headBytes(at position: Int, count: Int) throws(AudioFormatError) -> [UInt8] {
        let (wanted, overflows) = position.addingReportingOverflow(count)
        let end = overflows ? AudioLimits.streamHeadBytes : min(wanted, AudioLimits.streamHeadBytes)
        return try pipe.withLock { (state) throws(AudioFormatError) -> [UInt8] in
            while state.head.count < end, state.taken == state.head.count, !state.isAtEnd {
                state.head += try take(end - state.head.count, &state)
            }
            guard position < state.head.count else { return [] }
            return Array(state.head[position..<min(state.head.count, end)])
        }
    }

    private func regularBytes(at position: Int, count: Int) throws(AudioFormatError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), count - filled, base + position + filled)
            }
            if got < 0, errno == EINTR { continue }
            // No bytes where there were some when it was opened: the file has shrunk.
            guard got > 0 else { throw .readFailed(name, at: position + filled, of: size) }
            filled += got
        }
        return bytes
    }

    private func take(_ count: Int, _ state: inout PipeState) throws(AudioFormatError) -> [UInt8] {
        while true {
            try waitForData(onWaiting: nil)
            var failure: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let got = unsafe read(descriptor, buffer.baseAddress, count)
                failure = got < 0 ? errno : 0
                filled = max(0, got)
            }
            if failure == EINTR || failure == EAGAIN { continue }
            guard failure == 0 else { throw .readFailed(name, at: state.taken, of: nil) }
            state.taken += bytes.count
            state.isAtEnd = bytes.isEmpty
            return bytes
        }
    }

    /// Returns when there is something to read, or the writer has gone; looks for cancellation ten times a second.
    private func waitForData(onWaiting: (@Sendable () -> Void)?) throws(AudioFormatError) {
        var rounds = 0
        while true {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&request, 1, 100)
            if ready > 0 { return }
            if ready < 0, errno != EINTR { throw .readFailed(name, at: 0, of: nil) }
            if Task.isCancelled { throw .cancelled(name) }
            rounds += 1
            if rounds == 20 { onWaiting?() }
        }
    }

    private static func refusal(_ path: FilePath, _ mode: mode_t, allowsDevices: Bool) -> AudioFormatError? {
        switch mode & S_IFMT {
        case S_IFREG, S_IFIFO: nil
        case S_IFDIR: .isFolder(path)
        case S_IFCHR: allowsDevices ? nil : .notRegularFile(path, kind: .characterDevice)
        case S_IFSOCK: allowsDevices ? nil : .notRegularFile(path, kind: .socket)
        case S_IFBLK: .notRegularFile(path, kind: .blockDevice)
        default: .notRegularFile(path, kind: .other)
        }
    }
}
