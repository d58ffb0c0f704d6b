import Glibc

/// Times words by the cross-attention of a pass over `[start sequence…, no timestamps, text…, end of text]`.
///
/// Heads that follow the sound look at the moment at which each token is spoken; the cheapest monotone path through
/// their mean gives the time of each token. Method and constants are openai-whisper's `find_alignment`.
package struct CrossAttentionAlignment: Sendable {
    /// Tokens fed to the decoder.
    package let rows: Int
    /// Audio positions (20 ms each) of a row of scores.
    package let columns: Int
    /// Tokens of the start sequence, before "no timestamps".
    package let startLength: Int
    /// Audio positions that hold sound: frames of the window / 2, at most `columns`.
    package let usedColumns: Int
    /// Rows behind the last token of the text: end of text, where it was fed.
    private let trailing: Int

    /// - Parameters:
    ///   - rows: tokens fed: start sequence, "no timestamps", text, end of text.
    ///   - columns: audio positions of a row of scores (1500).
    ///   - startLength: tokens of the start sequence (1 or 3).
    ///   - frames: frames of sound in the window (10 ms each).
    ///   - trailing: 0 where end of text was not fed, else 1.
    package init(rows: Int, columns: Int, startLength: Int, frames: Int, trailing: Int = 1) {
        precondition(startLength >= 0 && rows > startLength && columns >= 0, "\(rows) rows, start of \(startLength)")
        self.trailing = trailing
        self.rows = rows
        self.columns = columns
        self.startLength = startLength
        usedColumns = min(columns, max(0, frames / 2))
    }

    /// Rows of the cost matrix: "no timestamps" and the text.
    package var costRows: Int { rows - startLength - trailing }

    /// The times of words.
    ///
    /// - Parameters:
    ///   - words: the text's words in order, from `words(of:tokenizer:language:)`.
    ///   - scores: per alignment head `[rows, columns]`, before softmax.
    ///   - probabilities: one for each id of the text.
    /// - Returns: as many timings as words, seconds from the start of the window, 20 ms apart.
    package func timings(of words: [WordTokens], scores: [[Float]], probabilities: [Float]) -> [WordTiming] {
        guard !words.isEmpty, costRows > 0 else { return [] }
        let path = DynamicTimeWarping.path(costs: costs(scores: scores), rows: costRows, columns: usedColumns)
        let times = rowTimes(of: path)
        var first = 0
        return words.map { word in
            let next = first + word.tokens.count
            defer { first = next }
            let range = min(first, probabilities.count)..<min(next, probabilities.count)
            let sum = probabilities[range].reduce(0) { $0 + Double($1) }
            return WordTiming(
                word: word.word, tokens: word.tokens, start: times[min(first, times.count - 1)],
                end: times[min(next, times.count - 1)], probability: range.isEmpty ? 0 : sum / Double(range.count))
        }
    }

    /// The matrix whose cheapest path is the alignment: `[costRows, usedColumns]`.
    package func costs(scores: [[Float]]) -> [Float] {
        let filter = MedianFilter(width: 7)
        var sum = [Float](repeating: 0, count: costRows * usedColumns)
        for head in scores {
            precondition(head.count == rows * columns, "\(head.count) scores are not \(rows) × \(columns)")
            var weights = softmax(head)
            standardise(&weights)
            var kept = Array(weights[(startLength * usedColumns)..<((rows - trailing) * usedColumns)])
            filter.apply(to: &kept, columns: usedColumns)
            for i in sum.indices { sum[i] += kept[i] }
        }
        let count = Float(max(1, scores.count))
        for i in sum.indices { sum[i] = -(sum[i] / count) }
        return sum
    }

    /// Probability of an id among the ids of text.
    ///
    /// - Parameters:
    ///   - logits: one row of scores of the vocabulary; only those below `endOfText` count.
    package static func probability(of token: Int, logits: [Float], endOfText: Int) -> Float {
        let count = min(endOfText, logits.count)
        guard token >= 0, token < count else { return 0 }
        var greatest = -Float.infinity
        for i in 0..<count { greatest = max(greatest, logits[i]) }
        var sum = 0.0
        for i in 0..<count { sum += Double(expf(logits[i] - greatest)) }
        return Float(Double(expf(logits[token] - greatest)) / sum)
    }

    /// Seconds at which the path first reaches each row.
    private func rowTimes(of path: DynamicTimeWarping.Path) -> [Double] {
        var times: [Double] = []
        var last = -1
        for (row, column) in zip(path.rows, path.columns) where row != last {
            // In a window of one audio position or none the path runs left of the first column, as the reference's
            // does: its words stand 20 ms before its start.
            times.append(Double(column) / 50)
            last = row
        }
        return times
    }

    /// Softmax over the positions that hold sound: `[rows, usedColumns]`.
    private func softmax(_ scores: [Float]) -> [Float] {
        var weights = [Float](repeating: 0, count: rows * usedColumns)
        for row in 0..<rows {
            let from = row * columns
            let to = row * usedColumns
            var greatest = -Float.infinity
            for i in 0..<usedColumns { greatest = max(greatest, scores[from + i]) }
            var sum = 0.0
            for i in 0..<usedColumns {
                let weight = expf(scores[from + i] - greatest)
                weights[to + i] = weight
                sum += Double(weight)
            }
            let total = Float(sum)
            for i in 0..<usedColumns { weights[to + i] /= total }
        }
        return weights
    }

    /// For each position: minus the mean over the rows, divided by their standard deviation (by n, not n - 1).
    private func standardise(_ weights: inout [Float]) {
        let width = usedColumns
        let count = Double(rows)
        var means = [Double](repeating: 0, count: width)
        var variances = [Double](repeating: 0, count: width)
        for row in 0..<rows {
            for i in 0..<width { means[i] += Double(weights[row * width + i]) }
        }
        for i in 0..<width { means[i] /= count }
        for row in 0..<rows {
            for i in 0..<width {
                let difference = Double(weights[row * width + i]) - means[i]
                variances[i] += difference * difference
            }
        }
        let centres = means.map { Float($0) }
        let deviations = variances.map { Float(($0 / count).squareRoot()) }
        for row in 0..<rows {
            for i in 0..<width { weights[row * width + i] = (weights[row * width + i] - centres[i]) / deviations[i] }
        }
    }
}
