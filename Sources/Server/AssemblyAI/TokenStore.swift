import Synchronization
import WhisperEngine

/// Temporary tokens that let a browser open a session without knowing the server's key.
///
/// Only their digests are kept, and only in memory. Each opens one session.
package final class TokenStore: Sendable {
    /// Maximum number of unused tokens.
    package static let capacity = 1000
    private static let bytes = 32

    private struct Token {
        let expires: ContinuousClock.Instant
        /// Seconds that the session may last.
        let sessionSeconds: Int
    }

    private let tokens = Mutex<[String: Token]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: the current time, replaced in tests.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - seconds: how long it can be used to open a session.
    ///   - sessionSeconds: how long that session may last.
    /// - Returns: `nil` if there are too many unused tokens.
    package func issue(seconds: Int, sessionSeconds: Int) -> String? {
        var generator = SystemRandomNumberGenerator()
        let token = Base64.addressText((0..<Self.bytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        let time = now()
        let isKept = tokens.withLock { tokens in
            tokens = tokens.filter { $0.value.expires > time }
            guard tokens.count < Self.capacity else { return false }
            tokens[Self.digest(token)] = Token(expires: time + .seconds(seconds), sessionSeconds: sessionSeconds)
            return true
        }
        return isKept ? token : nil
    }

    /// Uses up a token.
    ///
    /// - Returns: the seconds that its session may last; `nil` for a token that is unknown, used or expired.
    package func redeem(_ token: String) -> Int? {
        let time = now()
        return tokens.withLock { tokens in
            guard let found = tokens.removeValue(forKey: Self.digest(token)), found.expires > time else { return nil }
            return found.sessionSeconds
        }
    }

    private static func digest(_ token: String) -> String { SHA256.hexadecimal(of: Array(token.utf8)) }
}
