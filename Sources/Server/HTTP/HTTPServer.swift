import WhisperEngine

/// Accepts connections, checks requests, passes them to their routes and sends the responses.
///
/// libsoup does the framing (`Soup…`). This type decides what is rejected before its body is read, how long a client may
/// take, and what happens when it disconnects.
@EventLoop
package final class HTTPServer {
    /// Why the server cannot start.
    package enum StartError: Error, Equatable, Sendable {
        case libraryMissing
        case cannotListen(String, reason: String)
        case badCertificate(reason: String)
    }

    /// The outcome of a request, for the log and the metrics. Paths and queries are omitted: they may contain tokens.
    package struct Record: Sendable {
        package let id: String
        package let method: String
        /// The route's pattern; `nil` for an unknown path.
        package let route: String?
        package let status: Int
        /// Bytes of the request's body.
        package let received: Int
        package let seconds: Double
        /// What the log says about a failure of the server's own.
        package var cause: String?

        /// One line for the log.
        package var line: String {
            "\(id) \(method) \(route ?? "-") \(status) \(received) bytes \(Int(seconds * 1000)) ms"
                + (cause.map { ": \($0)" } ?? "")
        }
    }

    let settings: ServerSettings
    let onRecord: @Sendable (Record) -> Void
    private let onConnections: @Sendable (Int) -> Void
    private let table: RouteTable
    private let refusal: @Sendable (HTTPError) -> Response
    private var endpoint: SoupEndpoint?
    private var requestGuard: RequestGuard
    private var clocks: [ObjectIdentifier: ConnectionClock] = [:]
    private var running: [ObjectIdentifier: RunningExchange] = [:]
    private var links: [ObjectIdentifier: WebSocketLink] = [:]
    private var isStopping = false
    private var descriptors: Descriptors?
    /// Called once, when descriptors have become scarce, with their limit.
    package var onShortage: (@Sendable (Int) -> Void)?

    /// - Parameters:
    ///   - refusal: renders errors of requests that have no route.
    ///   - onRecord: called on the event loop for every answered request.
    ///   - onConnections: called on the event loop with the number of connections when it may have changed.
    package init(
        _ settings: ServerSettings, routes: [Route], webSockets: [WebSocketRoute],
        refusal: @escaping @Sendable (HTTPError) -> Response, onRecord: @escaping @Sendable (Record) -> Void,
        onConnections: @escaping @Sendable (Int) -> Void
    ) {
        self.settings = settings
        self.onRecord = onRecord
        self.onConnections = onConnections
        self.refusal = refusal
        table = RouteTable(routes: routes, webSockets: webSockets)
        requestGuard = RequestGuard(settings, port: settings.port)
    }

    // MARK: - Lifecycle

    /// Starts to listen.
    ///
    /// - Returns: the addresses, such as `http://127.0.0.1:8178`.
    package func start() throws(StartError) -> [String] {
        guard let soup = SoupLibrary.shared else { throw .libraryMissing }
        let endpoint = SoupEndpoint(
            soup, webSockets: table.webSockets, below: table.pathsBelowWebSockets, maxMessage: settings.maxMessage,
            events: SoupEndpoint.Events(
                accepted: { self.accept($0) }, violation: { self.reject($0, $1) }, headers: { self.begin($0) },
                body: { self.running[ObjectIdentifier($0)]?.run() }, webSocket: { self.open($0, $1) }))
        if let certificate = settings.certificate, let key = settings.certificateKey {
            do {
                try endpoint.useCertificate(certificate, key: key)
            } catch {
                throw .badCertificate(reason: error.reason)
            }
        }
        let scheme = settings.certificate == nil ? "http" : "https"
        var addresses: [String] = []
        var listening: [String] = []
        var port = settings.port
        for host in settings.hosts {
            do {
                // All addresses share the port that the first one chose.
                port = try endpoint.listen(host: host, port: port)
                listening.append(host)
            } catch {
                // Many machines have no IPv6.
                if host == "::1", !addresses.isEmpty { continue }
                throw .cannotListen("\(host):\(port)", reason: error.reason)
            }
            addresses.append("\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)")
        }
        if let path = settings.socket {
            do {
                try endpoint.listen(path: path)
            } catch {
                throw .cannotListen("\(path)", reason: error.reason)
            }
            addresses.append("unix:\(path)")
        }
        requestGuard = RequestGuard(settings, port: port, listening: listening)
        self.endpoint = endpoint
        descriptors = Descriptors()
        EventLoop.shared.post(everyMilliseconds: Self.sweepInterval) {
            self.sweep()
            return true
        }
        return addresses
    }

    /// Returns when all running requests are answered and all WebSocket sessions closed. Until then, new requests are
    /// answered with 503, which reverse proxies need to see to use another server.
    ///
    /// - Parameter seconds: after this time, remaining requests are cut off.
    package func stop(within seconds: Double) async {
        isStopping = true
        for link in links.values { link.shutDown() }
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !running.isEmpty || !links.isEmpty, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
        }
        endpoint?.stopListening()
        for connection in endpoint?.openConnections ?? [] { connection.shutDown() }
    }

    // MARK: - Connections

    private static let sweepInterval: UInt32 = 250

    /// All programs on this machine share these addresses.
    private static let sharedPeers: Set = ["127.0.0.1", "::1", SoupConnection.localPeer]

    /// Number of connections beyond the limit that get a response saying so; further ones are closed at once.
    private static let maxRefused = 256

    /// Stops accepting connections while descriptors are scarce.
    private func watchDescriptors() {
        guard let descriptors, endpoint?.pauseIfScarce(descriptors) == true else { return }
        onShortage?(descriptors.limit)
        onShortage = nil
    }

    private func accept(_ connection: SoupConnection) -> Bool {
        forgetClosedConnections()
        watchDescriptors()
        let ofPeer =
            Self.sharedPeers.contains(connection.peer)
            ? 0 : clocks.values.count { $0.connection.peer == connection.peer }
        // While the server is shutting down, requests are rejected only once their headers have arrived: if a response
        // arrives before nginx has sent its request, nginx combines that status with the body from the next server.
        let isAdmitted = clocks.count < settings.maxConnections && ofPeer < settings.maxConnectionsPerPeer
        // A TLS client could read the answer only after a handshake.
        guard isAdmitted || clocks.count < settings.maxConnections + Self.maxRefused && !connection.isTLS else {
            connection.shutDown()
            return false
        }
        let clock = ConnectionClock(connection)
        clocks[ObjectIdentifier(connection)] = clock
        onConnections(clocks.count)
        if !isAdmitted { clock.reject(refusal(.overloaded).completed(.overloaded)) }
        return true
    }

    /// Answers a client that broke the rules of the protocol.
    private func reject(_ connection: SoupConnection, _ violation: FramingValidator.Violation) {
        switch violation {
        case .messageTooLong: close(connection, 1009, "The message is too long.")
        case .tooManyFrames: close(connection, 1008, "Messages are sent too fast.")
        case .request(let error):
            if let running = running.values.first(where: { $0.exchange.connection === connection }) {
                running.refuse(error, with: refusal)
            } else {
                let id = RequestID.random()
                var response = refusal(error).completed(error)
                response.headers.add("x-request-id", id)
                clocks[ObjectIdentifier(connection)]?.reject(response)
                onRecord(Record(id: id, method: "-", route: nil, status: error.status, received: 0, seconds: 0))
            }
        }
    }

    /// Closes the WebSocket on a connection.
    private func close(_ connection: SoupConnection, _ code: Int, _ reason: String) {
        for link in links.values where link.connection === connection {
            link.close(code, reason)
            clocks[ObjectIdentifier(connection)]?.startRejection()
        }
    }

    private func forgetClosedConnections() {
        for (key, clock) in clocks where clock.isOver {
            endpoint?.forget(clock.connection)
            clocks[key] = nil
        }
        onConnections(clocks.count)
    }

    /// Ends connections whose client is too slow, and requests whose client has disconnected.
    private func sweep() {
        forgetClosedConnections()
        let now = ContinuousClock.now
        endpoint?.sweep(at: now)
        for clock in clocks.values { clock.enforce(settings, at: now, refusal: refusal) }
        for exchange in running.values { exchange.checkClient() }
        for link in links.values { link.check(at: now) }
        watchDescriptors()
    }

    // MARK: - Requests

    private func begin(_ exchange: SoupExchange) {
        guard let clock = clocks[ObjectIdentifier(exchange.connection)] else { return exchange.connection.shutDown() }
        exchange.streamBody()
        let running = RunningExchange(exchange, clock: clock, server: self)
        self.running[ObjectIdentifier(exchange)] = running
        exchange.onFinish = { [weak self] in
            running.finish()
            self?.running[ObjectIdentifier(exchange)] = nil
        }
        clock.startBody()
        do throws(HTTPError) {
            try admit(running)
        } catch {
            running.refuse(error, with: refusal)
        }
    }

    /// Checks the headers of a request and prepares for its body, or answers at once.
    private func admit(_ running: RunningExchange) throws(HTTPError) {
        let exchange = running.exchange
        let headers = exchange.headers
        let rawPath = exchange.rawPath
        let rawQuery = exchange.rawQuery
        let method = exchange.method
        let (host, port) = exchange.authority
        let name = host.contains(":") ? "[\(host)]" : host
        try requestGuard.check(
            method: method, target: rawPath + (rawQuery ?? ""), headers: headers,
            authority: port < 0 || port == 80 || port == 443 ? name : "\(name):\(port)",
            isLocal: exchange.connection.peer == SoupConnection.localPeer)
        guard var path = PercentCoding.decode(rawPath), let query = PercentCoding.query(rawQuery ?? "") else {
            throw HTTPError(400, "The address is not valid.")
        }
        if path.count > 1, path.hasSuffix("/") { path.removeLast() }
        // The key itself is not kept. Without a key of the server's, a client could invent one for each request.
        let key = settings.key == nil ? "" : SHA256.hexadecimal(of: Array((AccessKey.bearer(headers) ?? "").utf8))
        let client = "\(key) \(exchange.connection.peer)"
        let head = RequestHead(
            method: method, path: path, query: query, headers: headers, client: client, id: running.id)
        running.allowedOrigin = headers["Origin"].flatMap { requestGuard.isAllowed(origin: $0) ? $0 : nil }
        guard !isStopping else {
            throw .stopping
        }
        switch table.match(method: method, path: path) {
        // libsoup compares the path as it was sent.
        case .webSocket(let route) where route.path != rawPath:
            throw HTTPError(404, "There is nothing at this address.")
        case .webSocket(let route):
            running.path = route.path
            try admitWebSocket(head)
            try route.admit(head)
            exchange.isUpgrade = true
        case .none: throw HTTPError(404, "There is nothing at this address.")
        case .wrongMethod(let allowed, let route):
            running.route = route
            if method == "OPTIONS" { return running.answer(preflight(head, allowed: allowed)) }
            throw HTTPError(
                405, "The method \(method) is not supported here.", code: "method_not_allowed", allow: allowed)
        case .route(let route):
            running.route = route
            try admit(exchange.connection.peer, headers, to: route)
            try running.read(head, route)
        }
    }

    private func admit(_ peer: String, _ headers: Headers, to route: Route) throws(HTTPError) {
        guard route.access != .everyone, let key = settings.key, !key.admits(headers) else { return }
        if AccessKey.bearer(headers) != nil { throw .badKey }
        guard route.access == .keyOrAddress else { throw .noKey }
        guard settings.allowedPeers.contains(where: { $0.contains(peer) }) else {
            throw HTTPError(
                403, "Send the key, or start the server with --allow-from and your address.", code: "forbidden")
        }
    }

    private func preflight(_ head: RequestHead, allowed: [String]) -> Response {
        var response = Response(status: 204, body: .bytes([]))
        response.headers.add("Allow", allowed.joined(separator: ", "))
        guard let origin = head.headers["Origin"], requestGuard.isAllowed(origin: origin) else { return response }
        response.headers.add("Access-Control-Allow-Methods", allowed.joined(separator: ", "))
        let wanted = head.headers["Access-Control-Request-Headers"] ?? ""
        let names = wanted.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }.filter {
            $0 == "authorization" || $0 == "content-type" || $0.hasPrefix("x-stainless-")
        }
        response.headers.add("Access-Control-Allow-Headers", names.joined(separator: ", "))
        response.headers.add("Access-Control-Max-Age", "600")
        return response
    }

    // MARK: - WebSockets

    /// Checks the headers that libsoup would reject with a plain 400.
    private func admitWebSocket(_ head: RequestHead) throws(HTTPError) {
        guard head.method == "GET" else {
            throw HTTPError(
                405, "The method \(head.method) is not supported here.", code: "method_not_allowed", allow: ["GET"])
        }
        guard head.headers["Upgrade"]?.lowercased() == "websocket", head.headers["Sec-WebSocket-Version"] == "13" else {
            throw HTTPError(426, "This address speaks WebSocket, version 13.")
        }
        let key = head.headers["Sec-WebSocket-Key"] ?? ""
        guard key.utf8.count == 24, key.hasSuffix("==") else {
            throw HTTPError(400, "The WebSocket key is not valid.")
        }
    }

    private func open(_ exchange: SoupExchange, _ socket: SoupSocket) {
        guard let running = running[ObjectIdentifier(exchange)],
            case .webSocket(let route) = table.match(
                method: "GET", path: PercentCoding.decode(exchange.rawPath) ?? "")
        else { return }
        let link = WebSocketLink(socket, exchange.connection)
        let head = RequestHead(
            method: "GET", path: route.path, query: PercentCoding.query(exchange.rawQuery ?? "") ?? [],
            headers: exchange.headers, client: exchange.connection.peer, id: running.id)
        links[ObjectIdentifier(link)] = link
        self.running[ObjectIdentifier(exchange)] = nil
        running.becomeWebSocket()
        let clock = clocks[ObjectIdentifier(exchange.connection)]
        link.start(route.open(head, link)) { [weak self] in
            self?.links[ObjectIdentifier(link)] = nil
            clock?.end()
            running.record()
        }
    }
}

extension HTTPError {
    static let overloaded = HTTPError(
        503, "There are too many connections. Try again in a moment.", type: "server_error", code: "overloaded",
        retryAfter: 1)
    static let stopping = HTTPError(
        503, "The server is shutting down. Try again in a moment.", type: "server_error", code: "overloaded",
        retryAfter: 1)
    /// The request has no `Authorization: Bearer KEY`.
    package static let noKey = HTTPError(
        401, "No key was sent. Send the key that `whisper-local serve` was started with.", code: "invalid_api_key")
    package static let badKey = HTTPError(
        401, "The key was not accepted. Check the key that `whisper-local serve` was started with.",
        code: "invalid_api_key")
}
