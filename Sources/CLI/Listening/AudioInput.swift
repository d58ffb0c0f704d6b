import WhisperEngine

/// The audio source that the command line selects.
enum AudioInput: Sendable {
    /// A microphone by its ALSA name; `nil` is the system default.
    case device(String?)
    case file(FilePath, RawFormat?)
    case standardInput(RawFormat)

    static let deviceVariable = "WHISPER_LOCAL_DEVICE"

    /// - Throws: for an unexpected operand, and if standard input cannot be read.
    init(
        _ options: ListeningOptions, operands: [[UInt8]], command: String, context: CommandContext
    ) throws {
        let dash = Array("-".utf8)
        if let operand = operands.first(where: { $0 != dash }) {
            throw ErrorReport(
                .usage, UsageError.unwantedOperand(operand).what,
                advice: "whisper-local \(command) --file \(ShellQuoting.quoted(operand))")
        }
        guard !operands.isEmpty else {
            if let file = options.file {
                self = .file(file, options.raw)
            } else if options.raw != nil, options.given.contains("--raw") {
                throw UsageError.needs("--raw", "- or --file")
            } else {
                self = .device(options.device ?? context.environment.text(Self.deviceVariable))
            }
            return
        }
        for other in ["--file", "--device"] where options.given.contains(other) {
            throw UsageError.contradiction(other, "-", why: "there can be only one audio source")
        }
        guard let format = options.raw else {
            throw UsageError.needs("-", "--raw s16le:16000:1")
        }
        switch context.streams.input {
        case .closed: throw InputError.standardInputClosed
        case .terminal: throw InputError.standardInputTerminal
        case .readable: self = .standardInput(format)
        }
    }

    /// The name used in messages and stored with sessions.
    var name: String {
        switch self {
        case .device(let name): name ?? Microphone.defaultDevices[0]
        case .file(let path, _): path.description
        case .standardInput: "standard input"
        }
    }

    /// The audio is live, so it may be muted or clipped. Standard input counts as a microphone.
    var isMicrophone: Bool {
        switch self {
        case .device, .standardInput: true
        case .file: false
        }
    }

    /// Standard input does not carry audio, so keys can be read from it.
    var leavesKeyboardFree: Bool {
        if case .standardInput = self { return false }
        return true
    }

    /// - Throws: if a file cannot be opened. A microphone is opened later, when capture starts.
    func open(speed: PlaybackSpeed) throws -> any CaptureSource {
        switch self {
        case .device(let name): Microphone(device: name)
        case .file(let path, let raw):
            FileCapture(try AudioFile.open(path, options: AudioOptions(raw: raw)), speed: speed)
        case .standardInput(let format): try PCMCapture(descriptor: 0, format: format)
        }
    }
}
