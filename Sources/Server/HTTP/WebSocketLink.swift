import Synchronization

/// A WebSocket connection between libsoup and its handler.
@EventLoop
final class WebSocketLink: WebSocketConnection {
    /// A client that sends no frame for this long is considered gone. Pings are sent every 20 seconds.
    private static let silence = 60.0
    /// A client that reads nothing for this long is cut off: pongs would pile up.
    private static let unreadTime = 30.0

    private let socket: SoupSocket
    let connection: SoupConnection
    private nonisolated let queued = Mutex(0)
    private var handler: (any WebSocketHandler)?
    private var lastFrame = ContinuousClock.now
    private var lastWritable = ContinuousClock.now

    init(_ socket: SoupSocket, _ connection: SoupConnection) {
        self.socket = socket
        self.connection = connection
    }

    func start(_ handler: any WebSocketHandler, onClose: @escaping @EventLoop () -> Void) {
        self.handler = handler
        socket.onMessage = { [weak self] message in
            self?.lastFrame = .now
            self?.connection.filter.charge()
            switch message {
            case .text(let text): handler.received(text: text)
            case .binary(let bytes): handler.received(binary: bytes)
            }
        }
        socket.onPong = { [weak self] in self?.lastFrame = .now }
        socket.onClose = { [weak self] in
            self?.handler = nil
            onClose()
            handler.closed()
        }
    }

    func shutDown() { handler?.shutDown() }

    /// Closes the connection if the client is gone or does not read, and forgets what it has received.
    func check(at now: ContinuousClock.Instant) {
        if connection.isWritable {
            queued.withLock { $0 = 0 }
            lastWritable = now
        }
        if connection.filter.isPaused {
            // Neither pongs nor the end of the connection are read.
            lastFrame = now
            if connection.isLost { connection.filter.isPaused = false }
        }
        if (now - lastWritable) / .seconds(1) > Self.unreadTime { connection.shutDown() }
        if (now - lastFrame) / .seconds(1) > Self.silence {
            socket.close(1011, "no answer to pings")
            lastFrame = now
        }
    }

    // MARK: - WebSocketConnection

    nonisolated func send(_ text: String) {
        queued.withLock { $0 += text.utf8.count }
        EventLoop.shared.post {
            self.socket.send(text)
            if self.connection.isWritable { self.queued.withLock { $0 = 0 } }
        }
    }

    nonisolated func close(_ code: Int, _ reason: String) {
        EventLoop.shared.post { self.socket.close(code, reason) }
    }

    nonisolated func setReading(_ isReading: Bool) {
        EventLoop.shared.post { self.connection.filter.isPaused = !isReading }
    }

    nonisolated var queuedBytes: Int { queued.withLock(\.self) }
}
