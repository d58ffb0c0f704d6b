import Foundation
import Testing

@Suite("PipeWire", .enabled(if: NullMicrophone.hasPipeWire, "PipeWire or its ALSA plugin is not installed"))
struct PipeWireTests {
    let scratch: Program.Scratch
    init() throws { scratch = try Program.Scratch() }

    /// Runs a script that captures into `captured`.
    func captured(_ script: String) async throws -> NullMicrophone.Capture {
        let outcome = try await NullMicrophone.run(script, on: .pipeWire, in: scratch)
        #expect(outcome.status == 0 && outcome.error == "", "\(outcome.error)")
        return try NullMicrophone.Capture("captured", in: scratch)
    }

    @Test("playback is captured bit for bit from the default device of the plugin's package")
    func bits() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured
            until_true recorded
            play mic
            sleep 0.5
            finish
            """)
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
        #expect(capture.texts == ["device default", "signal end"])
    }

    @Test("of two sources, the named one is captured")
    func named() async throws {
        let capture = try await captured(
            """
            microphone room
            for name in one two; do pw-cli create-node adapter "$(source_node $name)" >/dev/null; done
            until_true pw-link room:monitor_MONO two:input_MONO
            record captured --device pipewire:NODE=two
            until_true recorded
            play room
            sleep 0.5
            finish
            """)
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
        #expect(capture.texts == ["device pipewire:NODE=two", "signal end"])
    }

    @Test("PipeWire's PulseAudio server delivers the same audio")
    func pulse() async throws {
        let capture = try await captured(
            """
            microphone mic
            pulse
            record captured --device pulse
            until_true recorded
            play mic
            sleep 0.5
            finish
            """)
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
        #expect(capture.texts == ["device pulse", "signal end"])
    }

    @Test("when the server is killed and restarted, capture continues where it stopped")
    func serverKilled() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pipewire
            until_true recorded
            play mic
            sleep 0.5
            kill -9 $server $manager
            until_true reported captured lost
            microphone mic
            until_true reported captured back
            until_true recorded
            play mic
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pipewire", "lost went away", "back", "signal end"])
        let lost = try #require(capture.events.first { $0.text.hasPrefix("lost") }).position
        #expect(capture.events.first { $0.text == "back" }?.position == lost)
        #expect(capture.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("when the only source is removed, capture stalls until there is another")
    func sourceRemoved() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pipewire
            until_true recorded
            play mic
            sleep 0.5
            pw-cli destroy $(node mic)
            until_true reported captured stalled
            pw-cli create-node adapter "$(sink_node mic)" >/dev/null
            until_true recorded
            play mic
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pipewire", "stalled", "signal end"])
        #expect(capture.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("audio is lost while the process is stopped, and the loss is reported")
    func stopped() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pipewire
            until_true recorded
            play mic
            pkill -STOP -P $probe
            sleep 3
            pkill -CONT -P $probe
            sleep 0.5
            play mic
            sleep 0.5
            finish
            """)
        #expect(capture.texts.count == 3 && capture.texts.last == "signal end")
        let lost = capture.texts.dropFirst().first.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        #expect(capture.texts.dropFirst().first == "overrun \(lost)")
        #expect((44_000...52_000).contains(lost))
        #expect(capture.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("a consumer that blocks for seven seconds loses more than a second, and the loss is reported")
    func overrun() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pipewire
            until_true recorded
            play mic
            echo hold >&3
            until_true reported captured overrun
            play mic
            sleep 0.5
            finish
            """)
        #expect(capture.texts.count == 3 && capture.texts.last == "signal end")
        let lost = capture.texts.dropFirst().first.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        #expect(capture.texts.dropFirst().first == "overrun \(lost)")
        #expect((16_000...64_000).contains(lost))
        #expect(capture.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("audio during a pause is discarded, audio before and after is kept")
    func pause() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pipewire
            until_true recorded
            play mic
            sleep 0.5
            echo pause >&3
            sleep 0.3
            play mic
            sleep 0.5
            echo resume >&3
            sleep 0.5
            play mic
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pipewire", "signal end"])
        #expect(capture.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("capture waits up to 10 s for the server to start")
    func server() async throws {
        let capture = try await captured(
            """
            record captured --device pipewire
            sleep 1
            microphone mic
            until_true recorded
            finish
            """)
        #expect(capture.texts.first == "device pipewire")
    }
}
