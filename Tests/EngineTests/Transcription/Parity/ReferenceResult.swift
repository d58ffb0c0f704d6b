// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Names are those in the stored files.

import Foundation
import TestSupport

/// A complete transcription by the reference, with its options.
struct ReferenceResult: Decodable {
    struct Options: Decodable {
        var language: String?
        var temperature: [Double]?
        var beam_size: Int?
        var best_of: Int?
        var patience: Double?
        var length_penalty: Double?
        var word_timestamps: Bool?
        var without_timestamps: Bool?
        var initial_prompt: String?
        var carry_initial_prompt: Bool?
        var condition_on_previous_text: Bool?
        var suppress_tokens: String?
        var hallucination_silence_threshold: Double?
        var clip_timestamps: String?
        var task: String?
        var compression_ratio_threshold: Double??
        var logprob_threshold: Double??
        var no_speech_threshold: Double??
        // For single windows.
        var sample_len: Int?
        var suppress_blank: Bool?
        var max_initial_timestamp: Double??
        /// Text or ids.
        var prompt: TextOrIds?
        var prefix: String?
        // From faster-whisper.
        var repetition_penalty: Double?
        var no_repeat_ngram_size: Int?
        var max_new_tokens: Int?
        var hotwords: String?

        enum TextOrIds: Decodable {
            case text(String)
            case ids([Int])

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                self = try (try? value.decode([Int].self)).map { .ids($0) } ?? .text(value.decode(String.self))
            }

            /// Encodes text like the reference does for prompts and prefixes.
            func ids(_ tokenizer: Tokenizer) -> [Int] {
                switch self {
                case .ids(let ids): ids
                case .text(let text): tokenizer.encode(" " + text.trimmingCharacters(in: .whitespacesAndNewlines))
                }
            }
        }

        private enum Keys: String, CodingKey, CaseIterable {
            case language, temperature, beam_size, best_of, patience, length_penalty, word_timestamps
            case without_timestamps, initial_prompt, carry_initial_prompt, condition_on_previous_text
            case suppress_tokens, hallucination_silence_threshold, clip_timestamps, task
            case compression_ratio_threshold, logprob_threshold, no_speech_threshold, fp16
            case sample_len, suppress_blank, max_initial_timestamp, prompt, prefix
            case repetition_penalty, no_repeat_ngram_size, max_new_tokens, hotwords, log_prob_threshold
        }

        private struct AnyKey: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let known = Set(Keys.allCases.map(\.rawValue))
            for key in try decoder.container(keyedBy: AnyKey.self).allKeys where !known.contains(key.stringValue) {
                throw Swift.DecodingError.dataCorrupted(
                    .init(codingPath: [key], debugDescription: "an option this test does not set"))
            }
            let values = try decoder.container(keyedBy: Keys.self)
            language = try values.decodeIfPresent(String.self, forKey: .language)
            if let list = try? values.decode([Double].self, forKey: .temperature) {
                temperature = list
            } else if let one = try values.decodeIfPresent(Double.self, forKey: .temperature) {
                temperature = [one]
            }
            beam_size = try values.decodeIfPresent(Int.self, forKey: .beam_size)
            best_of = try values.decodeIfPresent(Int.self, forKey: .best_of)
            patience = try values.decodeIfPresent(Double.self, forKey: .patience)
            length_penalty = try values.decodeIfPresent(Double.self, forKey: .length_penalty)
            word_timestamps = try values.decodeIfPresent(Bool.self, forKey: .word_timestamps)
            without_timestamps = try values.decodeIfPresent(Bool.self, forKey: .without_timestamps)
            initial_prompt = try values.decodeIfPresent(String.self, forKey: .initial_prompt)
            carry_initial_prompt = try values.decodeIfPresent(Bool.self, forKey: .carry_initial_prompt)
            condition_on_previous_text = try values.decodeIfPresent(Bool.self, forKey: .condition_on_previous_text)
            suppress_tokens = try Self.list(values, .suppress_tokens)
            hallucination_silence_threshold = try values.decodeIfPresent(
                Double.self, forKey: .hallucination_silence_threshold)
            clip_timestamps = try Self.list(values, .clip_timestamps)
            task = try values.decodeIfPresent(String.self, forKey: .task)
            func threshold(_ key: Keys) throws -> Double?? {
                values.contains(key) ? .some(try values.decodeIfPresent(Double.self, forKey: key)) : .none
            }
            compression_ratio_threshold = try threshold(.compression_ratio_threshold)
            logprob_threshold = try threshold(.logprob_threshold)
            no_speech_threshold = try threshold(.no_speech_threshold)
            // faster-whisper's name.
            if values.contains(.log_prob_threshold) { logprob_threshold = try threshold(.log_prob_threshold) }
            max_initial_timestamp = try threshold(.max_initial_timestamp)
            sample_len = try values.decodeIfPresent(Int.self, forKey: .sample_len)
            suppress_blank = try values.decodeIfPresent(Bool.self, forKey: .suppress_blank)
            prompt = try values.decodeIfPresent(TextOrIds.self, forKey: .prompt)
            prefix = try values.decodeIfPresent(String.self, forKey: .prefix)
            repetition_penalty = try values.decodeIfPresent(Double.self, forKey: .repetition_penalty)
            no_repeat_ngram_size = try values.decodeIfPresent(Int.self, forKey: .no_repeat_ngram_size)
            max_new_tokens = try values.decodeIfPresent(Int.self, forKey: .max_new_tokens)
            hotwords = try values.decodeIfPresent(String.self, forKey: .hotwords)
        }

        /// Comma-separated numbers, from a string or a list.
        private static func list(_ values: KeyedDecodingContainer<Keys>, _ key: Keys) throws -> String? {
            if let numbers = try? values.decode([Double].self, forKey: key) {
                return numbers.map { $0 == $0.rounded() ? String(Int($0)) : String($0) }.joined(separator: ",")
            }
            return try values.decodeIfPresent(String.self, forKey: key)
        }

        /// The options for a single window.
        func window(_ tokenizer: Tokenizer) -> DecodingOptions {
            var options = transcription.whisper.decoding
            (options.task, options.language) = (transcription.task, transcription.language)
            options.beamSize = beam_size
            options.temperature = temperature?.first ?? 0
            options.prompt = prompt?.ids(tokenizer) ?? []
            options.prefix = prefix.map { TextOrIds.text($0).ids(tokenizer) } ?? []
            return options
        }

        /// The options for the engine.
        var transcription: TranscriptionOptions {
            var options = TranscriptionOptions.reference
            options.language = language
            if let temperature { options.whisper.temperatures = temperature }
            options.beamSize = beam_size ?? 1
            options.whisper.decoding.bestOf = best_of
            options.whisper.decoding.patience = patience
            options.whisper.decoding.lengthPenalty = length_penalty
            options.whisper.decoding.withoutTimestamps = without_timestamps ?? false
            if let suppress_tokens {
                options.whisper.decoding.suppressTokens = suppress_tokens.split(separator: ",").compactMap { Int($0) }
            }
            if task == "translate" { options.task = .translate }
            options.whisper.decoding.sampleLength = sample_len
            options.whisper.decoding.suppressBlank = suppress_blank ?? true
            if let max_initial_timestamp { options.whisper.decoding.maxInitialTimestamp = max_initial_timestamp }
            options.whisper.decoding.repetitionPenalty = repetition_penalty ?? 1
            options.whisper.decoding.noRepeatNgramSize = no_repeat_ngram_size ?? 0
            options.whisper.decoding.maxNewTokens = max_new_tokens
            options.whisper.hotwords = hotwords
            options.whisper.prefix = prefix
            options.wordTimestamps = word_timestamps ?? false
            options.whisper.initialPrompt = initial_prompt
            options.whisper.carryInitialPrompt = carry_initial_prompt ?? false
            options.whisper.conditionOnPreviousText = condition_on_previous_text ?? true
            options.whisper.hallucinationSilenceThreshold = hallucination_silence_threshold
            options.clipTimestamps = (clip_timestamps ?? "").split(separator: ",").compactMap { Double($0) }
            if let compression_ratio_threshold {
                options.whisper.compressionRatioThreshold = compression_ratio_threshold
            }
            if let logprob_threshold { options.whisper.logprobThreshold = logprob_threshold }
            if let no_speech_threshold { options.whisper.noSpeechThreshold = no_speech_threshold }
            return options
        }
    }

    struct Result: Decodable {
        let text: String
        let segments: [TranscriptSegment]
        let language: String

        /// The text without names of special tokens, which the reference writes if a model generates them.
        var plainText: String { text.replacing(/<\|[a-z]+\|>/, with: "") }
    }

    let clip: String?
    let options: Options
    let stable: Bool?
    let result: Result
}
