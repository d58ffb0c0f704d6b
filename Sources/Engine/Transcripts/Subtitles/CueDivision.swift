/// Divides what a speaker says into cues and lines, at the least cost in total: dynamic programming over the places between
/// words, in time and memory that grow with the number of words.
///
/// Costs have no unit. They are tuned on read English and French, and say how many extra cues (3 each) a better break is
/// worth.
struct CueDivision {
    private static let cueCost = 3.0
    private static let sentenceBreak = -3.0
    private static let clauseBreak = -1.5
    private static let openBreak = 5.0
    /// Between what may be two sentences without a sign.
    private static let capitalBreak = 2.0
    private static let breakAfterLeadingWord = 6.0
    private static let breakBeforeLeadingWord = -1.2
    private static let breakAtNumber = 1.5
    private static let breakInName = 2.0
    /// Per second of a pause at a break, up to one second.
    private static let pauseBreak = -2.0
    /// Pauses from this length on should not be inside a cue, and from the second one on are not.
    private static let longPause = 0.8
    private static let longestPause = 1.45
    private static let pauseInside = 8.0
    private static let sentenceEndInside = 1.5
    private static let missingSecond = 15.0
    private static let orphan = 6.0
    private static let secondLine = 1.0
    private static let uneven = 3.0
    private static let upperLonger = 0.5
    private static let shortLine = 4.0
    /// Letters up to which a word alone on a line is a remnant.
    private static let shortWord = 7

    let guideline: SubtitleGuideline
    private let units: [SubtitleUnit]
    /// When the next speaker begins.
    private let limit: Double
    /// Columns that the name of the speaker takes in the first line.
    private let indent: Int
    private let endsSentence: [Bool]
    /// The cost of a line that breaks before each unit, and of a cue that starts with it.
    private let lineBreaks: [Double]
    private let cueBreaks: [Double]
    /// Sums over the units before each one: columns with the blanks between them, characters, and the cost of the pauses and
    /// sentence ends between two units of a cue.
    private let columns: [Int]
    private let characters: [Int]
    private let inside: [Double]
    /// Whether a cue must start with a unit.
    private let isForced: [Bool]
    /// Of each unit: its times, the blank before it, and whether it is a remnant if it stands alone.
    private let starts: [Double]
    private let ends: [Double]
    private let blanks: [Int]
    private let isRemnant: [Bool]

    init(
        _ units: [SubtitleUnit], guideline: SubtitleGuideline, leadingWords: Set<String>, indent: Int = 0,
        clipStarts: [Double] = [], limit: Double = .infinity
    ) {
        self.units = units
        self.guideline = guideline
        self.indent = min(indent, max(0, guideline.width - 12))
        self.limit = limit
        var (endsSentence, lines, cues) = ([Bool](), [0.0], [0.0])
        var (columns, characters, inside, isForced) = ([0], [0], [0.0], [true])
        for (index, unit) in units.enumerated() {
            let blank = unit.hasBlank ? 1 : 0
            columns.append(columns[index] + unit.columns + blank)
            characters.append(characters[index] + unit.characters + blank)
            guard index + 1 < units.count else {
                endsSentence.append(true)
                inside.append(inside[index])
                break
            }
            let next = units[index + 1]
            let isSentence = unit.mayEndSentence && !next.startsInLowerCase
            endsSentence.append(isSentence)
            let pause = next.start - unit.end
            let line = Self.lineBreak(unit, next, leadingWords)
            lines.append(isSentence || unit.endsClause ? Self.clauseBreak : line)
            let sign =
                isSentence
                ? Self.sentenceBreak
                : unit.endsClause ? Self.clauseBreak : line + (next.isCapitalized ? Self.capitalBreak : Self.openBreak)
            cues.append(sign + Self.pauseBreak * min(max(pause, 0), 1))
            inside.append(
                inside[index] + (isSentence ? Self.sentenceEndInside : 0)
                    + (pause >= Self.longPause ? Self.pauseInside * pause : 0))
            isForced.append(
                pause >= Self.longestPause
                    || clipStarts.contains { unit.start < $0 && $0 <= next.start })
        }
        (starts, ends) = (units.map(\.start), units.map(\.end))
        blanks = units.map { $0.hasBlank ? 1 : 0 }
        isRemnant = units.map { $0.hasBlank && $0.letters <= Self.shortWord }
        (self.endsSentence, lineBreaks, cueBreaks) = (endsSentence, lines, cues)
        (self.columns, self.characters, self.inside, self.isForced) = (columns, characters, inside, isForced)
    }

    private static func lineBreak(_ unit: SubtitleUnit, _ next: SubtitleUnit, _ leading: Set<String>) -> Double {
        var cost = next.breakCost
        if leading.contains(unit.lastWord) {
            cost += breakAfterLeadingWord
        } else if leading.contains(next.firstWord) {
            cost += breakBeforeLeadingWord
        }
        if next.hasBlank {
            if unit.hasDigits || next.hasDigits { cost += breakAtNumber }
            if unit.isCapitalized, next.isCapitalized { cost += breakInName }
        }
        return cost
    }

    /// The cues as ranges of units.
    var cues: [Range<Int>] {
        guard !units.isEmpty else { return [] }
        var best = [0.0] + [Double](repeating: .infinity, count: units.count)
        var from = [Int](repeating: 0, count: units.count + 1)
        for start in units.indices {
            var end = start + 1
            while end <= units.count {
                let cost = self.cost(of: start..<end)
                if cost == .infinity { break }
                if best[start] + cost < best[end] { (best[end], from[end]) = (best[start] + cost, start) }
                if end < units.count, isForced[end] { break }
                end += 1
            }
        }
        var found: [Range<Int>] = []
        var end = units.count
        while end > 0 {
            found.append(from[end]..<end)
            end = from[end]
        }
        return found.reversed()
    }

    /// Infinite if the units do not fit; a single one always does.
    private func cost(of cue: Range<Int>) -> Double {
        let (start, end) = (starts[cue.lowerBound], ends[cue.upperBound - 1])
        if cue.count > 1, end - start > guideline.longest || cue.count > guideline.words { return .infinity }
        guard var cost = layoutCost(of: cue) else { return .infinity }
        cost += Self.cueCost + inside[cue.upperBound - 1] - inside[cue.lowerBound]
        let next = cue.upperBound < units.count ? starts[cue.upperBound] : limit
        if cue.upperBound < units.count, !isForced[cue.upperBound] { cost += cueBreaks[cue.upperBound] }
        let shown = min(next - guideline.gap, end + guideline.lingering, start + guideline.longest) - start
        if shown < guideline.shortest { cost += Self.missingSecond * (guideline.shortest - shown) }
        let speed = Double(characters(of: cue)) / max(shown, 0.1)
        cost += max(0, speed - guideline.charactersPerSecond)
        if cue.count == 1, isRemnant[cue.lowerBound], cue.lowerBound > 0, !endsSentence[cue.lowerBound - 1] {
            cost += Self.orphan
        }
        return cost
    }

    /// Characters without line breaks.
    func characters(of cue: Range<Int>) -> Int {
        characters[cue.upperBound] - characters[cue.lowerBound] - blanks[cue.lowerBound]
    }

    private func width(of line: Range<Int>) -> Int {
        columns[line.upperBound] - columns[line.lowerBound] - blanks[line.lowerBound]
    }

    /// Whether units fit in a line; a single one always does.
    private func fits(_ line: Range<Int>, isFirst: Bool) -> Bool {
        line.count == 1 || width(of: line) + (isFirst ? indent : 0) <= guideline.width
    }
}

// MARK: - Lines

extension CueDivision {
    /// `nil` if the units do not fit.
    private func layoutCost(of cue: Range<Int>) -> Double? {
        if fits(cue, isFirst: true) { return 0 }
        if guideline.lines < 2 { return nil }
        if let (cost, _) = twoLines(cue) { return cost }
        guard guideline.lines > 2 else { return nil }
        let count = filledLines(cue)
        return count <= guideline.lines ? Double(count - 1) * Self.secondLine : nil
    }

    /// The best division into two lines and its cost.
    private func twoLines(_ cue: Range<Int>) -> (cost: Double, second: Int)? {
        guard width(of: cue) <= 2 * guideline.width + 1 || cue.count == 2 else { return longUnits(cue) }
        var best: (cost: Double, second: Int)?
        for second in cue.dropFirst() {
            guard fits(cue.lowerBound..<second, isFirst: true) else { break }
            guard fits(second..<cue.upperBound, isFirst: false) else { continue }
            let cost = pairCost(cue.lowerBound..<second, second..<cue.upperBound)
            if cost < best?.cost ?? .infinity { best = (cost, second) }
        }
        return best
    }

    /// Two lines, of which a word that is too long for any may fill one.
    private func longUnits(_ cue: Range<Int>) -> (cost: Double, second: Int)? {
        let ends = [cue.lowerBound + 1, cue.upperBound - 1]
        return ends.lazy.filter { second in
            fits(cue.lowerBound..<second, isFirst: true) && fits(second..<cue.upperBound, isFirst: false)
        }.map { (pairCost(cue.lowerBound..<$0, $0..<cue.upperBound), $0) }.first
    }

    private func pairCost(_ upper: Range<Int>, _ lower: Range<Int>) -> Double {
        let (above, below) = (width(of: upper), width(of: lower))
        var cost = Self.secondLine + lineBreaks[lower.lowerBound]
        cost += Self.uneven * Double(abs(above - below)) / Double(guideline.width)
        if above > below { cost += Self.upperLonger }
        if upper.count == 1, isRemnant[upper.lowerBound] { cost += Self.shortLine }
        if lower.count == 1, isRemnant[lower.lowerBound] { cost += Self.shortLine }
        return cost
    }

    /// Number of lines if each is as full as possible.
    private func filledLines(_ cue: Range<Int>) -> Int {
        var (count, start) = (0, cue.lowerBound)
        while start < cue.upperBound {
            var end = start + 1
            while end < cue.upperBound, fits(start..<end + 1, isFirst: count == 0) { end += 1 }
            (count, start) = (count + 1, end)
        }
        return count
    }

    /// The lines of a cue.
    func lines(of cue: Range<Int>) -> [Range<Int>] {
        if fits(cue, isFirst: true) { return [cue] }
        if let (_, second) = twoLines(cue) { return [cue.lowerBound..<second, second..<cue.upperBound] }
        return manyLines(cue)
    }

    /// Three lines or more, each as close as possible to the mean width.
    private func manyLines(_ cue: Range<Int>) -> [Range<Int>] {
        let count = filledLines(cue)
        let mean = Double(width(of: cue)) / Double(count)
        // The least cost of the units before each end in the lines so far, and where the last of these starts.
        var best = [[Int: (cost: Double, start: Int)]](repeating: [:], count: count + 1)
        best[0][cue.lowerBound] = (0, cue.lowerBound)
        for line in 1...count {
            for (start, before) in best[line - 1] where start < cue.upperBound {
                for end in start + 1...cue.upperBound {
                    guard fits(start..<end, isFirst: line == 1) else { break }
                    let rest = Double(width(of: start..<end)) - mean
                    let cost =
                        before.cost + (line > 1 ? lineBreaks[start] : 0)
                        + Self.uneven * abs(rest) / Double(guideline.width)
                    if cost < best[line][end]?.cost ?? .infinity { best[line][end] = (cost, start) }
                }
            }
        }
        var (lines, end) = ([Range<Int>](), cue.upperBound)
        for line in (1...count).reversed() {
            guard let start = best[line][end]?.start else { break }
            lines.append(start..<end)
            end = start
        }
        return lines.reversed()
    }
}
