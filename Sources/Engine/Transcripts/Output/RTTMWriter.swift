import EngineBasics

/// `.rttm`: a line for each turn of a speaker, with its start and length in seconds:
/// `SPEAKER recording 1 12.345 2.500 <NA> <NA> speaker_1 <NA> <NA>`.
///
/// Without turns, the segments that have a speaker take their place. Names are fields: white space in them becomes `_`.
package struct RTTMWriter: TranscriptWriter {
    package let recording: String

    package func text(of transcript: Transcript) -> String {
        let turns =
            transcript.turns
            ?? transcript.segments.compactMap { segment in
                segment.speaker.map { TranscriptTurn(start: segment.start, end: segment.end, speaker: $0) }
            }
        return turns.map { turn in
            let start = seconds(turn.start), length = seconds(max(0, turn.end - turn.start))
            return "SPEAKER \(field(recording)) 1 \(start) \(length) <NA> <NA> \(field(turn.speaker)) <NA> <NA>\n"
        }.joined()
    }

    /// With three decimals.
    private func seconds(_ time: Double) -> String {
        let milliseconds = Timestamp(seconds: time).milliseconds
        return "\(milliseconds / 1000).\(Digits.decimal(milliseconds % 1000, width: 3))"
    }

    private func field(_ name: String) -> String {
        let scalars = name.replacingControlCharacters(with: " ").unicodeScalars.map {
            WhiteSpace.contains($0) ? "_" : $0
        }
        return scalars.isEmpty ? "<NA>" : String(String.UnicodeScalarView(scalars))
    }
}
