package import EngineAudio
package import EngineBasics
package import EngineCompute
package import EngineModels
import EngineTranscripts
package import EngineWeights

/// A family of models that has nothing in common with Whisper: no network, no windows of 30 seconds, no prompts, no
/// timestamps, no temperatures. A model hears the words that `ScriptedSpeech` hides in a recording.
///
/// Its file is a text: `scripted model`, a line with the codes of its languages, a line with its words and, if it needs more
/// than a megabyte, a line with the bytes of memory. Words with an even index are of the first language, the others of the
/// second.
package final class ScriptedModel: SpeechModel {
    /// Seconds; a word that begins later is in the next window.
    package static let window = 7.0
    package static let header = "scripted model"

    package let words: [String]
    package let traits: ModelTraits
    package let backend: any ComputeBackend
    package let warnings: [ModelWarning] = []
    package let packedWeights = PackedWeights.own

    package init(words: [String], traits: ModelTraits, options: ComputeOptions = ComputeOptions()) throws {
        self.words = words
        self.traits = traits
        backend = try options.makeBackend()
    }

    package convenience init(words: [String], languages: [String]) throws {
        try self.init(words: words, traits: Self.traits(words: words, languages: languages.map { try Language($0) }))
    }

    static func traits(words: [String], languages: [Language]) -> ModelTraits {
        ModelTraits(family: "Scripted", languages: languages, vocabularySize: words.count, longestWindow: window)
    }

    package var spelling: any TokenSpelling { ScriptedSpelling(words: words) }

    /// The code of the language of a word.
    func language(of word: Int) -> String { traits.languages[word % traits.languages.count].code }

    package func workspace(
        for options: TranscriptionOptions, reusing last: (any DecodingWorkspace)?
    ) throws -> any DecodingWorkspace { ScriptedWorkspace(model: self) }

    package func batch(slots: Int, options: TranscriptionOptions) throws -> any BatchDecoder {
        ScriptedBatch(model: self)
    }

    package func liveDecoder(_ options: StreamingOptions, cancellation: CancellationFlag) -> any LiveDecoder {
        ScriptedLiveDecoder(model: self, options: options)
    }

    package func timer(of samples: [Float], tokens: Int, beamSize: Int) throws -> any WindowTimer {
        ScriptedTimer(samples: samples)
    }

    package func scan(of samples: SampleStore) -> (any RecordingScan)? { nil }

    /// A segment of words heard in samples.
    ///
    /// - Parameter start: sample of the recording at which the samples begin.
    func segment(_ heard: [ScriptedSpeech.Word], from start: Int = 0, id: Int, hasWords: Bool) -> [TranscriptSegment] {
        guard let first = heard.first, let last = heard.last else { return [] }
        func seconds(_ sample: Int) -> Double { AudioChunk.seconds(of: start + sample) }
        var segment = TranscriptSegment(
            id: id, start: seconds(first.range.lowerBound), end: seconds(last.range.upperBound),
            text: spelling.text(of: heard.map(\.index)), tokens: heard.map(\.index), avgLogprob: -0.125)
        segment.tokenLogprobs = heard.map { _ in -0.125 }
        if hasWords {
            segment.words = heard.map {
                TranscriptWord(
                    word: " " + words[$0.index], start: seconds($0.range.lowerBound), end: seconds($0.range.upperBound),
                    probability: 0.875)
            }
        }
        return [segment]
    }
}

/// Finds and opens the files of scripted models.
package enum ScriptedFamily: ModelFamily {
    package static func recognizes(_ path: FilePath) -> Bool {
        (try? DiskAccess.contents(of: path, atMost: 100)).map { $0.starts(with: ScriptedModel.header.utf8) } ?? false
    }

    package static func open(_ path: FilePath) throws(ModelError) -> any StoredModel { try ScriptedFile(path) }
}

/// A scripted model that has not been loaded. It has no tensors.
struct ScriptedFile: StoredModel {
    let path: FilePath
    let words: [String]
    let traits: ModelTraits
    private let needs: Int
    let tensors: [String: WeightTensor] = [:]
    let format = "text"
    var details: ModelDetails {
        ModelDetails(rows: [("words", "\(words.count)")], members: [("words", "\(words.count)")])
    }

    init(_ path: FilePath) throws(ModelError) {
        self.path = path
        let text = (try? DiskAccess.contents(of: path, atMost: 100_000)).map { String(decoding: $0, as: UTF8.self) }
        let lines = (text ?? "").split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let languages = lines.count > 2 ? lines[1].compactMap { try? Language($0) } : []
        guard !languages.isEmpty else { throw .badContents(path: path, problem: "is not a scripted model") }
        words = lines[2]
        needs = lines.count > 3 ? Int(lines[3][0]) ?? 0 : 1_000_000
        traits = ScriptedModel.traits(words: words, languages: languages)
    }

    func memory(_ options: ComputeOptions) -> Int { needs }

    func load(_ options: ComputeOptions) throws -> any SpeechModel {
        try checkMemory(needs: memory(options), threads: options.threadCount)
        return try ScriptedModel(words: words, traits: traits, options: options)
    }
}

struct ScriptedSpelling: TokenSpelling {
    let words: [String]

    func textBytes(of token: Int) -> [UInt8]? {
        words.indices.contains(token) ? Array((" " + words[token]).utf8) : nil
    }

    func text(of tokens: [Int]) -> String {
        String(decoding: tokens.flatMap { textBytes(of: $0) ?? [] }, as: UTF8.self)
    }

    func encode(_ text: String) -> [Int] {
        text.split(separator: " ").compactMap { words.firstIndex(of: String($0)) }
    }
}
