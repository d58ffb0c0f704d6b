import WhisperEngine

extension AlignmentScriptError {
    /// - Parameter name: of the text.
    func report(of name: String) -> ErrorReport {
        switch self {
        case .missing: ErrorReport(.noInput, "no such text: \(name)", advice: "check the name and the folder")
        case .notPermitted:
            ErrorReport(
                .notPermitted, "cannot read \(name): permission denied",
                advice: "change its permissions, or run as a user who may read it")
        case .unreadable:
            ErrorReport(.noInput, "cannot read \(name)", advice: "name a file with the text of the recording")
        case .tooLarge:
            ErrorReport(
                .badData, "\(name) is larger than \(AlignmentScript.maxBytes >> 20) MiB, which no text is",
                advice: "name the recording first, then its text")
        case .notText(let byte):
            ErrorReport(
                .badData, "\(name) is not text in UTF-8 (byte \(byte))",
                advice: "name the recording first, then its text; convert other encodings with iconv -t UTF-8")
        case .noCues:
            ErrorReport(.badData, "\(name) has no cues", advice: "rename it to .txt if it is plain text")
        case .badJSON(let byte, let what):
            ErrorReport(
                .badData, "\(name) is not JSON: it \(what) at byte \(byte)",
                advice: "rename it to .txt if it is plain text")
        case .noTranscript:
            ErrorReport(
                .badData, "\(name) is not a transcript",
                advice: "use an object with segments that have a text, or a list of words")
        case .noWords:
            ErrorReport(.badData, "\(name) has no words", advice: "name a file with the text of the recording")
        }
    }
}

extension AlignmentError {
    func report(of input: Input) -> ErrorReport {
        switch self {
        case .noSpeech:
            ErrorReport(
                .badData, "no speech found in \(input.name)",
                advice: "check the recording; --track selects another track")
        case .otherText(let found, let count):
            ErrorReport(
                .badData,
                "the text does not seem to belong to \(input.name): only \(found) of \(Counted.text(count, "word")) "
                    + "\(found == 1 ? "is" : "are") said there in the same order",
                advice: "check the text and its language (--language), or use a larger model")
        }
    }
}
