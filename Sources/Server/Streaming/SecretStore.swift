import Synchronization
import WhisperEngine

/// Temporary secrets that let a browser open a session without knowing the server's key.
///
/// Only their digests are kept, and only in memory.
package final class SecretStore<Content: Sendable>: Sendable {
    /// Maximum number of secrets that are neither used up nor expired.
    private static var capacity: Int { 1000 }
    private static var bytes: Int { 32 }

    private struct Secret {
        let expires: ContinuousClock.Instant
        let content: Content
    }

    private let secrets = Mutex<[String: Secret]>([:])
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: the current time, replaced in tests.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Creates a secret.
    ///
    /// - Parameters:
    ///   - content: what it stands for.
    ///   - seconds: how long it can be used.
    /// - Returns: `nil` if there are too many.
    package func issue(_ content: Content, seconds: Int, prefix: String = "") -> String? {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<Self.bytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let secret = prefix + Base64.addressText(bytes)
        let time = now()
        let isKept = secrets.withLock { secrets in
            secrets = secrets.filter { $0.value.expires > time }
            guard secrets.count < Self.capacity else { return false }
            secrets[Self.digest(secret)] = Secret(expires: time + .seconds(seconds), content: content)
            return true
        }
        return isKept ? secret : nil
    }

    /// Uses up a secret.
    ///
    /// - Returns: what it stands for; `nil` if it is unknown, used or expired.
    package func redeem(_ secret: String) -> Content? {
        let time = now()
        return secrets.withLock { secrets in
            guard let found = secrets.removeValue(forKey: Self.digest(secret)), found.expires > time else { return nil }
            return found.content
        }
    }

    /// What a secret stands for, which remains valid; `nil` if it is unknown, used or expired.
    package func content(of secret: String) -> Content? {
        let time = now()
        return secrets.withLock { secrets in
            guard let found = secrets[Self.digest(secret)], found.expires > time else { return nil }
            return found.content
        }
    }

    private static func digest(_ secret: String) -> String { SHA256.hexadecimal(of: Array(secret.utf8)) }
}
