import Foundation
import Testing

@Suite("PulseAudio", .enabled(if: NullMicrophone.hasPulseAudio, "PulseAudio does not start here"))
struct MicrophoneTests {
    let scratch: Program.Scratch
    init() throws { scratch = try Program.Scratch() }

    /// Runs a script that captures into `captured`.
    func captured(_ script: String) async throws -> NullMicrophone.Capture {
        let outcome = try await NullMicrophone.run(script, in: scratch)
        #expect(outcome.status == 0 && outcome.error == "", "\(outcome.error)")
        return try NullMicrophone.Capture("captured", in: scratch)
    }

    @Test("playback is captured bit for bit from the default device")
    func bits() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured
            until_true reported captured device
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
        #expect(capture.texts == ["device default", "signal end"])
    }

    @Test("when the server is killed and restarted, capture continues where it stopped")
    func serverKilled() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pulse --interval 20
            until_true reported captured device
            paplay -d mic spoken.wav
            sleep 0.5
            kill -9 $server
            until_true reported captured lost
            sleep 2
            microphone mic
            until_true reported captured back
            sleep 0.5
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pulse", "lost went away", "back", "signal end"])
        let lost = try #require(capture.events.first { $0.text.hasPrefix("lost") }).position
        #expect(capture.events.first { $0.text == "back" }?.position == lost)
        #expect(capture.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("when the only source is removed, the device is lost until there is another")
    func sourceRemoved() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pulse
            until_true reported captured device
            pactl unload-module module-null-sink
            until_true reported captured lost
            pactl load-module $(null_sink mic) >/dev/null
            until_true reported captured back
            listen mic
            sleep 2.5
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pulse", "lost went away", "back", "signal end"])
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
    }

    @Test("of two sources, only the named one is captured")
    func named() async throws {
        let capture = try await captured(
            """
            microphone one two
            record captured --device pulse:two.monitor
            until_true reported captured device
            first=$probe
            exec 4>&3
            record other --device pulse:one.monitor
            until_true reported other device
            paplay -d two spoken.wav
            sleep 3.6
            finish
            echo stop >&4
            wait $first
            """)
        let other = try NullMicrophone.Capture("other", in: scratch)
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
        #expect(capture.texts == ["device pulse:two.monitor", "silent end"])
        #expect(other.samples.allSatisfy { $0 == 0 })
        #expect(other.texts == ["device pulse:one.monitor", "silent end"])
    }

    @Test("a source unknown to PulseAudio is reported with the existing devices")
    func unknown() async throws {
        let outcome = try await NullMicrophone.run(
            "microphone mic\ntimeout 20 capture-probe record --device pulse:nonsense", in: scratch)
        #expect(outcome.status == 1)
        #expect(outcome.error.hasPrefix("error: no such microphone: pulse:nonsense\nknown: "), "\(outcome.error)")
        #expect(!outcome.error.hasSuffix("known: \n"))
    }

    @Test("a muted microphone delivers silence until it is unmuted")
    func muted() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pulse
            until_true reported captured device
            pactl set-source-mute mic.monitor 1
            paplay -d mic spoken.wav
            sleep 0.5
            pactl set-source-mute mic.monitor 0
            sleep 0.2
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pulse", "signal end"])
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
    }

    @Test("a suspended source is reported as stalled, and capture continues")
    func stalled() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pulse
            until_true reported captured device
            pactl suspend-sink mic 1
            until_true reported captured stalled
            pactl suspend-sink mic 0
            sleep 0.5
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pulse", "stalled", "signal end"])
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
    }

    @Test("a process stopped for two seconds loses nothing")
    func stopped() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pulse
            until_true reported captured device
            paplay -d mic spoken.wav & playing=$!
            sleep 0.7
            pkill -STOP -P $probe
            sleep 2
            pkill -CONT -P $probe
            wait $playing
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pulse", "signal end"])
        #expect(capture.count(of: try NullMicrophone.spoken()) == 1)
    }

    @Test("audio during a pause is discarded, audio before and after is kept")
    func pause() async throws {
        let capture = try await captured(
            """
            microphone mic
            record captured --device pulse
            until_true reported captured device
            paplay -d mic spoken.wav
            sleep 0.5
            echo pause >&3
            sleep 0.3
            paplay -d mic spoken.wav
            sleep 0.5
            echo resume >&3
            sleep 0.5
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(capture.texts == ["device pulse", "signal end"])
        #expect(capture.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("capture waits up to 10 s for a sound server to start")
    func server() async throws {
        let capture = try await captured(
            """
            record captured --device pulse
            sleep 1
            microphone mic
            until_true reported captured device
            finish
            kill -9 $server
            record none --device pulse
            wait $probe && exit 1
            exec 3>&-
            """)
        #expect(capture.texts.first == "device pulse")
        let error = try String(contentsOf: scratch.url.appending(path: "none.errors"), encoding: .utf8)
        #expect(
            error == """
                error: the sound server for pulse is not responding (waited 10 s)

                """)
    }
}
