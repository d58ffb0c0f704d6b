import EngineCompute
import Glibc

/// The log-softmax of a row of logits, evaluated on demand, and the ids of its greatest logits, all computed in one pass
/// over the row.
///
/// -infinity stands for an impossible token; NaN counts as impossible too.
package struct LogProbabilities: Sendable {
    /// Greatest logit; -infinity if no token is possible.
    package private(set) var maximum: Float
    /// log Σ exp(logit - maximum).
    private var logSum: Double
    /// Ids of the greatest logits, as many as requested, greatest first; on ties the lower id comes first.
    package private(set) var greatest: [Int] = []

    /// - Parameters:
    ///   - range: the ids that are possible; `nil` is all of them.
    ///   - count: how many of the greatest logits to find.
    package init(_ logits: [Float], in range: Range<Int>? = nil, greatest count: Int = 0) {
        let (maximum, sum) = LogitKernels.survey(
            of: logits, in: range ?? logits.indices, greatest: count, into: &greatest)
        self.maximum = maximum
        logSum = maximum.isFinite ? log(sum) : 0
    }

    /// Combines a range of ids with a later range of the same logits.
    ///
    /// - Parameter count: how many of the greatest logits to keep; at least as many must have been requested of both.
    package func joined(with later: LogProbabilities, of logits: [Float], greatest count: Int) -> LogProbabilities {
        var all = maximum < later.maximum ? later : self
        let less = maximum < later.maximum ? self : later
        if all.maximum.isFinite, less.maximum.isFinite {
            all.logSum = log(exp(all.logSum) + exp(Double(less.maximum - all.maximum) + less.logSum))
        }
        var (first, second) = (greatest[...], later.greatest[...])
        all.greatest.removeAll(keepingCapacity: true)
        while all.greatest.count < count {
            guard let one = first.first ?? second.first else { break }
            if let other = second.first, Self.rank(logits[other]) > Self.rank(logits[one]) || first.isEmpty {
                all.greatest.append(other)
                second.removeFirst()
            } else {
                all.greatest.append(one)
                first.removeFirst()
            }
        }
        return all
    }

    private static func rank(_ logit: Float) -> Float { logit.isNaN ? -.infinity : logit }

    /// The token with the greatest logit, the lowest id on ties; `nil` if no token is possible or none was requested.
    package var best: Int? { maximum > -.infinity ? greatest.first : nil }

    /// log Σ exp(logit); -infinity if no token is possible.
    package var logSumOfExponentials: Double { maximum.isFinite ? Double(maximum) + logSum : Double(maximum) }

    /// Log-softmax of a token with this logit, accurate to 1e-6.
    package func callAsFunction(_ logit: Float) -> Float {
        guard maximum.isFinite else { return logit == maximum && maximum > 0 ? 0 : -.infinity }
        return logit > -.infinity ? Float(Double(logit - maximum) - logSum) : -.infinity
    }

    /// Softmax of a token with this logit.
    package func probability(_ logit: Float) -> Double { exp(Double(self(logit))) }

    /// The token with the greatest logit, the lowest id on ties; `nil` if no token is possible.
    package static func best(_ logits: [Float]) -> Int? {
        LogitKernels.firstMaximum(of: logits)?.index
    }
}
