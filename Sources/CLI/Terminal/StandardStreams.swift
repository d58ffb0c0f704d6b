// Invariant: `open()` runs before anything else opens a descriptor, so that no other file can get descriptor 0, 1 or 2;
// only this file reads, writes and closes those three.
import Glibc
import Synchronization
import WhisperEngine

/// Standard input, output and error. Every write is checked; a broken pipe is not an error.
package final class StandardStreams: Sendable {
    package let input: StandardInput
    package let outputIsTerminal: Bool
    package let errorIsTerminal: Bool
    /// Standard output was closed when the program started, so that writing fails.
    package let outputIsClosed: Bool
    private let readerGone = Mutex(false)

    /// Opens `/dev/null` for descriptors that are closed.
    package static func open() -> StandardStreams {
        let closed = (0...2).map { (descriptor: Int32) -> Bool in
            guard fcntl(descriptor, F_GETFD) == -1, errno == EBADF else { return false }
            _ = unsafe Glibc.open("/dev/null", O_RDWR)
            return true
        }
        return StandardStreams(inputWasClosed: closed[0], outputWasClosed: closed[1])
    }

    /// Whether this process can open `count` more files: the Swift runtime opens some itself and aborts if it cannot.
    package static func hasFreeDescriptors(_ count: Int) -> Bool {
        var probes: [Int32] = []
        defer { for probe in probes { close(probe) } }
        for _ in 0..<count {
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

    /// Whether the reader of standard output has closed the pipe, so that further output is pointless.
    package var isReaderGone: Bool { readerGone.withLock { $0 } }

    /// Writes the text unchanged if standard output is not a terminal.
    ///
    /// - Throws: if writing fails for any reason but a broken pipe.
    package func writeOutput(_ text: TerminalText) throws(StreamError) {
        try writeOutput(Array((outputIsTerminal ? text.safe : text.original).utf8))
    }

    /// Writes a line of bytes for another program, unchanged if standard output is not a terminal.
    ///
    /// - Throws: if writing fails for any reason but a broken pipe.
    package func writeOutput(line bytes: [UInt8]) throws(StreamError) {
        guard outputIsTerminal else { return try writeOutput(bytes + [UInt8(ascii: "\n")]) }
        let quoted = ShellQuoting.quoted(bytes)
        // Only what a terminal cannot show is escaped.
        try writeOutput("\(quoted.hasPrefix("$'") ? quoted : String(decoding: bytes, as: UTF8.self))\n")
    }

    private func writeOutput(_ bytes: [UInt8]) throws(StreamError) {
        guard !outputIsClosed else { throw .closed }
        guard !isReaderGone else { return }
        switch Self.write(bytes, to: 1) {
        case 0: return
        case EPIPE: readerGone.withLock { $0 = true }
        case ENOSPC, EDQUOT, EFBIG: throw .full
        default: throw .failed
        }
    }

    /// Errors are ignored: there is nowhere left to report them.
    package func writeError(_ text: TerminalText) {
        _ = Self.write(Array(text.safe.utf8), to: 2)
    }

    /// A line of standard input without its newline, at most 4096 bytes; `nil` at the end of the input.
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

    /// All of standard input, at most `limit` bytes.
    ///
    /// - Returns: `nil` if there is more, or if it cannot be read.
    package func readInput(atMost limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(0, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0, bytes.count + count <= limit else { return nil }
            bytes += buffer.prefix(count)
        }
    }

    /// Closes standard output, so that delayed write errors are reported.
    package func finish() throws(StreamError) {
        guard !outputIsClosed, !isReaderGone else { return }
        guard close(1) != 0 else { return }
        switch errno {
        case ENOSPC, EDQUOT, EFBIG: throw .full
        case EIO: throw .failed
        default: return
        }
    }

    /// - Returns: 0 or `errno`.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
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

/// The state of standard input when the program started.
package enum StandardInput: Sendable, Equatable {
    case closed
    case terminal
    case readable
}
