import Foundation
import Synchronization
import Testing
import WhisperEngine
import WhisperServer

/// The server's side of a connection that records what is done with it.
final class FakeConnection: WebSocketConnection {
    struct Closing: Equatable {
        let code: Int
        let reason: String
    }

    private struct State {
        var sent: [String] = []
        var closing: Closing?
        var queuedBytes = 0
        var isReading = true
    }

    private let state = Mutex(State())

    var sent: [String] { state.withLock(\.sent) }
    var closing: Closing? { state.withLock(\.closing) }

    func send(_ text: String) { state.withLock { if $0.closing == nil { $0.sent.append(text) } } }

    func close(_ code: Int, _ reason: String) {
        state.withLock { $0.closing = $0.closing ?? Closing(code: code, reason: reason) }
    }

    func setReading(_ isReading: Bool) { state.withLock { $0.isReading = isReading } }
    var isReading: Bool { state.withLock(\.isReading) }

    var queuedBytes: Int { state.withLock(\.queuedBytes) }
    func setQueuedBytes(_ bytes: Int) { state.withLock { $0.queuedBytes = bytes } }

    /// The messages sent, parsed.
    var messages: [[String: Any]] {
        sent.map { (try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) ?? [:] }
    }

    func messages(_ type: String, key: String = "type") -> [[String: Any]] {
        messages.filter { $0[key] as? String == type }
    }

    /// Waits until a condition holds.
    func wait(seconds: Double = 20, until condition: (FakeConnection) -> Bool) async {
        let end = ContinuousClock.now + .seconds(seconds)
        while !condition(self) {
            guard ContinuousClock.now < end else {
                Issue.record("nothing happened; sent: \(sent.suffix(3)), closing: \(String(describing: closing))")
                return
            }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    func waitForClosing() async { await wait { $0.closing != nil } }
}

extension RequestHead {
    static func webSocket(_ path: String, _ query: [(String, String)] = [], authorization: String? = nil) -> RequestHead
    {
        RequestHead(
            method: "GET", path: path, query: query.map { (name: $0.0, value: $0.1) },
            headers: Headers(authorization.map { [(name: "authorization", value: $0)] } ?? []))
    }
}
