import WhisperEngine

/// Waits for keys on a thread of its own, since tasks' threads are not for waiting.
actor TerminalKeys {
    private let executor = ComputeExecutor()
    private var parser = KeyParser()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// How long a lone escape may turn out to be the beginning of something.
    private static let patience: Int32 = 50
    /// How late a cancelled task ends. Each turn is a wake-up.
    private static let turn: Int32 = 100

    /// The next keys, none after a while without any; `nil` when the task is cancelled or the terminal is gone.
    ///
    /// - Parameter milliseconds: how long it waits for the rest of a key that has begun.
    func next(within milliseconds: Int32 = patience) -> [Key]? {
        let time = parser.isInKey ? milliseconds : Self.turn
        guard !Task.isCancelled, let bytes = KeyMode.bytes(within: time) else { return nil }
        return parser.keys(bytes)
    }
}
