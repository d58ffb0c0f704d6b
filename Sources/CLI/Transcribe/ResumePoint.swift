import Synchronization
import WhisperEngine

/// What an interrupted run has of a recording, in `.NAME.resume`: the next run with the same model and options goes on there.
struct ResumePoint {
    /// Seconds of the recording up to which it has been transcribed.
    let position: Double
    /// The segments before.
    let transcript: Transcript

    /// The largest file that is read: the words of a hundred hours.
    private static let maxBytes = 1 << 30

    /// - Parameter made: as it was saved.
    /// - Returns: `nil` if there is none, or one of another recording, model or options.
    init?(_ path: FilePath, made: String) {
        guard case .success(let bytes) = FileSystem.contents(of: path, atMost: Self.maxBytes),
            let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
            let head = try? JSONValue(Array(bytes[..<end]), depth: 2, members: 10), head["made"]?.string == made,
            case .number(let digits)? = head["position"], let position = Double(digits), position > 0,
            let transcript = TranscriptText.decode(String(decoding: bytes[(end + 1)...], as: UTF8.self))
        else { return nil }
        (self.position, self.transcript) = (position, transcript)
    }

    /// Keeps what is final in a transcription, and saves it from time to time, so that not even a crash of the system loses
    /// much of it.
    final class Saver: Sendable {
        private struct State {
            var segments: [TranscriptSegment]
            var language: String
            /// After the last window: the position, the length, and the number of segments.
            var reached: (position: Double, end: Double, count: Int)?
            var saved = ContinuousClock.now
        }

        private static let interval = Duration.seconds(10)

        private let path: FilePath
        private let made: String
        private let state: Mutex<State>

        init(_ path: FilePath, made: String, after earlier: ResumePoint?, language: String?) {
            (self.path, self.made) = (path, made)
            let start = earlier?.transcript
            state = Mutex(State(segments: start?.segments ?? [], language: start?.language ?? language ?? "en"))
        }

        func note(_ update: TranscriptUpdate) {
            let isDue = state.withLock { state in
                switch update {
                case .final(let segment): state.segments.append(segment)
                case .language(let code, _, _): state.language = code
                case .progress(let position, let duration):
                    state.reached = (position, duration ?? .infinity, state.segments.count)
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
                guard let reached = state.reached, reached.position < reached.end, reached.count > 0 else { return nil }
                let segments = Array(state.segments.prefix(reached.count))
                let transcript = Transcript(
                    text: segments.map(\.text).joined(), language: state.language, duration: reached.position,
                    segments: segments)
                let head = JSONText.object([
                    ("made", JSONText.string(made)), ("position", JSONText.number(reached.position)),
                ])
                return head + "\n" + TranscriptText.encode(transcript) + "\n"
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
