import Foundation
import TestSupport
import Testing

/// In every format, segments are in order of their start, one voice never overlaps itself, words lie inside their segment,
/// and nothing leaves its clip. Only openai-whisper's own results, without guards, are exempt.
@Suite("Order of times")
struct TimeOrderTests {
    /// A line of a file; times in milliseconds.
    fileprivate struct Row: CustomStringConvertible {
        var start: Int
        var end: Int
        var voice: Substring = ""
        var description: String { "\(voice) \(start)–\(end)" }
    }

    /// How a recording is transcribed.
    fileprivate struct Way: CustomTestStringConvertible {
        let testDescription: String
        var isStereo = false
        var voices: [(Double, Double, String)] = []
        let change: @Sendable (inout TranscriptionOptions) -> Void

        /// Two voices that take turns and overlap.
        private static let alternating = (0..<90).map { (second: Int) -> (Double, Double, String) in
            let start = Double(second)
            return (start, start + 1.5, second.isMultiple(of: 2) ? "A" : "B")
        }

        static let all: [Way] = [
            Way(testDescription: "guards") { $0.guards = true },
            Way(testDescription: "words") {
                $0.guards = true; $0.wordTimestamps = true
            },
            Way(testDescription: "words that do not move windows") {
                $0.guards = true; $0.timeWords()
            },
            Way(testDescription: "clips that touch") {
                $0.guards = true; $0.clipTimestamps = [0, 3, 3, 8, 8, 8.5, 20]
            },
            Way(testDescription: "clips that overlap and go back") {
                $0.guards = true; $0.clipTimestamps = [5, 9, 0, 2, 1, 6.5, 30]; $0.wordTimestamps = true
            },
            Way(testDescription: "no timestamps") {
                $0.guards = true; $0.whisper.decoding.withoutTimestamps = true; $0.wordTimestamps = true
            },
            Way(testDescription: "speech only, a part") {
                $0.guards = true; $0.voiceActivity = VoiceActivityOptions(); $0.offset = 1.23; $0.duration = 40
                $0.wordTimestamps = true
            },
            Way(testDescription: "batches of clips") {
                $0.guards = true; $0.batchSize = 4; $0.clipTimestamps = [10, 14, 2, 3, 2.5, 8]
                $0.whisper.conditionOnPreviousText = false
            },
            Way(testDescription: "channels", isStereo: true) { _ in },
            Way(testDescription: "channels, words", isStereo: true) { $0.wordTimestamps = true },
            Way(testDescription: "channels, words, clips, guards", isStereo: true) {
                $0.guards = true; $0.wordTimestamps = true; $0.clipTimestamps = [20, 22, 0, 3, 3, 8]
            },
            Way(testDescription: "one voice", voices: [(0, 200, "A")]) {
                $0.timeWords(); $0.ordersTimes = true
            },
            Way(
                testDescription: "two voices",
                voices: alternating
            ) {
                $0.timeWords(); $0.ordersTimes = true; $0.clipTimestamps = [1, 33.3]
            },
        ]
    }

    private static let subtitles = [
        SubtitleOptions(style: .whisper), SubtitleOptions(maxWordsPerLine: 3),
        SubtitleOptions(maxLineWidth: 20, maxLineCount: 1),
        SubtitleOptions(maxLineWidth: 12, maxLineCount: 2, highlightWords: true), SubtitleOptions(highlightWords: true),
    ]

    /// Ten recordings of one to three clips with pauses; half of them have several windows.
    private static let recordings = Task {
        var clips: [[Float]] = []
        for number in 0..<20 {
            let name = "clips/say-\(number < 10 ? "0" : "")\(number).wav"
            clips.append(
                try await pcm16(FilePath(Fixtures.url(name).path(percentEncoded: false))).map { Float($0) / 32768 })
        }
        return (0..<10).map { (index: Int) -> [Float] in
            var recording: [Float] = []
            for part in 0..<(index.isMultiple(of: 2) ? 7 : 1) {
                recording += clips[(index + 3 * part) % 20]
                recording += [Float](repeating: 0, count: 1600 * (index * part % 9))
            }
            return recording
        }
    }

    @Test("every format, with every option set", arguments: Way.all)
    fileprivate func order(way: Way) async throws {
        let recognizer = try await Recognizer(
            model: NanoParityTests.model, options: ComputeOptions(computeType: .int16, threads: 1))
        var options = TranscriptionOptions.reference
        options.whisper.temperatures = [0]
        way.change(&options)
        let recordings = try await Self.recordings.value
        for (index, samples) in recordings.enumerated() {
            let transcript: Transcript
            if way.isStereo {
                let other = Array(recordings[(index + 3) % 10])
                transcript = try await recognizer.transcribe(
                    channels: [SampleSource(samples), SampleSource(other)], options: options)
            } else {
                let plain = try await recognizer.transcribe(SampleSource(samples), options: options)
                transcript =
                    way.voices.isEmpty
                    ? plain : Self.named(plain, way.voices, options, spelling: recognizer.model.spelling)
            }
            let clips = Self.clips(options, seconds: transcript.duration)
            for format in OutputFormat.allCases {
                let isSubtitle = format == .srt || format == .vtt || format == .ass
                for var subtitles in isSubtitle ? Self.subtitles : [SubtitleOptions(style: .whisper)] {
                    subtitles.clipStarts = clips.map { Double($0.lowerBound) / 1000 }
                    let text = format.text(of: transcript, subtitles: subtitles)
                    let rows = try Self.rows(of: text, format)
                    let hasText = !transcript.segments.allSatisfy(\.text.isEmpty)
                    let hasRows = ![.txt, .md, .rttm].contains(format) && hasText
                    #expect(!rows.isEmpty || !hasRows, "\(index) \(format)")
                    Self.check(rows, clips: clips, "\(way.testDescription), \(index), \(format), \(subtitles)")
                }
            }
        }
    }

    private static func named(
        _ transcript: Transcript, _ voices: [(Double, Double, String)], _ options: TranscriptionOptions,
        spelling: any TokenSpelling
    ) -> Transcript {
        let turns = voices.map { TranscriptTurn(start: $0.0, end: $0.1, speaker: $0.2) }
        let times = options.clipTimestamps.isEmpty ? [0, transcript.duration] : options.clipTimestamps
        let clips = stride(from: 0, to: times.count, by: 2).map { times[$0]..<times[$0 + 1] }
        return SpeakerUpdates(SpeakerAssignment(turns: turns, spelling: spelling), clips: clips).transcript(
            transcript)
    }

    /// The clips in milliseconds; those that overlap are one.
    private static func clips(_ options: TranscriptionOptions, seconds: Double) -> [ClosedRange<Int>] {
        var times = options.clipTimestamps.isEmpty ? [options.offset] : options.clipTimestamps
        if times.count % 2 == 1 { times.append(options.offset + seconds) }
        let clips = stride(from: 0, to: times.count, by: 2).map {
            let start = Int((times[$0] * 1000).rounded())
            return start...max(start, Int((times[$0 + 1] * 1000).rounded()))
        }
        return clips.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, clip in
            if let last = merged.last, clip.lowerBound < last.upperBound {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, clip.upperBound)
            } else {
                merged.append(clip)
            }
        }
    }

    private static func check(_ rows: [Row], clips: [ClosedRange<Int>], _ name: String) {
        for (one, next) in zip(rows, rows.dropFirst()) { #expect(one.start <= next.start, "\(name): \(one), \(next)") }
        var last: [Substring: Row] = [:]
        for row in rows {
            #expect(row.start <= row.end, "\(name): \(row)")
            if let before = last[row.voice] { #expect(before.end <= row.start, "\(name): \(before), \(row)") }
            last[row.voice] = row
            #expect(
                clips.contains { $0.contains(row.start) && $0.contains(row.end) }, "\(name): \(row) in \(clips)")
        }
    }

    // MARK: - Reading the files

    private static func rows(of text: String, _ format: OutputFormat) throws -> [Row] {
        switch format {
        // Times in md are whole seconds.
        case .txt, .md: []
        case .srt, .vtt: cues(of: text)
        case .ass: dialogues(of: text)
        case .tsv: table(text, separator: "\t")
        case .csv: table(text, separator: ",")
        case .lrc:
            text.matches(of: /\[(\d+):(\d\d)\.(\d\d)\]/).map { match in
                let time = ((Int(match.1) ?? 0) * 60 + (Int(match.2) ?? 0)) * 1000 + (Int(match.3) ?? 0) * 10
                return Row(start: time, end: time)
            }
        case .rttm:
            text.split(separator: "\n").map { line in
                let fields = line.split(separator: " ")
                let start = milliseconds(Double(fields[3])), length = milliseconds(Double(fields[4]))
                return Row(start: start, end: start + length, voice: fields[7])
            }
        case .json: try words(of: text)
        }
    }

    private static func table(_ text: String, separator: Character) -> [Row] {
        let hasVoice = text.hasPrefix(["start", "end", "speaker"].joined(separator: String(separator)))
        return text.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: separator, omittingEmptySubsequences: false)
            return Row(start: Int(fields[0]) ?? -1, end: Int(fields[1]) ?? -1, voice: hasVoice ? fields[2] : "")
        }
    }

    private static func cues(of text: String) -> [Row] {
        let cue =
            /(?:(\d\d):)?(\d\d):(\d\d)[,.](\d{3}) --> (?:(\d\d):)?(\d\d):(\d\d)[,.](\d{3})\n(?:\[(.*?)\]|<v (.*?)>)?/
        return text.matches(of: cue).map { match in
            func time(_ hours: Substring?, _ minutes: Substring, _ seconds: Substring, _ rest: Substring) -> Int {
                ((Int(hours ?? "0") ?? 0) * 3600 + (Int(minutes) ?? 0) * 60 + (Int(seconds) ?? 0)) * 1000
                    + (Int(rest) ?? 0)
            }
            return Row(
                start: time(match.1, match.2, match.3, match.4), end: time(match.5, match.6, match.7, match.8),
                voice: match.9 ?? match.10 ?? "")
        }
    }

    private static func dialogues(of text: String) -> [Row] {
        let dialogue = /Dialogue: 0,(\d+):(\d\d):(\d\d)\.(\d\d),(\d+):(\d\d):(\d\d)\.(\d\d),Default,(.*?),/
        return text.matches(of: dialogue).map { match in
            func time(_ hours: Substring, _ minutes: Substring, _ seconds: Substring, _ rest: Substring) -> Int {
                (((Int(hours) ?? 0) * 60 + (Int(minutes) ?? 0)) * 60 + (Int(seconds) ?? 0)) * 1000 + (Int(rest) ?? 0)
                    * 10
            }
            return Row(
                start: time(match.1, match.2, match.3, match.4), end: time(match.5, match.6, match.7, match.8),
                voice: match.9)
        }
    }

    /// The segments, or the words of those that have any. Checks that words lie inside their segment.
    private static func words(of text: String) throws -> [Row] {
        struct Word: Decodable {
            let start: Double
            let end: Double
        }
        struct Segment: Decodable {
            let start: Double
            let end: Double
            let text: String
            let speaker: String?
            let words: [Word]?
        }
        struct Object: Decodable { let segments: [Segment] }
        let segments = try JSONDecoder().decode(Object.self, from: Data(text.utf8)).segments
        for (one, next) in zip(segments, segments.dropFirst()) { #expect(one.start <= next.start) }
        // Words of two voices may interleave.
        return segments.flatMap { segment -> [Row] in
            for word in segment.words ?? [] {
                #expect(segment.start <= word.start && word.end <= segment.end, "\(segment)")
            }
            let times = segment.words.flatMap { $0.isEmpty ? nil : $0.map { ($0.start, $0.end) } }
            return (times ?? [(segment.start, segment.end)]).map {
                Row(start: milliseconds($0.0), end: milliseconds($0.1), voice: segment.speaker.map { $0[...] } ?? "")
            }
        }.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }

    private static func milliseconds(_ seconds: Double?) -> Int { Int(((seconds ?? -1) * 1000).rounded()) }
}
