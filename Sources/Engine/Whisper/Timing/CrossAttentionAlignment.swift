import Glibc

/// Aligns words with the audio by the cross-attention of a pass over `[start sequence…, no timestamps, text…, end of
/// text]`.
///
/// The alignment heads attend to the moment at which each token is spoken; the cheapest monotonic path through the mean
/// of their weights gives the time of each token. Method and constants are those of openai-whisper's `find_alignment`.
package struct CrossAttentionAlignment: Sendable {
    /// Number of tokens fed to the decoder.
    package let rows: Int
    /// Number of audio positions (20 ms each) in a row of scores.
    package let columns: Int
    /// Length of the start sequence, which precedes "no timestamps".
    package let startLength: Int
    /// Number of audio positions that are not padding: frames of the window / 2, at most `columns`.
    package let usedColumns: Int
    /// Number of rows after the last text token: 1 if the end of text was fed.
    private let trailing: Int

    /// - Parameters:
    ///   - rows: number of tokens fed: start sequence, "no timestamps", text, end of text.
    ///   - columns: number of audio positions in a row of scores (1500).
    ///   - startLength: length of the start sequence (1 or 3).
    ///   - frames: audio frames of the window (10 ms each), without padding.
    ///   - trailing: 1 if the end of text was fed, else 0.
    package init(rows: Int, columns: Int, startLength: Int, frames: Int, trailing: Int = 1) {
        precondition(startLength >= 0 && rows > startLength && columns >= 0, "\(rows) rows, start of \(startLength)")
        self.trailing = trailing
        self.rows = rows
        self.columns = columns
        self.startLength = startLength
        usedColumns = min(columns, max(0, frames / 2))
    }

    /// Number of rows of the cost matrix: "no timestamps" and the text.
    package var costRows: Int { rows - startLength - trailing }

    /// The words to align: the text is split together with the end of text, and the last word, which contains the end,
    /// is dropped, as in openai-whisper. Ids at the end that do not form a whole character are left out: the last word would
    /// be dropped with them.
    ///
    /// - Parameter language: code, name or alias; `nil` for English vocabularies.
    package static func words(of textTokens: [Int], tokenizer: Tokenizer, language: String?) -> [WordTokens] {
        tokenizer.splitIntoWords(
            tokenizer.withoutPartialCharacter(textTokens) + [tokenizer.special.endOfText], language: language
        ).dropLast()
    }

    /// Returns the times of words.
    ///
    /// - Parameters:
    ///   - words: the text's words in order, from `words(of:tokenizer:language:)`.
    ///   - scores: for each alignment head `[rows, columns]`, before softmax.
    ///   - probabilities: one for each id of the text.
    /// - Returns: one timing per word, in seconds from the start of the window, in multiples of 20 ms.
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
            standardize(&weights)
            var kept = Array(weights[(startLength * usedColumns)..<((rows - trailing) * usedColumns)])
            filter.apply(to: &kept, columns: usedColumns)
            for i in sum.indices { sum[i] += kept[i] }
        }
        let count = Float(max(1, scores.count))
        for i in sum.indices { sum[i] = -(sum[i] / count) }
        return sum
    }

    /// Probability of an id, normalized over the text ids.
    ///
    /// - Parameter logits: one row of scores over the vocabulary; only those below `endOfText` count.
    package static func probability(of token: Int, logits: [Float], endOfText: Int) -> Float {
        let count = min(endOfText, logits.count)
        guard token >= 0, token < count else { return 0 }
        var greatest = -Float.infinity
        for i in 0..<count { greatest = max(greatest, logits[i]) }
        var sum = 0.0
        for i in 0..<count { sum += Double(expf(logits[i] - greatest)) }
        return Float(Double(expf(logits[token] - greatest)) / sum)
    }

    /// Times in seconds at which the path first reaches each row.
    private func rowTimes(of path: DynamicTimeWarping.Path) -> [Double] {
        var times: [Double] = []
        var last = -1
        for (row, column) in zip(path.rows, path.columns) where row != last {
            // In a window with at most one audio position the path runs to the left of the first column, as in the
            // reference: its words lie 20 ms before its start.
            times.append(Double(column) / 50)
            last = row
        }
        return times
    }

    /// Softmax over the positions that are not padding: `[rows, usedColumns]`.
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

    /// Normalizes each position over the rows to mean 0 and standard deviation 1 (with divisor n, not n - 1).
    private func standardize(_ weights: inout [Float]) {
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
        let centers = means.map { Float($0) }
        let deviations = variances.map { Float(($0 / count).squareRoot()) }
        for row in 0..<rows {
            for i in 0..<width { weights[row * width + i] = (weights[row * width + i] - centers[i]) / deviations[i] }
        }
    }
}
