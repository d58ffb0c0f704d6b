/// Decides which speakers talk in each frame, from the voice windows' similarities to the speakers and the local speakers
/// of the segmentation windows.
///
/// Voice windows are reliable but coarse; local speakers have exact edges and overlaps. So a local speaker who is
/// clearly one of the clusters votes for it in all frames, and the others vote frame by frame.
package struct SpeakerTimeline {
    /// The share of a local speaker's frames that must belong to one cluster for it to be trusted.
    private static let sureShare = 0.9
    /// Voice windows whose middle is within this many seconds of a frame count for it, with weights that fall linearly
    /// to zero. Using only the nearest window causes more errors where speakers change (docs/speakers.md).
    private static let reach = 0.9
    /// A local speaker with fewer samples of speech without overlap (0.2 s) is also judged by overlapped speech.
    private static let minClearSamples = 3200
    /// Shorter gaps within a speaker's turn are closed, shorter turns dropped; seconds.
    private static let minGap = 0.3
    private static let minLength = 0.2

    private let activity: LocalActivity
    private let people: [UInt8]
    private let speakers: Int
    /// The speaker whom the voice windows around each frame of speech are most similar to, -1 elsewhere.
    private let base: [Int32]

    /// - Parameters:
    ///   - people: how many talk in each frame.
    ///   - similarities: `[windows, speakers]`, of each voice window to each speaker.
    ///   - hasUnknown: whether the last of the speakers stands for unknown ones.
    package init(
        activity: LocalActivity, people: [UInt8], windows: VoiceWindows, similarities: [Float], hasUnknown: Bool = false
    ) {
        self.activity = activity
        self.people = people
        let columns = windows.windows.isEmpty ? 0 : similarities.count / windows.windows.count
        speakers = max(0, hasUnknown ? columns - 1 : columns)
        var base = [Int32](repeating: -1, count: people.count)
        for region in windows.regions {
            var first = region.windows.lowerBound
            let frames = FrameGrid.firstFrame(from: region.start)..<FrameGrid.firstFrame(from: region.end)
            for frame in frames.clamped(to: 0..<people.count) {
                let time = FrameGrid.center(frame)
                while windows.windows[first].middle <= time - Self.reach, first + 1 < region.windows.upperBound {
                    first += 1
                }
                var sums = [Double](repeating: 0, count: columns)
                for window in first..<region.windows.upperBound {
                    let weight = Self.reach - abs(windows.windows[window].middle - time)
                    if weight <= 0 { break }
                    for speaker in sums.indices {
                        sums[speaker] += weight * Double(similarities[window * columns + speaker])
                    }
                }
                if let best = sums.indices.max(by: { sums[$0] < sums[$1] }), best < speakers {
                    base[frame] = Int32(best)
                }
            }
        }
        self.base = base
    }

    /// The turns in order of their start, and the cluster of each speaker. Speakers are numbered as they appear.
    package func turns(duration: Double) -> (turns: [SpeakerTurn], clusters: [Int]) {
        var runs = (0..<speakers).map { _ in SpeakerRuns() }
        var votes = Votes(speakers: speakers, frames: activity.framesPerWindow)
        var done = 0
        for window in 0..<activity.windows {
            vote(in: window, &votes)
            let next =
                window + 1 < activity.windows ? LocalActivity.firstFrame(of: window + 1) : activity.frameCount
            // No later window covers these frames.
            for frame in done..<next {
                for speaker in votes.winners(of: frame, count: Int(people[frame])) { runs[speaker].add(frame) }
                votes.clear(frame)
            }
            done = next
        }
        var turns: [SpeakerTurn] = []
        for (speaker, run) in runs.enumerated() {
            turns += run.spans(duration: duration, minGap: Self.minGap)
                .filter { $0.end - $0.start >= Self.minLength }
                .map { SpeakerTurn(start: $0.start, end: $0.end, speaker: speaker) }
        }
        turns.sort { ($0.start, $0.end, $0.speaker) < ($1.start, $1.end, $1.speaker) }
        var clusters: [Int] = []
        for index in turns.indices {
            let number = clusters.firstIndex(of: turns[index].speaker) ?? clusters.count
            if number == clusters.count { clusters.append(turns[index].speaker) }
            turns[index].speaker = number
        }
        return (turns, clusters)
    }

    private func vote(in window: Int, _ votes: inout Votes) {
        let first = LocalActivity.firstFrame(of: window), sets = activity.frames(of: window)
        for local in 0..<LocalActivity.speakers {
            let bit: UInt8 = 1 << local
            var clear: [Int] = [], all: [Int] = [], overlapped: [Int] = []
            for (index, set) in sets.enumerated() where set & bit != 0 {
                let frame = first + index
                if set != bit { overlapped.append(frame) }
                guard base[frame] >= 0 else { continue }
                all.append(frame)
                if set == bit { clear.append(frame) }
            }
            let evidence = clear.count * SegmentationNetwork.hop < Self.minClearSamples ? all : clear
            if evidence.isEmpty { continue }
            var shares = [Double](repeating: 0, count: speakers)
            for frame in evidence { shares[Int(base[frame])] += 1 }
            for index in shares.indices { shares[index] /= Double(evidence.count) }
            let best = shares.indices.reduce(0) { shares[$1] > shares[$0] ? $1 : $0 }
            if shares[best] >= Self.sureShare {
                for (index, set) in sets.enumerated() where set & bit != 0 { votes.add(1, to: best, in: first + index) }
            } else {
                for frame in all { votes.add(1, to: Int(base[frame]), in: frame) }
                for frame in overlapped {
                    for speaker in shares.indices { votes.add(0.5 * shares[speaker], to: speaker, in: frame) }
                }
            }
        }
    }
}

/// The votes in the frames that one segmentation window covers.
private struct Votes {
    private let speakers: Int
    private let frames: Int
    /// A ring of frames.
    private var values: [Double]

    init(speakers: Int, frames: Int) {
        self.speakers = speakers
        self.frames = frames
        values = [Double](repeating: 0, count: speakers * frames)
    }

    mutating func add(_ weight: Double, to speaker: Int, in frame: Int) {
        values[frame % frames * speakers + speaker] += weight
    }

    mutating func clear(_ frame: Int) {
        let row = frame % frames * speakers
        for index in row..<(row + speakers) { values[index] = 0 }
    }

    /// The speakers with the most votes, at most two; the first of equal ones.
    func winners(of frame: Int, count: Int) -> [Int] {
        let row = frame % frames * speakers
        var winners: [Int] = []
        for _ in 0..<min(count, speakers, 2) {
            var best: Int?
            for speaker in 0..<speakers where !winners.contains(speaker) {
                let votes = values[row + speaker]
                if votes > 0, best.map({ votes > values[row + $0] }) ?? true { best = speaker }
            }
            guard let best else { break }
            winners.append(best)
        }
        return winners
    }
}

/// The frames in which a speaker talks, as ranges.
private struct SpeakerRuns {
    private var ranges: [Range<Int>] = []

    mutating func add(_ frame: Int) {
        if let last = ranges.last, last.upperBound == frame {
            ranges[ranges.count - 1] = last.lowerBound..<(frame + 1)
        } else {
            ranges.append(frame..<(frame + 1))
        }
    }

    /// The ranges in seconds, without gaps shorter than `minGap`.
    func spans(duration: Double, minGap: Double) -> [(start: Double, end: Double)] {
        var spans: [(start: Double, end: Double)] = []
        for range in ranges {
            let start = FrameGrid.start(range.lowerBound, duration: duration)
            let end = FrameGrid.start(range.upperBound, duration: duration)
            if let last = spans.last, start - last.end < minGap {
                spans[spans.count - 1].end = end
            } else if end > start {
                spans.append((start, end))
            }
        }
        return spans
    }
}
