import WhisperEngine

/// Loads the model when a recording needs it, and unloads it when none has for a while.
actor ModelKeeper {
    struct Loaded: Sendable {
        let recognizer: Recognizer
        /// The detector in its initial state; `nil` counts all audio as speech.
        let detector: (any VoiceActivityDetector)?
    }

    private let load: @Sendable (_ isFirst: Bool) async throws -> Loaded
    /// `nil` keeps it.
    private let idleTime: Duration?
    private let onUnload: @Sendable () -> Void
    private var loading: Task<Loaded, any Error>?
    private var users = 0
    /// Counts the uses so far.
    private var uses = 0

    /// - Parameter load: loads the model; `isFirst` is true in the first call only.
    init(
        idleTime: Duration?, load: @escaping @Sendable (_ isFirst: Bool) async throws -> Loaded,
        onUnload: @escaping @Sendable () -> Void
    ) {
        (self.idleTime, self.load, self.onUnload) = (idleTime, load, onUnload)
    }

    /// Loads the model unless that has been done; it stays for as long as `body` runs.
    func use<R: Sendable>(_ body: @Sendable (Loaded) async throws -> R) async throws -> R {
        uses += 1
        users += 1
        defer {
            users -= 1
            if users == 0 { unloadLater() }
        }
        let task = loading ?? Task { [load, isFirst = uses == 1] in try await load(isFirst) }
        loading = task
        do {
            return try await body(try await task.value)
        } catch {
            if case .failure = await task.result { loading = nil }
            throw error
        }
    }

    private func unloadLater() {
        guard let idleTime else { return }
        Task { [uses] in
            try? await Task.sleep(for: idleTime)
            if self.users == 0, self.uses == uses, self.loading != nil {
                self.loading = nil
                self.onUnload()
            }
        }
    }
}
