import EngineCompute
import Synchronization

/// Encoder outputs by window, for transcribing the same recordings with many option sets: encoding is most of the work, and
/// no decoding option changes its result.
package final class EncodingCache: Sendable {
    private struct Window: Hashable {
        let logMel: [Float]
        let positions: Int
        /// By silence.
        let isFollowed: Bool
    }

    private let outputs = Mutex<[Window: [Float]]>([:])

    package init() {}

    /// The number of windows encoded so far.
    package var count: Int { outputs.withLock { $0.count } }

    /// Returns the output for a window in `view`, computing it with `encode` if it is new.
    func output(
        of logMel: [Float], in view: TensorView, isFollowed: Bool, encode: () -> Void
    ) {
        let window = Window(logMel: logMel, positions: view.rows, isFollowed: isFollowed)
        if let known = outputs.withLock({ $0[window] }) {
            return view.tensor.write(known, at: view.offset)
        }
        encode()
        let values = view.values
        outputs.withLock { $0[window] = values }
    }
}
