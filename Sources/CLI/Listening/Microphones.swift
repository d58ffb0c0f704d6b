import WhisperEngine

/// The microphones of this machine, and the level of the default one.
enum Microphones {
    /// Prints the microphones, one per line.
    static func list(_ streams: StandardStreams) throws -> ExitStatus {
        let devices = try Microphone.devices()
        guard !devices.isEmpty else { throw CaptureError.noMicrophone(tried: ["ALSA"]) }
        let width = min(32, devices.map(\.name.count).max() ?? 0) + 2
        let text = devices.map { device in
            device.description.isEmpty
                ? "\(device.name)\n" : "\(Help.padded(device.name, to: width))\(device.description)\n"
        }.joined()
        try streams.writeOutput(TerminalText(text))
        return .success
    }

    /// The lines for `doctor`.
    static var described: [String] {
        do throws(CaptureError) {
            return try Microphone.devices().map { device in
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
