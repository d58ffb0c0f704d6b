import WhisperEngine

/// Waits for keys on a thread of its own, since tasks' threads are not for waiting.
actor TerminalKeys {
    private let executor = ComputeExecutor()
    private var parser = KeyParser()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// How long a lone escape may turn out to be the beginning of something, and how late a cancelled task ends.
    private static let patience: Int32 = 50

    /// The next keys, none after a while without any; `nil` when the task is cancelled or the terminal is gone.
    func next(within milliseconds: Int32 = patience) -> [Key]? {
        guard !Task.isCancelled, let bytes = KeyMode.bytes(within: milliseconds) else { return nil }
        return parser.keys(bytes)
    }
}
