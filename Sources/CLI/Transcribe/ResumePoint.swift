import Synchronization
import WhisperEngine

/// What an interrupted run has of a recording, in `.NAME.resume`: the next run with the same model and options goes on there.
struct ResumePoint {
    /// One for each channel that is transcribed by itself.
    let parts: [TranscribedPart]

    /// Seconds of the recording up to which it has been transcribed, the mean of the channels.
    var position: Double { parts.reduce(0) { $0 + $1.position } / Double(parts.count) }

    /// The largest file that is read: the words of a hundred hours.
    private static let maxBytes = 1 << 30

    /// - Parameters:
    ///   - made: as it was saved.
    ///   - channels: how many are transcribed.
    /// - Returns: `nil` if there is none, or one of another recording, model or options.
    init?(_ path: FilePath, made: String, channels: Int) {
        guard case .success(let bytes) = FileSystem.contents(of: path, atMost: Self.maxBytes) else { return nil }
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard lines.count == channels + 1, let head = try? JSONValue(Array(lines[0]), depth: 2, members: 10 + channels),
            head["made"]?.string == made, case .array(let positions)? = head["positions"], positions.count == channels
        else { return nil }
        var parts: [TranscribedPart] = []
        for (value, line) in zip(positions, lines.dropFirst()) {
            guard case .number(let digits) = value, let position = Double(digits), position >= 0,
                let transcript = TranscriptText.decode(String(decoding: line, as: UTF8.self))
            else { return nil }
            parts.append(TranscribedPart(position: position, transcript: transcript))
        }
        self.parts = parts
        if position == 0 { return nil }
    }

    /// Keeps what is final in a transcription, and saves it from time to time, so that not even a crash of the system loses
    /// much of it.
    final class Saver: Sendable {
        private struct Channel {
            var segments: [TranscriptSegment]
            var language: String
            /// After the last window: the position, the length, and the number of segments.
            var reached: (position: Double, end: Double, count: Int)

            var isAtEnd: Bool { reached.position >= reached.end }

            var part: TranscribedPart {
                let segments = Array(segments.prefix(reached.count))
                return TranscribedPart(
                    position: reached.position,
                    transcript: Transcript(
                        text: segments.map(\.text).joined(), language: language, duration: reached.position,
                        segments: segments))
            }
        }

        private struct State {
            var channels: [Channel]
            var saved = ContinuousClock.now
        }

        private static let interval = Duration.seconds(10)

        private let path: FilePath
        private let made: String
        private let state: Mutex<State>

        init(_ path: FilePath, made: String, channels: Int, after earlier: ResumePoint?, language: String?) {
            (self.path, self.made) = (path, made)
            let start = (0..<channels).map { index in
                let part = earlier?.parts[index]
                let segments = part?.transcript.segments ?? []
                return Channel(
                    segments: segments, language: part?.transcript.language ?? language ?? "en",
                    reached: (part?.position ?? 0, .infinity, segments.count))
            }
            state = Mutex(State(channels: start))
        }

        func note(_ update: TranscriptUpdate, of channel: Int = 0) {
            let isDue = state.withLock { state in
                switch update {
                case .final(let segment): state.channels[channel].segments.append(segment)
                case .language(let code, _, _): state.channels[channel].language = code
                case .progress(let position, let duration):
                    let count = state.channels[channel].segments.count
                    state.channels[channel].reached = (position, duration ?? .infinity, count)
                    return ContinuousClock.now - state.saved >= Self.interval
                default: break
                }
                return false
            }
            if isDue { save() }
        }

        /// Writes the file; without it, the next run begins at the start.
        func save() {
            let content = state.withLock { state -> String? in
                state.saved = .now
                let parts = state.channels.map(\.part)
                guard parts.contains(where: { !$0.transcript.segments.isEmpty }),
                    !state.channels.allSatisfy(\.isAtEnd)
                else { return nil }
                let head = JSONText.object([
                    ("made", JSONText.string(made)),
                    ("positions", JSONText.array(parts.map { JSONText.number($0.position) })),
                ])
                return ([head] + parts.map { TranscriptText.encode($0.transcript) }).joined(separator: "\n") + "\n"
            }
            if let content { try? AtomicFile.write(Array(content.utf8), to: path) }
        }
    }
}

extension Transcript {
    /// The whole transcript, of which this is what follows `earlier`.
    func continuing(_ earlier: Transcript) -> Transcript {
        var whole = self
        whole.text = earlier.text + text
        whole.segments =
            earlier.segments
            + segments.enumerated().map { index, segment in
                var segment = segment
                segment.id = earlier.segments.count + index
                return segment
            }
        return whole
    }
}
