import EngineAudio
package import EngineModels
import EngineTranscription
import EngineTranscripts
package import EngineVoices

/// Assigns speakers to the finals of a live session; an assignment never changes.
package struct LiveSpeakers {
    private var diarizer: LiveDiarizer
    private let naming: SpeakerNaming
    private let spelling: any TokenSpelling
    /// The speakers in the order in which they first talk.
    private var order: [Int] = []
    /// The last one named.
    private var last: String?

    /// - Parameters:
    ///   - maximum: how many speakers there may be; `nil` is no limit.
    ///   - start: session clock of the first sample.
    package init(
        _ evidence: any SpeakerEvidence, maximum: Int? = nil, naming: SpeakerNaming, spelling: any TokenSpelling,
        start: Int = 0
    ) {
        diarizer = LiveDiarizer(evidence, start: start, maximum: maximum)
        self.naming = naming
        self.spelling = spelling
    }

    /// - Parameter options: the minimum number of speakers is ignored, because more may follow.
    init(_ options: SpeakerOptions, spelling: any TokenSpelling, start: SessionStart) {
        self.init(
            options.networks, maximum: options.limits.maximum,
            naming: SpeakerNaming(
                names: options.names, knownVoices: options.knownVoices, givenNumbers: start.speakerNumbers),
            spelling: spelling, start: start.clock)
    }

    mutating func feed(_ samples: ArraySlice<Float>) { diarizer.feed(samples) }

    /// The segment with its speaker, or the parts of different speakers, in order. Its audio must have been fed.
    ///
    /// Text without a voice belongs to the previous speaker, if there is one.
    mutating func parts(of segment: TranscriptSegment) throws -> [TranscriptSegment] {
        let start = AudioChunk.samples(in: segment.start)
        let turns = try diarizer.turns(around: start..<max(start, AudioChunk.samples(in: segment.end)))
        let assignment = SpeakerAssignment(
            turns: turns.map { TranscriptTurn(start: $0.start, end: $0.end, speaker: "\($0.speaker)") },
            spelling: spelling)
        return assignment.parts(of: segment).map { part in
            var part = part
            part.speaker = name(of: part.speaker.flatMap { Int($0) })
            part.words = part.words?.map { word in
                var word = word
                word.speaker = part.speaker
                return word
            }
            return part
        }
    }

    /// Clusters all voices so far; called at the end of an utterance.
    mutating func settle() throws { try diarizer.settle() }

    /// Returns the name of a speaker, or the last name for `nil`. A number changes to a name once the voice is
    /// recognized; earlier finals keep the number.
    private mutating func name(of speaker: Int?) -> String? {
        guard let speaker else { return last }
        let index = order.firstIndex(of: speaker) ?? order.count
        if index == order.count { order.append(speaker) }
        last = naming.names(of: order.map { diarizer.voice(of: $0) })[index]
        return last
    }
}
