package import EngineModels
import EngineTranscripts
package import EngineVocabulary
import Synchronization

/// Writes the updates and the transcript of a recording as the user's vocabulary says, each segment once.
final class CorrectedUpdates: Sendable {
    private struct State {
        /// As far as it was reported.
        var language: String?
        /// The final segments by their numbers.
        var finals: [Int: TranscriptSegment] = [:]
    }

    private let corrections: TextCorrections
    private let state = Mutex(State())

    /// - Returns: `nil` if there is nothing to correct.
    init?(_ options: TranscriptionOptions, for model: any SpeechModel) {
        guard let corrections = TextCorrections(options, for: model).adding([]) else { return nil }
        self.corrections = corrections
    }

    /// Passes updates on. Finals and volatile text of which nothing is left are omitted.
    func updates(_ updates: @escaping @Sendable (TranscriptUpdate) -> Void) -> @Sendable (TranscriptUpdate) -> Void {
        { [self] update in
            switch update {
            case .final(let segment):
                let segment = final(segment)
                if !segment.text.isEmpty { updates(.final(segment)) }
            case .volatile(let segment?):
                let segment = corrections.corrected(segment, language: state.withLock { $0.language })
                updates(.volatile(segment.text.isEmpty ? nil : segment))
            case .language(let code, _, _):
                state.withLock { $0.language = code }
                updates(update)
            case .volatile(nil), .progress, .event, .status, .gap: updates(update)
            }
        }
    }

    /// The same transcript with the segments as they were reported.
    func transcript(_ transcript: Transcript) -> Transcript {
        var transcript = transcript
        transcript.segments = transcript.segments.map(final)
        transcript.text = transcript.segments.map(\.text).joined()
        return transcript
    }

    private func final(_ segment: TranscriptSegment) -> TranscriptSegment {
        let (known, language) = state.withLock { ($0.finals[segment.id], $0.language) }
        if let known { return known }
        let corrected = corrections.corrected(segment, language: language)
        state.withLock { $0.finals[segment.id] = corrected }
        return corrected
    }
}

extension TextCorrections {
    /// The corrections that the options ask for.
    ///
    /// - Parameter hasPunctuation: whether spoken signs are written, too.
    package convenience init(
        _ options: TranscriptionOptions, for model: any SpeechModel, hasPunctuation: Bool = false
    ) {
        let spelling = model.spelling
        let isTranslated = options.task == .translate
        self.init(
            terms: options.terms, rules: options.replacements,
            language: isTranslated ? "en" : options.language ?? model.traits.silentLanguage, isTranslated: isTranslated,
            hasPunctuation: hasPunctuation,
            isCommon: { spelling.isFrequent($0) })
    }
}
