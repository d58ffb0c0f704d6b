/// What a connection is waiting for, and since when.
@EventLoop
final class ConnectionClock {
    private enum Phase {
        /// For the headers of a request.
        case headers(isFirst: Bool)
        /// For the rest of a body.
        case body
        /// For the server.
        case work
        /// For the client to read a refusal.
        case rejection
        /// For nothing: it is over.
        case end
    }

    /// Seconds that a refused client may go on sending.
    private static let rejectionTime = 5.0
    /// Seconds that libsoup gets to close a connection that is gone.
    private static let lossTime = 2.0

    let connection: SoupConnection
    private var phase = Phase.headers(isFirst: true)
    private var start = ContinuousClock.now
    private var lastByte = ContinuousClock.now
    private var received = 0
    /// When the connection was found to be gone.
    private var loss: ContinuousClock.Instant?

    init(_ connection: SoupConnection) {
        self.connection = connection
    }

    func startBody() {
        phase = .body
        (start, lastByte, received) = (.now, .now, 0)
    }

    func received(_ count: Int) {
        received += count
        lastByte = .now
    }

    /// The request is complete, or the connection has become a WebSocket, which has its own limits.
    func startWork() { phase = .work }

    func startIdling() {
        if case .rejection = phase { return }
        phase = .headers(isFirst: false)
        start = .now
    }

    /// Bypasses libsoup to send a response, and ends the connection a little later.
    func reject(_ response: Response) {
        connection.reject(response)
        startRejection()
    }

    /// The client has been sent the reason for closing the connection.
    func startRejection() {
        phase = .rejection
        start = .now
    }

    /// The connection was a WebSocket, or is gone, and is no longer used.
    func end() {
        connection.close()
        phase = .end
    }

    /// Whether the connection is finished.
    var isOver: Bool {
        switch phase {
        case .headers, .rejection, .body, .work: connection.isClosed
        case .end: true
        }
    }

    /// Ends the connection if its client is gone or too slow.
    ///
    /// - Parameter refusal: renders the response to it.
    func enforce(
        _ settings: ServerSettings, at now: ContinuousClock.Instant, refusal: (HTTPError) -> Response
    ) {
        if connection.isLost {
            loss = loss ?? now
        } else {
            loss = nil
        }
        if let loss, (now - loss) / .seconds(1) > Self.lossTime { return end() }
        let elapsed = (now - start) / .seconds(1)
        switch phase {
        case .headers(let isFirst) where elapsed > (isFirst ? settings.headerTime : settings.idleTime):
            // Without a part of a request, there is nothing to answer.
            guard connection.filter.isIdle else { return reject(refusal(.tooSlow)) }
            connection.shutDown()
        case .body:
            let stall = (now - lastByte) / .seconds(1)
            let isSlow = elapsed > settings.slowTime && Double(received) < settings.minBodyRate * elapsed
            if stall > settings.stallTime || isSlow { reject(refusal(.tooSlow)) }
        case .rejection where elapsed > Self.rejectionTime: connection.shutDown()
        default: break
        }
    }
}

extension HTTPError {
    fileprivate static let tooSlow = HTTPError(
        408, "The request arrived too slowly. Try again.", type: "server_error", code: "request_timeout")
}
