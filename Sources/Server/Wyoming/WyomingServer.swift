import Synchronization
package import WhisperEngine

/// Settings of the Wyoming protocol.
package struct WyomingSettings: Sendable {
    /// Where it listens.
    package enum Place: Hashable, Sendable {
        case port(host: String, port: Int)
        case socket(FilePath)
    }

    package var place: Place
    /// Who may connect besides programs on this machine: the protocol has no key.
    package var allowedPeers: [AddressRange] = []
    /// Seconds of audio in a recording.
    package var maxDuration = 4.0 * 3600
    /// The program's version.
    package var version = ""

    // Seconds.
    /// Without a byte, while a recording is sent, and otherwise.
    package var recordingTime = 30.0
    package var idleTime = 300.0
    /// For a client that does not read.
    package var writeTime = 30.0

    package init(_ place: Place) { self.place = place }
}

/// Answers Home Assistant and other clients of the Wyoming protocol: accepts connections and counts them.
package final class WyomingServer: Sendable {
    /// Each has a thread.
    private static let maxConnections = 64
    /// How often a waiting thread looks whether the server stops.
    static let tick = 200

    let settings: WyomingSettings
    let models: any ModelProvider
    let transcriber: any Transcriber
    let slots: SessionSlots
    let log: @Sendable (String) -> Void
    private let loopback = [AddressRange("127.0.0.0/8"), AddressRange("::1")].compactMap { $0 }
    private let state = Mutex(State())

    private struct State {
        var connections: [ObjectIdentifier: StreamSocket] = [:]
        var isStopping = false
        var listening: Task<Void, Never>?
    }

    package init(
        _ settings: WyomingSettings, models: any ModelProvider, transcriber: any Transcriber, slots: SessionSlots,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.settings = settings
        self.models = models
        self.transcriber = transcriber
        self.slots = slots
        self.log = log
    }

    /// Starts to listen.
    ///
    /// - Returns: the address, such as `wyoming://127.0.0.1:10300`.
    package func start() throws(HTTPServer.StartError) -> String {
        let socket: ListeningSocket
        let address: String
        do {
            switch settings.place {
            case .port(let host, let port):
                socket = try ListeningSocket(host: host, port: port)
                address = "wyoming://\(host.contains(":") ? "[\(host)]" : host):\(socket.port)"
            case .socket(let path):
                socket = try ListeningSocket(path: path)
                address = "wyoming+unix:\(path)"
            }
        } catch {
            throw .cannotListen(shown, reason: error.reason)
        }
        // Home Assistant waits a second for the list: the models have been opened by the time it asks.
        Task { [models, settings] in _ = await WyomingInfo.json(models, version: settings.version) }
        let listener = WyomingListener(self, socket)
        state.withLock { $0.listening = Task { await listener.run() } }
        return address
    }

    /// Accepts no more connections, and closes those that are waiting. Returns when the running recognitions are answered.
    package func stop(within seconds: Double) async {
        let listening = state.withLock { state in
            state.isStopping = true
            return state.listening
        }
        await listening?.value
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !state.withLock(\.connections.isEmpty), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(20))
        }
        for socket in state.withLock({ Array($0.connections.values) }) { socket.shutDown() }
    }

    var isStopping: Bool { state.withLock(\.isStopping) }

    /// Answers a connection on a thread of its own, or closes it.
    func accept(_ socket: StreamSocket) {
        guard socket.peer.isEmpty || (loopback + settings.allowedPeers).contains(where: { $0.contains(socket.peer) })
        else { return }
        let isAdmitted = state.withLock { state in
            guard state.connections.count < Self.maxConnections, !state.isStopping else { return false }
            state.connections[ObjectIdentifier(socket)] = socket
            return true
        }
        guard isAdmitted else { return }
        let connection = WyomingConnection(socket, self)
        Task {
            await connection.run()
            state.withLock { $0.connections[ObjectIdentifier(socket)] = nil }
        }
    }

    private var shown: String {
        switch settings.place {
        case .port(let host, let port): "\(host):\(port)"
        case .socket(let path): "\(path)"
        }
    }
}

/// The thread that accepts connections.
private actor WyomingListener {
    private let server: WyomingServer
    private let socket: ListeningSocket
    private nonisolated let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ server: WyomingServer, _ socket: ListeningSocket) {
        self.server = server
        self.socket = socket
    }

    func run() {
        while !server.isStopping {
            if let connection = socket.accept(milliseconds: WyomingServer.tick) { server.accept(connection) }
        }
        socket.removeName()
    }
}
