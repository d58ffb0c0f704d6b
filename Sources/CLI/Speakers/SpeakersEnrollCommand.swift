import WhisperEngine

/// `speakers enroll`: keeps a person's voice under a name.
enum SpeakersEnrollCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var modelFolder: FilePath?
        var threads: Int?
    }

    static let manual = CommandManual(
        name: "speakers enroll", summary: "Keep a person's voice under a name", usage: ["[options] NAME FILE …"],
        notes: [
            "NAME must be the only speaker in the recordings and speak for at least "
                + "\(Int(VoiceEnrollment.minSeconds)) seconds in total; half a minute is better. If possible, use "
                + "the same microphone or telephone as for later recordings. An existing voice with this name is "
                + "replaced.",
            "Voice prints are personal data: ask people before you enroll them. `speakers --help` says what is kept and where.",
        ],
        examples: ["Anna anna.wav", "'Dr. Ben Miller' talk.mp3 interview.m4a"], operands: .files)

    static let flags: [Flag<Options>] = [
        ModelFlags.folder("search this folder first for speakers.safetensors", sets: \.modelFolder),
        ModelFlags.threads(sets: \.threads),
    ]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        guard operands.count > 1, let first = operands.first else {
            throw UsageError.missingOperand(
                operands.isEmpty ? "no name given" : "no recording given",
                wanted: "whisper-local speakers enroll NAME FILE")
        }
        let name = try name(first)
        // Fails before the recordings are read if the voice could not be stored.
        let known = try SpeakerCommands.voices(context.environment)
        let search = ModelSearch(
            first: options.modelFolder, environment: context.environment, executable: ProcessEnvironment.executable)
        let networks = try SpeakerChoice.networks(search, neededBy: "speakers enroll")
        var enrollment = VoiceEnrollment(networks, threads: options.threads ?? Processor.availableCores)
        for file in operands.dropFirst() {
            let path = FilePath(bytes: file)
            do {
                try await enrollment.add(AudioFile.open(path))
            } catch let error as VoiceEnrollmentError { throw EnrollmentProblem(error: error, name: name, path: path) }
        }
        let voice: KnownVoice
        do { voice = try enrollment.voice(named: name) } catch {
            throw EnrollmentProblem(error: error, name: name, path: nil)
        }
        let entry = VoiceStore.Entry(voice: voice, enrolled: .now, seconds: enrollment.seconds)
        context.signals.beforeAbort { AtomicFile.removeLeftovers() }
        var replaces = false
        try VoiceStore.change(known.path) { store in
            replaces = store.entries.contains { $0.voice.name == name }
            store.add(entry)
        }
        let quoted = ShellQuoting.quoted(name)
        for other in known.entries where other.voice.name != name && voice.isConfusable(with: other.voice) {
            context.streams.writeError(
                "warning: the voices of \(quoted) and \(ShellQuoting.quoted(other.voice.name)) are so similar that "
                    + "recordings may name neither\n")
        }
        let seconds = OneDecimal.text(enrollment.seconds)
        try context.streams.writeOutput(
            "\(replaces ? "replaced" : "enrolled") \(TerminalText(line: quoted)): \(seconds) s of speech\n")
        return .success
    }

    private static func name(_ operand: [UInt8]) throws -> String {
        let text = String(decoding: operand, as: UTF8.self)
        guard VoiceStore.isValid(name: text), Array(text.utf8) == operand else {
            throw ErrorReport(
                .usage, "\(ShellQuoting.inQuotes(operand)) cannot be the name of a voice",
                advice: "use at most 100 bytes of text without line breaks, and not 'speaker 1'")
        }
        return text
    }
}

/// Why a person is not enrolled.
private struct EnrollmentProblem: ReportedError {
    let error: VoiceEnrollmentError
    let name: String
    /// The recording; `nil` if it is all of them.
    let path: FilePath?

    var report: ErrorReport {
        let file = path.map { "\($0)" } ?? "the recordings", name = ShellQuoting.quoted(name)
        switch error {
        case .noSpeech:
            return ErrorReport(.badData, "\(file) has no speech", advice: "use a recording in which \(name) speaks")
        case .tooLittleSpeech(let seconds):
            return ErrorReport(
                .badData,
                "\(OneDecimal.text(seconds)) s of speech is too little to enroll a voice; "
                    + "at least \(Int(VoiceEnrollment.minSeconds)) s are needed",
                advice: "add recordings of \(name)")
        case .severalVoices(let count):
            return ErrorReport(
                .badData, "\(file) has \(count) voices", advice: "use a recording in which only \(name) speaks")
        case .anotherVoice:
            return ErrorReport(
                .badData, "the voice in \(file) differs from that in the recordings before it",
                advice: "leave it out, or enroll its speaker under another name")
        }
    }
}
