// Invariant: each descriptor is closed exactly once. One in the state is removed from it first, under the lock; any other is
// known to a single thread.
import Dispatch
import Glibc
import Synchronization
import WhisperEngine

/// Lines that are exchanged on Unix sockets in a folder of one user.
private enum LocalSocket {
    /// A line is not longer, in bytes.
    fileprivate static let longestLine = 4096
    /// A client that has connected sends its line within this time, and reads what it is sent, in seconds.
    fileprivate static let patience = 2

    fileprivate static func setPatience(_ seconds: Int, of descriptor: Int32, _ option: Int32) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// The next line without its end; `nil` at the end, and if none comes in time.
    fileprivate static func line(from descriptor: Int32, rest: inout [UInt8]) -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard rest.count < longestLine else { return nil }
            var buffer = [UInt8](repeating: 0, count: 512)
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count > 0 { rest += buffer[..<count] } else if count == 0 || errno != EINTR { return nil }
        }
    }

    /// - Returns: whether all of it was sent without waiting for long.
    fileprivate static func send(_ line: String, to descriptor: Int32) -> Bool {
        let bytes = Array("\(line)\n".utf8)
        return unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) } == bytes.count
    }
}

/// Answers each line from a client with a line, and sends news to clients that follow.
final class LocalServer: Sendable {
    private struct State {
        var listener: Int32?
        /// The last line sent to followers.
        var news: String
        var followers: [Int32] = []
    }

    /// What a client that follows sends.
    static let follow = "follow"

    private let path: FilePath
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "whisper-local.socket", attributes: .concurrent)

    /// Listens on a socket that only this user may use.
    ///
    /// - Parameter news: the first line for followers.
    init(_ path: FilePath, news: String) throws(DiskAccess.Fault) {
        self.path = path
        state = Mutex(State(listener: try UnixSocket.listen(path), news: news))
    }

    /// - Parameter answer: the answer to a line.
    func run(_ answer: @escaping @Sendable (String) async -> String) {
        guard let listener = state.withLock(\.listener) else { return }
        queue.async {
            while true {
                let client = accept(listener, nil, nil)
                if client >= 0 {
                    _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                    self.queue.async { self.serve(client, answer) }
                } else if errno != EINTR, errno != ECONNABORTED {
                    break
                }
            }
            close(listener)
        }
    }

    private func serve(_ client: Int32, _ answer: @escaping @Sendable (String) async -> String) {
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] { LocalSocket.setPatience(LocalSocket.patience, of: client, option) }
        var rest: [UInt8] = []
        guard let line = LocalSocket.line(from: client, rest: &rest) else {
            close(client)
            return
        }
        if line == Self.follow {
            // Nothing is sent twice, and nothing is left out.
            let isAdded = state.withLock { state in
                guard state.listener != nil, LocalSocket.send(state.news, to: client) else { return false }
                state.followers.append(client)
                return true
            }
            if !isAdded { close(client) }
        } else {
            Task {
                _ = LocalSocket.send(await answer(line), to: client)
                close(client)
            }
        }
    }

    /// Sends a line to all followers, unless it repeats the last one. A follower that does not read is disconnected.
    func publish(_ news: String) {
        state.withLock { state in
            guard news != state.news else { return }
            state.news = news
            state.followers.removeAll { follower in
                let isGone = !LocalSocket.send(news, to: follower)
                if isGone { close(follower) }
                return isGone
            }
        }
    }

    /// Removes the socket and ends the connections of followers.
    func end() {
        let (listener, followers) = state.withLock { state in
            defer { (state.listener, state.followers) = (nil, []) }
            return (state.listener, state.followers)
        }
        guard let listener else { return }
        try? DiskAccess.remove(file: path)
        // Ends `accept`, after which the descriptor is closed.
        shutdown(listener, Int32(SHUT_RDWR))
        for follower in followers { close(follower) }
    }
}

/// A connection to a `LocalServer`.
final class LocalClient: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if no program listens.
    init?(_ path: FilePath) {
        guard let connected = try? UnixSocket.connect(path) else { return nil }
        descriptor = connected
    }

    /// Ends `ask` if an answer takes longer.
    func wait(atMost seconds: Int) {
        LocalSocket.setPatience(seconds, of: descriptor, SO_RCVTIMEO)
    }

    deinit { close(descriptor) }

    /// Sends a line and receives the answers, until the server or `receive`, with `false`, ends this.
    func ask(_ line: String, receive: (String) throws -> Bool) rethrows {
        guard LocalSocket.send(line, to: descriptor) else { return }
        var rest: [UInt8] = []
        while let answer = LocalSocket.line(from: descriptor, rest: &rest), try receive(answer) {}
    }
}
