import WhisperEngine

/// What makes the outputs of the same recording differ: the model, and the options that change what is written.
struct Provenance: Equatable {
    /// The model's name.
    let model: String
    /// The size of its files: it differs between most models of the same name, and is the same on all machines.
    let modelBytes: Int
    /// A SHA-256 digest in hexadecimal, of the vocabulary, too.
    let options: String
    /// The digest of the vocabulary; `nil` if there is none.
    let vocabulary: String?

    init(model: String, modelBytes: Int, options: String, vocabulary: String? = nil) {
        (self.model, self.modelBytes, self.options, self.vocabulary) = (model, modelBytes, options, vocabulary)
    }

    /// - Parameter options: with the speech detector that was chosen.
    init(_ model: ModelChoice, options: TranscribeOptions) {
        self.init(
            model: model.name, modelBytes: ModelState.bytes(of: model.path),
            options: SHA256.hexadecimal(of: Array(Self.text(of: options).utf8)),
            vocabulary: options.vocabulary.all.isEmpty ? nil : options.vocabulary.all.digest)
    }

    private static func text(of options: TranscribeOptions) -> String {
        let subtitles = options.shapedSubtitles
        let fields = [
            "raw=\(options.raw.map { "\($0)" } ?? "nil")", "track=\(options.track ?? 1)",
            "channels=\(options.channels.rawValue)", "clock=\(options.audioClock.rawValue)",
            "speakers=\(JSONText.array(options.speakers.names.map { JSONText.string($0) }))",
            "backend=\(options.compute.backend)", "computeType=\(options.compute.computeType)",
            "subtitles=\(subtitles.chosenStyle)",
            "highlightWords=\(subtitles.highlightWords)", "maxLineWidth=\(subtitles.maxLineWidth ?? 0)",
            "maxLineCount=\(subtitles.maxLineCount ?? 0)", "maxWordsPerLine=\(subtitles.maxWordsPerLine ?? 0)",
            "paragraphs=\(options.hasParagraphs)",
        ]
        return OptionsText.text(of: options.transcription) + fields.map { $0 + "\n" }.joined()
    }
}

/// The content of `.NAME.stamp`: what the output files of a recording were made with.
struct OutputStamp: Equatable {
    let provenance: Provenance
    /// The formats of these files.
    private(set) var formats: Set<OutputFormat>

    private static let maxBytes = 4096

    init(_ provenance: Provenance, formats: Set<OutputFormat>) {
        (self.provenance, self.formats) = (provenance, formats)
    }

    /// - Returns: `nil` if there is no stamp, or none that can be read.
    init?(_ path: FilePath) {
        guard case .success(let bytes) = FileSystem.contents(of: path, atMost: Self.maxBytes),
            let value = try? JSONValue(bytes, depth: 3, members: 20), let model = value["model"]?.string,
            case .number(let digits)? = value["bytes"], let size = Int(digits), let options = value["options"]?.string,
            case .array(let names)? = value["formats"]
        else { return nil }
        provenance = Provenance(
            model: model, modelBytes: size, options: options, vocabulary: value["vocabulary"]?.string)
        formats = Set(names.compactMap { $0.string.flatMap(OutputFormat.init(rawValue:)) })
    }

    /// Replaces the stamp of these outputs. Files of other formats stay listed if they were made with the same model
    /// and options.
    ///
    /// - Parameter earlier: the stamp before the outputs were written.
    static func write(
        _ provenance: Provenance, for entry: OutputPlan.Entry, earlier: OutputStamp?
    ) throws(OutputError) {
        var stamp = OutputStamp(provenance, formats: Set(entry.outputs.map(\.format)))
        if let earlier, earlier.provenance == provenance { stamp.formats.formUnion(earlier.formats) }
        try AtomicFile.write(Array((stamp.text + "\n").utf8), to: entry.stampPath)
    }

    /// Whether all outputs of a recording exist and were made with the same model and options.
    static func isCurrent(_ entry: OutputPlan.Entry, _ provenance: Provenance) -> Bool {
        guard entry.isComplete, let stamp = OutputStamp(entry.stampPath) else { return false }
        return stamp.provenance == provenance && stamp.formats.isSuperset(of: entry.outputs.map(\.format))
    }

    private var text: String {
        let vocabulary = provenance.vocabulary.map { [("vocabulary", JSONText.string($0))] } ?? []
        return JSONText.object(
            [
                ("model", JSONText.string(provenance.model)), ("bytes", "\(provenance.modelBytes)"),
                ("options", JSONText.string(provenance.options)),
            ] + vocabulary + [("formats", JSONText.array(formats.map { JSONText.string($0.rawValue) }.sorted()))])
    }
}
