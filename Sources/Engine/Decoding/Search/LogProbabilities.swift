import Glibc

/// Log-softmax of a row of logits, evaluated only where it is asked for, and its greatest logits: what one pass over the
/// row finds.
///
/// -infinity stands for an impossible token; NaN counts as impossible too.
package struct LogProbabilities: Sendable {
    /// Greatest logit; -infinity where no token is possible.
    package private(set) var maximum: Float
    /// log Σ exp(logit - maximum).
    private var logSum: Double
    /// Ids of the greatest logits, as many as were asked for: the greatest first, the lower id first on ties.
    package private(set) var greatest: [Int] = []

    /// - Parameters:
    ///   - range: the ids that are possible; `nil` is all of them.
    ///   - count: how many of the greatest are wanted.
    package init(_ logits: [Float], in range: Range<Int>? = nil, greatest count: Int = 0) {
        let (maximum, sum) = LogitKernels.survey(
            of: logits, in: range ?? logits.indices, greatest: count, into: &greatest)
        self.maximum = maximum
        logSum = maximum.isFinite ? log(sum) : 0
    }

    /// Of a range of ids together with one behind it, of the same logits.
    ///
    /// - Parameter count: how many of the greatest are wanted; at least as many were asked for of both.
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

    /// The token with the greatest logit, the lowest id on ties; `nil` where no token is possible or none was asked for.
    package var best: Int? { maximum > -.infinity ? greatest.first : nil }

    /// log Σ exp(logit); -infinity where no token is possible.
    package var logSumOfExponentials: Double { maximum.isFinite ? Double(maximum) + logSum : Double(maximum) }

    /// log softmax of a token with this logit, to 1e-6.
    package func callAsFunction(_ logit: Float) -> Float {
        guard maximum.isFinite else { return logit == maximum && maximum > 0 ? 0 : -.infinity }
        return logit > -.infinity ? Float(Double(logit - maximum) - logSum) : -.infinity
    }

    /// Softmax of a token with this logit.
    package func probability(_ logit: Float) -> Double { exp(Double(self(logit))) }

    /// The token with the greatest logit, the lowest id on ties; `nil` where no token is possible.
    package static func best(_ logits: [Float]) -> Int? {
        LogitKernels.firstMaximum(of: logits)?.index
    }
}
