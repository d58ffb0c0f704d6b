/// Silero's speech probabilities of audio that arrives piece by piece, in windows of 512 samples.
package struct SileroStream: Sendable {
    private let network: SileroNetwork
    private var state = SileroState()
    /// Samples of the incomplete window.
    private var pending: [Float] = []

    package init(_ network: SileroNetwork) { self.network = network }

    /// The number of samples that no probability has been returned for.
    package var pendingCount: Int { pending.count }

    /// The probabilities of the windows that these samples, 16 kHz, -1…1, complete.
    package mutating func feed(_ samples: [Float]) -> [Float] {
        // NaN or infinity would stay in the network's state for good.
        for sample in samples { pending.append(sample.isFinite ? sample : 0) }
        let whole = pending.count / SileroNetwork.windowSamples * SileroNetwork.windowSamples
        guard whole > 0 else { return [] }
        let probabilities = network.probabilities(of: Array(pending[..<whole]), state: &state)
        pending.removeFirst(whole)
        return probabilities
    }

    /// The probability of the incomplete window, if there is one, with silence after it.
    package mutating func finish() -> Float? {
        guard !pending.isEmpty else { return nil }
        return feed([Float](repeating: 0, count: SileroNetwork.windowSamples - pending.count)).first
    }

    /// Forgets what was heard, but for the incomplete window.
    package mutating func reset() { state = SileroState() }

    /// Forgets everything.
    package mutating func clear() {
        reset()
        pending.removeAll(keepingCapacity: true)
    }
}
