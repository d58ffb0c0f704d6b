import EngineAudio
package import EngineVoices

/// The outputs of the speaker networks for samples. Tests substitute known voices.
package protocol SpeakerEvidence: Sendable {
    /// The segmentation network in use.
    var version: SegmentationNetwork.Version { get }

    /// Returns who talks in each frame of the segmentation windows, which start one second apart.
    func activity(in samples: [Float]) throws -> LocalActivity.Frames

    /// Returns the voice vector, of length 1, of at least 400 samples.
    func voice(of samples: [Float]) throws -> [Float]
}

extension SpeakerNetworks: SpeakerEvidence {
    package var version: SegmentationNetwork.Version { segmentation.version }

    package func activity(in samples: [Float]) throws -> LocalActivity.Frames {
        LocalActivity.Frames(
            logits: try segmentation.stages(of: samples, step: LocalActivity.step).logits, version: version)
    }

    package func voice(of samples: [Float]) throws -> [Float] { try voice.vector(of: samples) }
}

/// Finds who speaks in the newest audio of a live session.
///
/// The stages are those of `Diarizer`, but only over the last seconds: each voice window is assigned to the nearest of
/// the voices known so far (`RunningSpeakers`). The result depends on the audio and on when it is requested, not on the
/// block sizes in which the audio arrives.
package struct LiveDiarizer {
    /// Audio that is kept: the longest utterance, and the windows that begin before it.
    private static let keptSamples = 40 * AudioChunk.sampleRate
    /// Segmentation windows computed together.
    private static let windowsAtOnce = 12
    /// Minimum time, in seconds, from the middle of the last voice window added to that of the next.
    private static let minAdvance = 0.3

    private let evidence: any SpeakerEvidence
    /// Session clock of the first sample. All windows count from here.
    private let origin: Int
    private var audio: AudioBuffer
    /// Who talks in complete segmentation windows, one every second.
    private var activity: [Int: LocalActivity.Frames] = [:]
    /// The vectors of voice windows, by their samples.
    private var vectors: [Range<Int>: [Float]] = [:]
    private var speakers: RunningSpeakers
    /// The middle of the last voice window added to `speakers`, in seconds.
    private var heard = -1.0

    /// - Parameters:
    ///   - start: session clock of the first sample.
    ///   - maximum: how many speakers there may be; `nil` is no limit.
    package init(_ evidence: any SpeakerEvidence, start: Int, maximum: Int?) {
        self.evidence = evidence
        origin = start
        audio = AudioBuffer(start: 0)
        speakers = RunningSpeakers(maximum: maximum)
    }

    package mutating func feed(_ samples: ArraySlice<Float>) {
        audio.append(samples)
        audio.drop(before: audio.end - Self.keptSamples)
    }

    /// Returns the turns around a part of the audio so far, in seconds on the session clock. A number always stands for
    /// the same speaker, but not every number need occur.
    ///
    /// - Parameter text: samples on the session clock.
    package mutating func turns(around text: Range<Int>) throws -> [SpeakerTurn] {
        let text = (text.lowerBound - origin)..<(text.upperBound - origin)
        let step = LocalActivity.step, length = evidence.version.windowSamples
        // All windows that cover the start of the text, up to the first one that covers its end.
        let last = max(0, (text.upperBound - length + step - 1) / step)
        let first = max(0, (text.lowerBound - length) / step, (audio.start + step - 1) / step)
        guard first <= last, audio.end > first * step else { return [] }
        let base = first * step, end = min(audio.end, last * step + length)
        let activity = try localActivity(first...last)
        let people = activity.people(), offset = Double(first)
        let duration = AudioChunk.seconds(of: end - base)
        let windows = VoiceWindows(people: people, duration: duration, layout: .grid(origin: -offset))
        let voices = try voices(in: windows.windows, from: base, count: end - base, textStart: text.lowerBound)
        for (window, vector) in zip(windows.windows, voices) {
            let middle = window.middle + offset
            guard let vector, middle >= heard + Self.minAdvance else { continue }
            speakers.add(vector)
            heard = middle
        }
        let labels = voices.map { $0.flatMap(speakers.speaker) }
        let unknown = (labels.compactMap(\.self).max() ?? -1) + 1
        let similarities = labels.flatMap { label in (0...unknown).map { Float($0 == label ?? unknown ? 1 : 0) } }
        let timeline = SpeakerTimeline(
            activity: activity, people: people, windows: windows, similarities: similarities, hasUnknown: true)
        let (turns, clusters) = timeline.turns(duration: duration)
        let start = AudioChunk.seconds(of: origin + base)
        return turns.map {
            SpeakerTurn(start: start + $0.start, end: start + $0.end, speaker: clusters[$0.speaker])
        }
    }

    /// Clusters all voices so far; called at pauses, when there is time.
    package mutating func settle() throws { try speakers.settle() }

    func voice(of speaker: Int) -> SpeakerVoice { speakers.voice(of: speaker) }

    /// The local speakers in windows; those that reach beyond the audio end with silence and are computed again later.
    private mutating func localActivity(_ windows: ClosedRange<Int>) throws -> LocalActivity {
        let step = LocalActivity.step, length = evidence.version.windowSamples
        activity = activity.filter { windows.contains($0.key) }
        var partial: [Int: LocalActivity.Frames] = [:], next = windows.lowerBound
        while next <= windows.upperBound {
            guard activity[next] == nil else {
                next += 1
                continue
            }
            let limit = min(windows.upperBound + 1, next + Self.windowsAtOnce)
            let after = (next..<limit).first { activity[$0] != nil } ?? limit
            let range = (next * step)..<((after - 1) * step + length)
            var samples = audio.read(range).map { $0.isFinite ? $0 : 0 }
            samples.append(contentsOf: repeatElement(0, count: range.count - samples.count))
            let batch = try evidence.activity(in: samples)
            let frames = batch.talking.count / (after - next)
            for window in next..<after {
                let part = batch.part(((window - next) * frames)..<((window - next + 1) * frames))
                if window * step + length <= audio.end { activity[window] = part } else { partial[window] = part }
            }
            next = after
        }
        var result = LocalActivity(windows: windows.count, of: evidence.version)
        for (index, window) in windows.enumerated() {
            if let frames = activity[window] ?? partial[window] { result.store(frames, from: index) }
        }
        return result
    }

    /// Returns the vectors of voice windows; `nil` for windows before the text that have moved since the last call.
    private mutating func voices(
        in windows: [VoiceWindows.Window], from base: Int, count: Int, textStart: Int
    ) throws -> [[Float]?] {
        vectors = vectors.filter { $0.key.lowerBound >= base }
        return try windows.map { window in
            let place = window.samples(of: count)
            let range = (base + place.lowerBound)..<(base + place.upperBound)
            if let known = vectors[range] { return known }
            let isNew = window.middle + Double(base / AudioChunk.sampleRate) >= heard + Self.minAdvance
            guard isNew || range.upperBound > textStart else { return nil }
            var samples = audio.read(range).map { $0.isFinite ? $0 : 0 }
            samples.append(contentsOf: repeatElement(0, count: range.count - samples.count))
            let vector = try evidence.voice(of: samples)
            if range.upperBound <= audio.end { vectors[range] = vector }
            return vector
        }
    }
}
