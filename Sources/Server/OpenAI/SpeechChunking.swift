package import WhisperEngine

/// `chunking_strategy`: only speech is transcribed, and silence ends a section.
package struct SpeechChunking: Equatable, Sendable {
    private static let name = "chunking_strategy"
    private static let milliseconds = 0.0...10_000

    /// Milliseconds kept before and after speech.
    package var prefixPadding = 300
    /// Milliseconds of silence that end a section.
    package var silenceDuration = 200
    /// The minimum probability that counts as speech, 0…1; detectors without probabilities ignore it.
    package var threshold = 0.5

    init() {}

    /// Reads the field in its three forms: `auto`, a JSON object, or one field for each member.
    ///
    /// - Returns: `nil` if there is none.
    static func field(of fields: FormFields) throws(HTTPError) -> SpeechChunking? {
        if let text = try fields.text(name) {
            if text == "auto" { return SpeechChunking() }
            guard let object = try? JSONValue(Array(text.utf8), depth: 4, members: 16), case .object = object else {
                throw .invalid(name, "The field chunking_strategy must be auto or an object.")
            }
            return try SpeechChunking { (member) throws(HTTPError) in
                switch object[member] {
                case .string(let text), .number(let text): text
                case nil, .null: nil
                default: throw .invalid(name, "The field chunking_strategy has a member of the wrong type.")
                }
            }
        }
        guard fields.form.fields.contains(where: { $0.name.hasPrefix(name + "[") }) else { return nil }
        return try SpeechChunking { (member) throws(HTTPError) in try fields.member(member, of: name) }
    }

    private init(_ member: (String) throws(HTTPError) -> String?) throws(HTTPError) {
        guard try member("type") == "server_vad" else {
            throw .invalid(Self.name, "The type of chunking_strategy must be server_vad.")
        }
        func number(_ key: String, _ range: ClosedRange<Double>) throws(HTTPError) -> Double? {
            guard let text = try member(key) else { return nil }
            guard let number = FormFields.number(text), range.contains(number) else {
                throw .invalid(
                    Self.name, "\(key) of chunking_strategy must be a number from \(FormFields.shown(range)).")
            }
            return number
        }
        if let value = try number("prefix_padding_ms", Self.milliseconds) { prefixPadding = Int(value.rounded()) }
        if let value = try number("silence_duration_ms", Self.milliseconds) { silenceDuration = Int(value.rounded()) }
        if let value = try number("threshold", 0...1) { threshold = value }
    }

    package func options(with detector: VoiceActivityOptions.Detector) -> VoiceActivityOptions {
        var options = VoiceActivityOptions(detector: detector.withThreshold(threshold))
        options.speechPadMilliseconds = prefixPadding
        options.minSilenceMilliseconds = silenceDuration
        return options
    }
}

extension VoiceActivityOptions.Detector {
    /// The same detector with another threshold, 0…1, if it has one.
    package func withThreshold(_ threshold: Double) -> VoiceActivityOptions.Detector {
        switch self {
        case .energy: .energy
        case .silero(let network, _): .silero(network, threshold: Float(threshold))
        }
    }
}
