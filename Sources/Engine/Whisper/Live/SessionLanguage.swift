package import EngineModels
package import EngineTranscripts
import Glibc

/// The language of a session: given, or detected in all speech so far until the evidence is clear.
///
/// The first second of speech often seems to be in another language, with a probability above 0.9 even. So all windows
/// of an utterance count, the longer ones more, and utterances count like independent observations. The limits were
/// chosen with 125 prompts in five languages and base. A language that is clear may still be revised, from one utterance to
/// the next, until enough speech has been heard.
package struct SessionLanguage: Sendable {
    /// What one window says.
    package struct Evidence: Sendable {
        /// By the code of the language.
        let logProbabilities: [String: Double]
        /// Whether the network hears speech: detectors also take ring tones and music for it.
        let isSpeech: Bool

        /// - Parameter probabilities: by the code of the language; at least one.
        package init(_ probabilities: [String: Double], noSpeechProb: Double) {
            logProbabilities = probabilities.mapValues { log(max($0, .leastNormalMagnitude)) }
            isSpeech = noSpeechProb < SessionLanguage.noSpeechThreshold
        }
    }

    /// Of no speech. 0.02 to 0.5 in windows of speech, above 0.6 in those of tones and synthetic music.
    private static let noSpeechThreshold = 0.5
    private static let sufficientProbability = 0.9
    /// Seconds of speech.
    private static let sufficientVoice = 1.0
    /// Seconds of speech that are enough whatever the probability: `transcribe` hears no more.
    private static let maxVoice = 30.0
    /// Seconds of speech after which a clear language stays.
    private static let settledVoice = 10.0
    /// The weight of a window without detected voice, in seconds: it counts if there is nothing else.
    private static let minVoice = 0.01

    /// The best guess so far; `nil` before the first window.
    package private(set) var best: DetectedLanguage?
    package private(set) var certainty: LanguageCertainty
    /// What is to replace `best`, which was clear, in the next utterance.
    private var revision: DetectedLanguage?
    /// Sums of log probabilities of the utterances before.
    private var earlier: [String: Double] = [:]
    private var earlierVoice = 0.0
    /// Weighted sums of log probabilities of the windows of the open utterance.
    private var open: [String: Double] = [:]
    private var openWeight = 0.0
    /// Speech in the last window, in seconds.
    private var openVoice = 0.0
    /// The window heard last, which a second pass does not change.
    private var last: (range: Range<Int>, isWhole: Bool)?
    /// Codes of the languages that may be spoken; empty for any.
    private let possible: [String]

    /// - Parameters:
    ///   - code: the language, or `nil` to detect it.
    ///   - possible: codes of the languages to choose from; empty for any.
    package init(fixed code: String?, among possible: [String] = []) {
        self.possible = possible
        certainty = code == nil ? .unclear : .given
        best = code.map { DetectedLanguage(code: $0, probability: 1) }
    }

    /// The code of the best guess so far.
    package var code: String { best?.code ?? "en" }

    /// Whether more speech may change the language, in this utterance or from the next one on.
    package var isOpen: Bool {
        certainty == .unclear || certainty == .clear && earlierVoice + openVoice < Self.settledVoice
    }

    /// Takes a window into account while more speech may change the language.
    ///
    /// - Parameters:
    ///   - window: on the session clock.
    ///   - voice: seconds of voice in the window.
    ///   - isWhole: whether the window ends an utterance.
    package mutating func hear(
        _ window: Range<Int>, voice: Double, isWhole: Bool, _ detect: () throws -> Evidence
    ) rethrows {
        guard isOpen, last.map({ $0 != (window, isWhole) }) ?? true else { return }
        let evidence = try detect()
        last = (window, isWhole)
        if evidence.isSpeech {
            let voice = max(voice, Self.minVoice)
            for (code, value) in evidence.logProbabilities { open[code, default: 0] += voice * voice * value }
            openWeight += voice * voice
            openVoice = voice
        }
        judge(evidence)
        if isWhole { endUtterance() }
    }

    /// Counts the windows of the last utterance as one observation; later ones are another, and may be in another language.
    package mutating func startUtterance() {
        endUtterance()
        best = revision ?? best
        revision = nil
    }

    private mutating func endUtterance() {
        guard openWeight > 0 else { return }
        earlier = total
        earlierVoice += openVoice
        (open, openWeight, openVoice) = ([:], 0, 0)
    }

    private var total: [String: Double] {
        openWeight > 0 ? open.mapValues { $0 / openWeight }.merging(earlier, uniquingKeysWith: +) : earlier
    }

    private mutating func judge(_ evidence: Evidence) {
        // Text of a sound that is no speech needs a language, too.
        let logarithms = total.isEmpty ? evidence.logProbabilities : total
        let allowed = logarithms.filter { possible.contains($0.key) }
        let candidates = allowed.isEmpty ? logarithms : allowed
        guard let (code, greatest) = candidates.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return }
        // Sorted, because the order of a dictionary, which varies, would change the sum.
        func probability(among logarithms: [String: Double]) -> Double {
            1 / logarithms.values.sorted().reduce(0) { $0 + exp($1 - greatest) }
        }
        let found = DetectedLanguage(
            code: code, probability: probability(among: logarithms), share: probability(among: candidates))
        let isProbable = found.share >= Self.sufficientProbability
        if certainty == .clear {
            revision = code != best?.code && isProbable ? found : nil
            return
        }
        best = found
        let voice = earlierVoice + openVoice
        if voice >= Self.sufficientVoice && isProbable || voice >= Self.maxVoice { certainty = .clear }
    }
}
