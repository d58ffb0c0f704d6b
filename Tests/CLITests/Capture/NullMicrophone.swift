import Foundation

/// Scripts with a sound server of their own, whose null sinks act as microphones.
enum NullMicrophone {
    /// The supported sound servers.
    enum Server: String {
        case pulseAudio = ". \"$FIXTURES/microphone.sh\"\n"
        case pipeWire = ". \"$FIXTURES/microphone.sh\"\n. \"$FIXTURES/pipewire.sh\"\n"

        /// Whether the server can be started.
        func starts(_ script: String) -> Bool {
            guard let scratch = try? Program.Scratch() else { return false }
            return (try? Program.shell(rawValue + script, in: scratch))?.status == 0
        }
    }

    /// Runs a script with the functions for a server, without blocking other tests.
    static func run(
        _ script: String, on server: Server = .pulseAudio, in scratch: Program.Scratch
    ) async throws -> Program.Outcome {
        try speech().write(to: scratch.url.appending(path: "spoken.wav"))
        let running = try Program.start(server.rawValue + script, in: scratch)
        // Time out after two minutes; the longest script takes half a minute.
        for _ in 0..<2400 where !running.isOver { try await Task.sleep(for: .milliseconds(50)) }
        if !running.isOver { running.killGroup() }
        return try running.outcome()
    }

    static let hasPulseAudio = Server.pulseAudio.starts("serve")
    static let hasPipeWire = Server.pipeWire.starts("[ -n \"$plugins\" ] && microphone mic")

    /// The first 1.2 s of a recording as a WAV file, followed by silence: players may lose their last few samples.
    private static func speech() throws -> Data {
        let recording = try Data(contentsOf: Fixtures.folder.appending(path: "../audio/say-03.wav"))
        var file = recording.prefix(44 + 2 * 19_200) + Data(count: 2 * 3200)
        for (offset, size) in [(4, file.count - 8), (40, file.count - 44)] {
            file.replaceSubrange(offset..<(offset + 4), with: (0..<4).map { UInt8(size >> (8 * $0) & 0xff) })
        }
        return file
    }

    /// The samples that the scripts play as `spoken.wav`, as bytes, without the silence around them.
    static func spoken() throws -> Data {
        let samples = [UInt8](try speech().dropFirst(44))
        let words = stride(from: 0, to: samples.count - 1, by: 2)
        let loud = words.filter { samples[$0] != 0 || samples[$0 + 1] != 0 }
        return Data(samples[(loud.first ?? 0)..<((loud.last ?? 0) + 2)])
    }

    /// The samples and events captured by `capture-probe record`.
    struct Capture {
        let samples: Data
        /// The position and text of each event.
        let events: [(position: Int, text: String)]

        init(_ name: String, in scratch: Program.Scratch) throws {
            samples = try Data(contentsOf: scratch.url.appending(path: "\(name).raw"))
            let lines = try String(contentsOf: scratch.url.appending(path: "\(name).events"), encoding: .utf8)
            events = lines.split(separator: "\n").map { line in
                let parts = line.split(separator: " ", maxSplits: 1)
                return (Int(parts.first ?? "") ?? -1, String(parts.last ?? ""))
            }
        }

        var texts: [String] { events.map(\.text) }

        /// How often a signal was captured bit for bit.
        func count(of signal: Data) -> Int {
            var count = 0
            var rest = samples[...]
            while let range = rest.range(of: signal) {
                count += 1
                rest = rest[range.upperBound...]
            }
            return count
        }
    }
}
