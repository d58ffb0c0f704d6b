import WhisperEngine

/// The microphones of this machine, and the level of the default one.
enum Microphones {
    /// Prints the microphones, one per line.
    static func list(_ context: CommandContext) throws -> ExitStatus {
        let devices = try devices(context.environment)
        guard !devices.isEmpty else { throw CaptureError.noMicrophone(tried: ["ALSA"]) }
        let width = min(32, devices.map(\.name.count).max() ?? 0) + 2
        let text = devices.map { device in
            device.description.isEmpty
                ? "\(device.name)\n" : "\(Help.padded(device.name, to: width))\(device.description)\n"
        }.joined()
        try context.streams.writeOutput(TerminalText(text))
        return .success
    }

    /// The devices that can be recorded from: ALSA also has those of PipeWire when it is not running.
    private static func devices(_ environment: ProcessEnvironment) throws(CaptureError) -> [Microphone.Device] {
        let devices = try Microphone.devices()
        let pipeWire = devices.filter {
            $0.name == "pipewire" || $0.name == "default" && $0.description.contains("PipeWire")
        }
        return pipeWire.isEmpty || isPipeWireRunning(environment) ? devices : devices.filter { !pipeWire.contains($0) }
    }

    private static func isPipeWireRunning(_ environment: ProcessEnvironment) -> Bool {
        let name = environment.text("PIPEWIRE_REMOTE") ?? "pipewire-0"
        let folders = ["PIPEWIRE_RUNTIME_DIR", "XDG_RUNTIME_DIR"].compactMap { environment.absolutePath($0) }
        let sockets = (folders + [FilePath("/run/pipewire")]).map { $0.appending(name) }
        return (environment.absolutePath("PIPEWIRE_REMOTE").map { [$0] } ?? sockets).contains { LocalClient($0) != nil }
    }

    /// The lines for `doctor`.
    static func described(_ environment: ProcessEnvironment) -> [String] {
        do throws(CaptureError) {
            return try devices(environment).map { device in
                let name = ShellQuoting.quoted(device.name)
                return device.description.isEmpty ? name : "\(name)  \(device.description)"
            }
        } catch {
            return ["\(error)"]
        }
    }

    /// The level of one second of audio, or the reason why there is none.
    static func level() async -> String {
        let source = Microphone()
        var meter = LevelMeter()
        var samples = 0
        do {
            capture: for try await event in source.events() {
                switch event {
                case .samples(let block):
                    meter.process(block)
                    samples += block.count
                    if samples >= AudioChunk.sampleRate { break capture }
                case .stalled, .deviceLost: break capture
                case .overrun, .deviceBack: break
                }
            }
        } catch {
            return "\(error)"
        }
        guard let rms = meter.rms, let peak = meter.heldPeak else { return "\(source.device ?? ""): no audio" }
        return "\(source.device ?? ""): \(decibels(rms)), peak \(decibels(peak))"
            + (meter.isClipped ? ", clipped" : rms < -90 ? ", no signal (muted?)" : "")
    }

    private static func decibels(_ level: Double) -> String {
        "\(level < 0 ? "-" : "")\(OneDecimal.text(abs(level))) dBFS"
    }
}
