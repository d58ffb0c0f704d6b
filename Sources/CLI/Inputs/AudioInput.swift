import WhisperEngine

/// Where the sound comes from.
enum AudioInput: Sendable {
    case device(String?)
    case file(FilePath, RawFormat?)
    case standardInput(RawFormat)

    static let variable = "WHISPER_LOCAL_DEVICE"

    /// - Throws: what is wrong with the operands, and why standard input cannot be read.
    init(
        _ options: some ListeningOptions, operands: [[UInt8]], command: String, context: CommandContext
    ) throws {
        let dash = Array("-".utf8)
        if let word = operands.first(where: { $0 != dash }) {
            throw ErrorReport(
                .usage, UsageError.unwantedOperand(word).what,
                cure: "whisper-local \(command) --file \(ShellQuoting.quoted(word))")
        }
        guard !operands.isEmpty else {
            if let file = options.file {
                self = .file(file, options.raw)
            } else if options.raw != nil, options.given.contains("--raw") {
                throw UsageError.needs("--raw", "- or --file").report(command: command)
            } else {
                self = .device(options.device ?? context.environment.text(Self.variable))
            }
            return
        }
        for other in ["--file", "--device"] where options.given.contains(other) {
            throw UsageError.contradiction(other, "-", why: "one source of sound at a time").report(command: command)
        }
        guard let format = options.raw else {
            throw UsageError.needs("-", "--raw s16le:16000:1").report(command: command)
        }
        switch context.streams.input {
        case .closed: throw InputError.standardInputClosed
        case .terminal: throw InputError.standardInputTerminal
        case .readable: self = .standardInput(format)
        }
    }

    /// As sessions and messages call it.
    var name: String {
        switch self {
        case .device(let name): name ?? ALSASource.defaultDevices[0]
        case .file(let path, _): path.description
        case .standardInput: "standard input"
        }
    }

    /// It may be muted or clipped.
    var isMicrophone: Bool {
        switch self {
        case .device, .standardInput: true
        case .file: false
        }
    }

    /// The keys of a terminal are for the program.
    var leavesKeys: Bool {
        if case .standardInput = self { return false }
        return true
    }

    /// - Throws: what is wrong with a file. A microphone is opened when it is listened to.
    func open(speed: PlaybackSpeed) throws -> any CaptureSource {
        switch self {
        case .device(let name): return ALSASource(device: name)
        case .file(let path, let raw):
            do {
                return FileCapture(try AudioFile.open(path, options: AudioOptions(raw: raw)), speed: speed)
            } catch {
                throw EngineErrors.report(error) ?? error
            }
        case .standardInput(let format):
            do {
                return try PCMCapture(descriptor: 0, format: format)
            } catch {
                throw EngineErrors.report(error) ?? error
            }
        }
    }

    /// The microphones, one a line.
    static func list(_ streams: StandardStreams) throws -> ExitStatus {
        let devices: [CaptureDevices.Entry]
        do {
            devices = try CaptureDevices.inputs()
        } catch {
            throw EngineErrors.report(error) ?? error
        }
        guard !devices.isEmpty else {
            throw EngineErrors.report(CaptureError.noMicrophone(tried: ["ALSA"])) ?? CaptureError.libraryMissing
        }
        let width = min(32, devices.map(\.name.count).max() ?? 0) + 2
        try streams.writeOutput(
            devices.map { device in
                device.description.isEmpty
                    ? "\(device.name)\n" : "\(Help.padded(device.name, to: width))\(device.description)\n"
            }.joined())
        return .success
    }
}
