import Glibc

/// Log-softmax of one row of logits, evaluated only where it is asked for.
///
/// -infinity stands for an impossible token; NaN counts as impossible too.
package struct LogProbabilities: Sendable {
    /// Greatest logit; -infinity where no token is possible.
    package let maximum: Float
    /// log Σ exp(logit - maximum).
    private let logSum: Double

    package init(_ logits: [Float]) {
        maximum = LogitKernels.maximum(of: logits, in: logits.indices)
        logSum =
            maximum.isFinite
            ? log(LogitKernels.sumOfExponentials(of: logits, in: logits.indices, minus: maximum)) : 0
    }

    /// log softmax of a token with this logit, to 1e-6.
    package func callAsFunction(_ logit: Float) -> Float {
        guard maximum.isFinite else { return logit == maximum && maximum > 0 ? 0 : -.infinity }
        return logit > -.infinity ? Float(Double(logit - maximum) - logSum) : -.infinity
    }

    /// Softmax of a token with this logit.
    package func probability(_ logit: Float) -> Double { exp(Double(self(logit))) }

    /// log Σ exp(logit) over `logits[range]`; -infinity where none is possible.
    package static func logSumOfExponentials(_ logits: [Float], in range: Range<Int>) -> Double {
        let maximum = LogitKernels.maximum(of: logits, in: range)
        guard maximum.isFinite else { return Double(maximum) }
        return Double(maximum) + log(LogitKernels.sumOfExponentials(of: logits, in: range, minus: maximum))
    }

    /// The token with the greatest logit, the lowest id on ties; `nil` where no token is possible.
    package static func best(_ logits: [Float]) -> Int? {
        LogitKernels.firstMaximum(of: logits)?.index
    }
}
