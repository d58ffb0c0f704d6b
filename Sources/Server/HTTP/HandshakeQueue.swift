/// Lets only a few TLS handshakes run at a time, each for a short time, so that clients that never finish theirs keep
/// no other client out.
///
/// GIO runs every handshake in a thread of a pool, which has ten and grows by one in seconds
/// (https://docs.gtk.org/gio/method.Task.run_in_thread.html).
@EventLoop
final class HandshakeQueue {
    private static let maxRunning = 8
    private static let maxRunningPerPeer = 4
    private static let maxWaiting = 128
    private static let maxWaitingPerPeer = 64

    // Seconds.
    private static let time = 3.0
    /// The same while no other handshake can start.
    private static let shortTime = 1.0
    /// For a handshake to start.
    private static let waitingTime = 10.0

    private struct Handshake {
        let connection: SoupConnection
        /// When it began, or began to wait.
        var start = ContinuousClock.now
        let begin: () -> Void
    }

    private var running: [Handshake] = []
    private var waiting: [Handshake] = []

    /// Calls `begin` when the handshake may start.
    ///
    /// - Returns: whether it will; `false` if too many others are waiting.
    func add(_ connection: SoupConnection, begin: @escaping () -> Void) -> Bool {
        guard waiting.count < Self.maxWaiting, count(waiting, connection.peer) < Self.maxWaitingPerPeer else {
            return false
        }
        waiting.append(Handshake(connection: connection, begin: begin))
        startNext()
        return true
    }

    /// The handshake of this connection has succeeded or failed.
    func finish(_ connection: SoupConnection) {
        running.removeAll { $0.connection === connection }
        startNext()
    }

    /// Ends handshakes that take too long.
    func sweep(at now: ContinuousClock.Instant) {
        running.removeAll(where: \.connection.isClosed)
        startNext()
        let limit = running.count < Self.maxRunning || waiting.isEmpty ? Self.time : Self.shortTime
        for handshake in running where (now - handshake.start) / .seconds(1) > limit { handshake.connection.shutDown() }
        waiting.removeAll { handshake in
            let isOver = (now - handshake.start) / .seconds(1) > Self.waitingTime
            guard isOver || handshake.connection.isHalfClosed || handshake.connection.isLost else { return false }
            handshake.connection.close()
            return true
        }
    }

    /// Starts handshakes, first those of the clients that have the fewest running.
    private func startNext() {
        while running.count < Self.maxRunning {
            let next = waiting.indices.lazy.map { ($0, self.count(self.running, self.waiting[$0].connection.peer)) }
                .min { $0.1 < $1.1 }
            guard let (index, count) = next, count < Self.maxRunningPerPeer else { return }
            var handshake = waiting.remove(at: index)
            handshake.start = .now
            running.append(handshake)
            handshake.begin()
        }
    }

    private func count(_ handshakes: [Handshake], _ peer: String) -> Int {
        handshakes.count { $0.connection.peer == peer }
    }
}
