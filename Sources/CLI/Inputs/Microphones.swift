import WhisperEngine

/// The microphones of this machine, and how loud the usual one is.
enum Microphones {
    static var described: [String] {
        do throws(CaptureError) {
            return try CaptureDevices.inputs().map { device in
                let name = ShellQuoting.quoted(device.name)
                return device.description.isEmpty ? name : "\(name)  \(device.description)"
            }
        } catch {
            return ["\(error)"]
        }
    }

    /// Loudness of one second of sound, or why there is none.
    static func level() async -> String {
        let source = ALSASource()
        var meter = LevelMeter()
        var samples = 0
        do {
            listening: for try await event in source.events() {
                switch event {
                case .samples(let block):
                    meter.process(block)
                    samples += block.count
                    if samples >= AudioChunk.sampleRate { break listening }
                case .stalled, .deviceLost: break listening
                case .overrun, .deviceBack: break
                }
            }
        } catch {
            return "\(error)"
        }
        guard let rms = meter.rms, let peak = meter.heldPeak else { return "\(source.device ?? ""): no sound" }
        return "\(source.device ?? ""): \(decibels(rms)), peak \(decibels(peak))"
            + (meter.isClipped ? ", clipped" : rms < -90 ? ", no signal (muted?)" : "")
    }

    private static func decibels(_ level: Double) -> String {
        "\(level < 0 ? "-" : "")\(ProgressLine.oneDecimal(abs(level))) dBFS"
    }
}
