/// A request, from its headers to the end of its response.
@EventLoop
final class RunningExchange {
    private static let switchingProtocols = 101

    let exchange: SoupExchange
    let id = RequestID.random()
    var route: Route? {
        didSet { path = route?.pattern }
    }
    /// The path in the log: that of the route, not the one that was sent.
    var path: String?
    /// The web page that may read the response.
    var allowedOrigin: String?

    private let clock: ConnectionClock
    private unowned let server: HTTPServer
    private let start = ContinuousClock.now
    private var head: RequestHead?
    private var reader: BodyReader?
    private var received = 0
    private var task: Task<Void, Never>?
    private var status = 0
    private var cause: String?
    private var isParked = false
    private var isStreaming = false
    private var filler: [UInt8] = []
    private var wasHalfClosed = false

    init(_ exchange: SoupExchange, clock: ConnectionClock, server: HTTPServer) {
        self.exchange = exchange
        self.clock = clock
        self.server = server
    }

    // MARK: - Reading

    /// Reads the body as the route requires.
    func read(_ head: RequestHead, _ route: Route) throws(HTTPError) {
        self.head = head
        reader = try BodyReader(route.body, headers: head.headers)
        exchange.onChunk = { [weak self] in self?.append($0) }
    }

    private func append(_ chunk: [UInt8]) {
        received += chunk.count
        clock.received(chunk.count)
        exchange.connection.filter.charge()
        guard var reader else { return }
        self.reader = nil
        do throws(HTTPError) {
            try reader.append(chunk)
            self.reader = reader
        } catch {
            refuse(error)
        }
    }

    /// The body has been read.
    func run() {
        clock.startWork()
        guard var reader, let route, let head else { return }
        self.reader = nil
        do throws(HTTPError) {
            start(Request(head, body: try reader.finish()), route)
        } catch {
            refuse(error)
        }
    }

    private func start(_ request: Request, _ route: Route) {
        exchange.pause()
        isParked = true
        task = Task {
            let response = await Self.response(to: request, route)
            await self.send(response)
        }
    }

    private nonisolated static func response(to request: Request, _ route: Route) async -> Response {
        await RequestID.$current.withValue(request.head.id) {
            do throws(HTTPError) {
                return try await route.respond(request)
            } catch {
                return route.refusal(error).completed(error)
            }
        }
    }

    // MARK: - Answering

    func refuse(_ error: HTTPError, with refusal: @escaping @Sendable (HTTPError) -> Response) {
        refuse((route?.refusal ?? refusal)(error).completed(error))
    }

    private func refuse(_ error: HTTPError) {
        guard let route else { return }
        cause = error.cause
        refuse(route.refusal(error).completed(error))
    }

    /// Responds at once, although the client may still be sending the body.
    private func refuse(_ response: Response) {
        guard status == 0 else { return }
        reader = nil
        // libsoup would first read the whole body, unless the client is waiting for `100 Continue`.
        if exchange.connection.filter.isInsideBody, !exchange.expectsContinue {
            status = response.status
            clock.reject(Response(status: status, headers: headers(of: response), body: response.body))
            return
        }
        var response = response
        // The next bytes might be part of the rejected body.
        response.headers.add("Connection", "close")
        answer(response)
    }

    /// Sets a complete response.
    func answer(_ response: Response) {
        guard case .bytes(let bytes) = response.body else { return }
        begin(response)
        exchange.append(bytes)
        exchange.complete()
    }

    private func begin(_ response: Response) {
        status = response.status
        if case .stream(_, let filler) = response.body {
            isStreaming = true
            self.filler = filler
        }
        exchange.start(status: response.status, headers: headers(of: response), isStream: isStreaming)
    }

    /// The headers of a response plus those that all responses have.
    private func headers(of response: Response) -> Headers {
        var headers = response.headers
        headers.add("x-request-id", id)
        headers.add("X-Content-Type-Options", "nosniff")
        headers.add("openai-processing-ms", "\(Int(elapsed * 1000))")
        if let allowedOrigin {
            headers.add("Access-Control-Allow-Origin", allowedOrigin)
            headers.add("Vary", "Origin")
        }
        return headers
    }

    private func send(_ response: Response) async {
        guard !exchange.isFinished else { return }
        switch response.body {
        case .bytes:
            answer(response)
            resume()
        case .stream(let parts, _):
            begin(response)
            do {
                for try await part in parts {
                    guard !exchange.isFinished else { return }
                    exchange.append(part)
                    resume()
                }
            } catch {
                cause = "cut off: \((error as? HTTPError)?.message ?? "\(error)")"
                return exchange.connection.shutDown()
            }
            exchange.complete()
            resume()
        }
    }

    private func resume() {
        guard !exchange.isFinished else { return }
        isParked = isStreaming
        exchange.resume()
    }

    private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

    /// The connection has become a WebSocket, which has its own time limits.
    func becomeWebSocket() {
        status = Self.switchingProtocols
        clock.startWork()
    }

    // MARK: - The client

    /// Cancels the work if the client has disconnected.
    ///
    /// A client that has closed its side may still be reading; only a write shows which. A second `100 Continue` does
    /// no harm to clients that are still connected.
    func checkClient() {
        guard isParked, !exchange.isFinished else { return }
        let connection = exchange.connection
        // TLS clients do not close only one direction.
        if connection.isLost || connection.isHalfClosed && connection.isTLS {
            task?.cancel()
            connection.shutDown()
        } else if connection.isHalfClosed, !wasHalfClosed {
            wasHalfClosed = true
            if isStreaming {
                if filler.isEmpty { return }
                exchange.append(filler)
                exchange.resume()
            } else if !exchange.isHTTP10 {
                connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            }
        }
    }

    /// The response has been sent, or the connection was lost.
    func finish() {
        task?.cancel()
        // A WebSocket is recorded when it ends.
        guard status != Self.switchingProtocols else { return }
        clock.startIdling()
        record()
    }

    func record() {
        server.onRecord(
            HTTPServer.Record(
                id: id, method: exchange.method, route: path, status: status, received: received,
                seconds: elapsed, cause: cause))
    }
}

extension Response {
    /// With the headers that an error calls for.
    func completed(_ error: HTTPError) -> Response {
        var response = self
        if let seconds = error.retryAfter { response.headers.add("Retry-After", "\(seconds)") }
        if let methods = error.allow { response.headers.add("Allow", methods.joined(separator: ", ")) }
        if error.status == 426 { response.headers.add("Sec-WebSocket-Version", "13") }
        if error.status == 500 || error.status == 422 { response.headers.add("x-should-retry", "false") }
        return response
    }
}
