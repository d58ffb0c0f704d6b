// Invariant: `open()` runs before anything else opens a descriptor, so that none of ours can land on 0, 1 or 2; only
// this file reads, writes and closes those three.
import Glibc
import Synchronization
import WhisperEngine

/// Standard input, output and error. Every write is checked; a reader that went away is no error.
package final class StandardStreams: Sendable {
    /// What stands behind `-`.
    package let input: StandardInput
    package let outputIsTerminal: Bool
    package let errorIsTerminal: Bool
    /// It was closed when the program started; writing to it fails.
    package let outputIsClosed: Bool
    private let readerLeft = Mutex(false)

    /// Fills the places of closed descriptors with `/dev/null`.
    package static func open() -> StandardStreams {
        let closed = (0...2).map { (descriptor: Int32) -> Bool in
            guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { return false }
            _ = unsafe Glibc.open("/dev/null", O_RDWR)
            return true
        }
        return StandardStreams(inputWasClosed: closed[0], outputWasClosed: closed[1])
    }

    /// Swift's own runtime opens a few and gives up where it cannot.
    package static var hasFreeDescriptors: Bool {
        var probes: [Int32] = []
        defer { for probe in probes { close(probe) } }
        for _ in 0..<4 {
            let probe = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard probe >= 0 else { return errno != EMFILE && errno != ENFILE }
            probes.append(probe)
        }
        return true
    }

    private init(inputWasClosed: Bool, outputWasClosed: Bool) {
        outputIsClosed = outputWasClosed
        outputIsTerminal = isatty(1) == 1
        errorIsTerminal = isatty(2) == 1
        input =
            if inputWasClosed {
                .closed
            } else if isatty(0) == 1 {
                .terminal
            } else {
                .readable
            }
    }

    /// The reader of standard output went away: there is nobody left to write for.
    package var isReaderGone: Bool { readerLeft.withLock { $0 } }

    /// - Throws: where it cannot be written for another reason than a reader that went away.
    package func writeOutput(_ text: String) throws(StreamError) {
        guard !outputIsClosed else { throw .closed }
        guard !isReaderGone else { return }
        switch Self.write(text, to: 1) {
        case 0: return
        case EPIPE: readerLeft.withLock { $0 = true }
        case ENOSPC, EDQUOT, EFBIG: throw .full
        default: throw .failed
        }
    }

    /// What cannot be said cannot be helped: errors are passed over.
    package func writeError(_ text: String) {
        _ = Self.write(text, to: 2)
    }

    /// A line of standard input without its line feed, 4096 bytes at most; `nil` at its end.
    package func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < 4096 {
            let count = unsafe read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return line.isEmpty ? nil : String(decoding: line, as: UTF8.self) }
            if byte == UInt8(ascii: "\n") { break }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Closes standard output, so that what the system had put off is reported.
    package func finish() throws(StreamError) {
        guard !outputIsClosed, !isReaderGone else { return }
        guard close(1) != 0 else { return }
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: throw .full
        case EIO: throw .failed
        default: return
        }
    }

    /// - Returns: 0 or the error's number.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.write(descriptor, raw.baseAddress.map { unsafe $0 + start }, raw.count - start)
            }
            if count > 0 {
                start += count
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = unsafe poll(&wanted, 1, 1000)
            default: return errno == 0 ? EIO : errno
            }
        }
        return 0
    }
}
