import EngineBasics
import Glibc
import Synchronization

/// A file or pipe opened for reading; the only type that makes system calls on recordings.
///
/// Invariants: this object owns the descriptor, which stays open for its lifetime; no pointer outlives the call it is
/// made for. Regular files are read by position, so that several readers can share one object. A pipe is read in order;
/// its first bytes are buffered, so that its header can be inspected before it is read. If requested, all of its bytes
/// are kept in a temporary file, so that several readers can share it, too.
final class OpenFile: Sendable {
    let name: FilePath
    /// Size of a regular file in bytes when it was opened, counted from `base`; `nil` for a pipe.
    let size: Int?

    private let descriptor: Int32
    /// Position of the first byte to read: part of standard input may already have been read.
    private let base: Int
    private let pipe = Mutex(PipeState())

    private struct PipeState {
        var head: [UInt8] = []
        /// Bytes read from the pipe, including those in `head`.
        var readCount = 0
        var isAtEnd = false
        /// Receives all bytes read; `nil` keeps none.
        var copy: ScratchFile?
    }

    /// Opens a file by path.
    ///
    /// Waits for the writer of a named pipe; the wait can be cancelled.
    ///
    /// - Parameter keepsPipe: allows a pipe to be read repeatedly.
    convenience init(
        _ path: FilePath, onWaiting: (@Sendable () -> Void)? = nil, keepsPipe: Bool = false
    ) throws(AudioFormatError) {
        let name = path.cString
        var info = stat()
        // Check the file type first: opening a device can have side effects.
        guard unsafe stat(name, &info) == 0 else { throw PathDiagnosis.failure(path, code: errno) }
        if let refusal = Self.refusal(path, info.st_mode, allowsDevices: false) { throw refusal }
        let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw PathDiagnosis.failure(path, code: errno) }
        try self.init(
            owning: descriptor, name: path, allowsDevices: false, onWaiting: onWaiting, keepsPipe: keepsPipe)
    }

    /// Reads from an open descriptor such as standard input; the caller keeps ownership.
    ///
    /// - Parameters:
    ///   - waits: whether to wait for the writer of a pipe.
    ///   - keepsPipe: allows a pipe to be read repeatedly.
    convenience init(
        descriptor: Int32, name: FilePath, onWaiting: (@Sendable () -> Void)? = nil, waits: Bool = true,
        keepsPipe: Bool = false
    ) throws(AudioFormatError) {
        // The duplicate is never 0, 1 or 2, even if one of these is closed.
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard duplicate >= 0 else {
            throw errno == EBADF ? .inputClosed(name) : .tooManyOpenFiles(name)
        }
        if isatty(duplicate) == 1 {
            close(duplicate)
            throw .inputIsTerminal(name)
        }
        try self.init(
            owning: duplicate, name: name, allowsDevices: true, onWaiting: onWaiting, waits: waits,
            keepsPipe: keepsPipe)
    }

    private init(
        owning descriptor: Int32, name: FilePath, allowsDevices: Bool, onWaiting: (@Sendable () -> Void)?,
        waits: Bool = true, keepsPipe: Bool
    ) throws(AudioFormatError) {
        var info = stat()
        let isOpen = unsafe fstat(descriptor, &info) == 0
        if let refusal = isOpen ? Self.refusal(name, info.st_mode, allowsDevices: allowsDevices) : .inputClosed(name) {
            close(descriptor)
            throw refusal
        }
        let isRegular = info.st_mode & S_IFMT == S_IFREG
        let start = isRegular && allowsDevices ? max(0, lseek(descriptor, 0, SEEK_CUR)) : 0
        self.name = name
        self.descriptor = descriptor
        base = start
        size = isRegular ? max(0, info.st_size - start) : nil
        if !isRegular, keepsPipe {
            guard let copy = ScratchFile(in: ScratchFile.defaultFolders) else { throw .pipeNotStored(name) }
            pipe.withLock { $0.copy = copy }
        }
        if !isRegular, waits { try waitForData(onWaiting: onWaiting) }
    }

    deinit { close(descriptor) }

    var isPipe: Bool { size == nil }

    /// Whether reading at `position` would wait for the writer of a pipe.
    func isStalled(at position: Int) -> Bool {
        isPipe && pipe.withLock { $0.readCount <= position } && !isReady(within: 0)
    }

    /// Waits for data or the end.
    ///
    /// - Returns: whether reading would not block now.
    func isReady(within milliseconds: Int32) -> Bool {
        guard isPipe, !pipe.withLock(\.isAtEnd) else { return true }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, milliseconds)
        return ready > 0 || ready < 0 && errno != EINTR
    }

    /// Returns up to `count` bytes from `position`, fewer only at the end, or after the buffered bytes of a pipe.
    func bytes(at position: Int, count: Int) throws(AudioFormatError) -> [UInt8] {
        guard position >= 0, count > 0 else { return [] }
        guard let size else { return try headBytes(at: position, count: count) }
        guard position < size else { return [] }
        return try regularBytes(at: position, count: min(count, size - position))
    }

    /// Returns up to `count` bytes of a pipe from `position`, which must not precede what was already read unless the
    /// pipe is kept; at least one byte except at the end.
    func nextBytes(at position: Int, count: Int) throws(AudioFormatError) -> [UInt8] {
        try pipe.withLock { (state) throws(AudioFormatError) -> [UInt8] in
            if position < state.head.count {
                return Array(state.head[position..<min(state.head.count, position + count)])
            }
            while state.readCount < position, !state.isAtEnd {
                _ = try readPipe(min(1 << 16, position - state.readCount), &state)
            }
            guard state.readCount <= position else {
                guard let copy = state.copy else { throw .readOnce(name) }
                do {
                    return try copy.read(at: position, count: min(count, state.readCount - position))
                } catch {
                    throw .readFailed(name, at: position, of: nil)
                }
            }
            return state.isAtEnd ? [] : try readPipe(count, &state)
        }
    }

    // MARK: -

    private func headBytes(at position: Int, count: Int) throws(AudioFormatError) -> [UInt8] {
        let (wanted, overflows) = position.addingReportingOverflow(count)
        let end = overflows ? AudioLimits.pipeHeadBytes : min(wanted, AudioLimits.pipeHeadBytes)
        return try pipe.withLock { (state) throws(AudioFormatError) -> [UInt8] in
            while state.head.count < end, state.readCount == state.head.count, !state.isAtEnd {
                state.head += try readPipe(end - state.head.count, &state)
            }
            guard position < state.head.count else { return [] }
            return Array(state.head[position..<min(state.head.count, end)])
        }
    }

    private func regularBytes(at position: Int, count: Int) throws(AudioFormatError) -> [UInt8] {
        let bytes = DiskAccess.bytes(of: descriptor, at: base + position, count: count)
        // The file has shrunk since it was opened.
        guard bytes.count == count else { throw .readFailed(name, at: position + bytes.count, of: size) }
        return bytes
    }

    private func readPipe(_ count: Int, _ state: inout PipeState) throws(AudioFormatError) -> [UInt8] {
        while true {
            try waitForData(onWaiting: nil)
            var failure: Int32 = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                let got = unsafe read(descriptor, buffer.baseAddress, count)
                failure = got < 0 ? errno : 0
                filled = max(0, got)
            }
            if failure == EINTR || failure == EAGAIN { continue }
            guard failure == 0 else { throw .readFailed(name, at: state.readCount, of: nil) }
            do {
                if !bytes.isEmpty { try state.copy?.write(bytes, at: state.readCount) }
            } catch {
                throw .pipeNotStored(name)
            }
            state.readCount += bytes.count
            state.isAtEnd = bytes.isEmpty
            return bytes
        }
    }

    /// Waits until there is data or the writer closes the pipe; checks for cancellation ten times a second.
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
        case S_IFCHR: allowsDevices ? nil : .notRegularFile(path, kind: "a character device")
        case S_IFSOCK: allowsDevices ? nil : .notRegularFile(path, kind: "a socket")
        case S_IFBLK: .notRegularFile(path, kind: "a block device")
        default: .notRegularFile(path, kind: "a special file")
        }
    }
}
