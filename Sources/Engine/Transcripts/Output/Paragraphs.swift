import EngineBasics

/// Text to be read: sentences of one speaker without a long pause between them.
struct Paragraph: Hashable {
    var start: Double
    let speaker: String?
    var text: String
    var characters: Int

    /// A pause that ends a paragraph after a sentence, and one that always does; seconds.
    private static let sentencePause = 2.0
    private static let longPause = 4.0
    /// From how many characters on a paragraph ends with its sentence, its clause, or a word.
    private static let (length, longLength, longestLength) = (500, 1000, 1500)

    /// A paragraph ends with its speaker's turn, at a long pause, or where it is long enough.
    static func paragraphs(of transcript: Transcript) -> [Paragraph] {
        var paragraphs: [Paragraph] = []
        for run in SpokenUnits(transcript).runs {
            var last: SubtitleUnit?
            for unit in run.units {
                defer { last = unit }
                if let last, let open = paragraphs.last, !ends(open, after: last, before: unit) {
                    let text = (unit.hasBlank ? " " : "") + unit.text
                    paragraphs[paragraphs.count - 1].text += text
                    paragraphs[paragraphs.count - 1].characters += text.unicodeScalars.count
                } else {
                    paragraphs.append(
                        Paragraph(
                            start: unit.start, speaker: run.speaker, text: unit.text, characters: unit.characters))
                }
            }
        }
        return paragraphs
    }

    private static func ends(_ paragraph: Paragraph, after last: SubtitleUnit, before next: SubtitleUnit) -> Bool {
        let pause = next.start - last.end
        if pause >= longPause || paragraph.characters >= longestLength { return true }
        if paragraph.characters >= longLength, last.endsClause { return true }
        let endsSentence = last.mayEndSentence && !next.startsInLowerCase
        return endsSentence && (pause >= sentencePause || paragraph.characters >= length)
    }

    /// Paragraphs, each with whether its speaker has not spoken the one before.
    static func turns(of transcript: Transcript) -> [(paragraph: Paragraph, isNewSpeaker: Bool)] {
        let all = paragraphs(of: transcript)
        return all.enumerated().map { index, paragraph in
            (paragraph, index == 0 || all[index - 1].speaker != paragraph.speaker)
        }
    }
}

/// `.md`: paragraphs, each after its time and, if it is a new one, its speaker, in bold. Signs that Markdown gives a meaning
/// are escaped.
package struct MarkdownWriter: TranscriptWriter {
    package init() {}

    package func text(of transcript: Transcript) -> String {
        Paragraph.turns(of: transcript).map { paragraph, isNewSpeaker in
            let name = paragraph.speaker == nil || !isNewSpeaker ? "" : " \(SpeakerLabel.name(paragraph.speaker)):"
            return "**[\(Timestamp.clock(paragraph.start))]\(OutputText.markdown(name))** "
                + OutputText.markdown(paragraph.text) + "\n"
        }.joined(separator: "\n")
    }
}
