package import EngineBasics
package import EngineCompute

/// Decodes the same window of audio again and again, for measurements.
package protocol WindowTimer: AnyObject {
    /// - Throws: errors of decoding; `CancellationError`.
    func measure(in stopwatch: Stopwatch) throws -> WindowTimes

    /// What it has to do from samples to what the encoder reads.
    var features: OperationWork { get }
}

extension WindowTimer {
    package var features: OperationWork { OperationWork(operations: 0) }
}

/// How long the steps from audio to text take.
package struct WindowTimes: Sendable {
    /// From samples to what the encoder reads.
    package var mel = Duration.zero
    package var encode = Duration.zero
    package var decode = Duration.zero
    /// The number of tokens that were decoded.
    package var tokens = 0

    package init() {}
}
