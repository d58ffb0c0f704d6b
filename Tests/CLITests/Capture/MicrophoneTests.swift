import Foundation
import Testing

@Suite("Microphone", .enabled(if: NullMicrophone.hasPulseAudio, "PulseAudio does not start here"))
struct MicrophoneTests {
    let scratch: Program.Scratch
    init() throws { scratch = try Program.Scratch() }

    /// A recording in which something happened: the script plays, the reader looks at what came.
    func heard(_ script: String) async throws -> NullMicrophone.Heard {
        let outcome = try await NullMicrophone.run(script, in: scratch)
        #expect(outcome.status == 0 && outcome.error == "", "\(outcome.error)")
        return try NullMicrophone.Heard("heard", in: scratch)
    }

    @Test("what is played is heard to the last bit, from the server's usual device")
    func bits() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard
            until_true told heard device
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
        #expect(heard.texts == ["device default", "heard end"])
    }

    @Test("when the server is killed and comes back, the clock stands still and what is said then is heard")
    func serverKilled() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pulse --interval 20
            until_true told heard device
            paplay -d mic spoken.wav
            sleep 0.5
            kill -9 $server
            until_true told heard lost
            sleep 2
            microphone mic
            until_true told heard back
            sleep 0.5
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(heard.texts == ["device pulse", "lost went away", "back", "heard end"])
        let lost = try #require(heard.events.first { $0.text.hasPrefix("lost") }).position
        #expect(heard.events.first { $0.text == "back" }?.position == lost)
        #expect(heard.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("when the only source is removed the device is lost, and back with the next one")
    func sourceRemoved() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pulse
            until_true told heard device
            pactl unload-module module-null-sink
            until_true told heard lost
            pactl load-module $(null_sink mic) >/dev/null
            until_true told heard back
            listen mic
            sleep 2.5
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(heard.texts == ["device pulse", "lost went away", "back", "heard end"])
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
    }

    @Test("of two sources the one that is named is heard, the other is silent")
    func named() async throws {
        let heard = try await heard(
            """
            microphone one two
            record heard --device pulse:two.monitor
            until_true told heard device
            first=$probe
            exec 4>&3
            record other --device pulse:one.monitor
            until_true told other device
            paplay -d two spoken.wav
            sleep 3.6
            finish
            echo stop >&4
            wait $first
            """)
        let other = try NullMicrophone.Heard("other", in: scratch)
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
        #expect(heard.texts == ["device pulse:two.monitor", "silent end"])
        #expect(other.samples.allSatisfy { $0 == 0 })
        #expect(other.texts == ["device pulse:one.monitor", "silent end"])
    }

    @Test("a source that PulseAudio does not know is told with the devices that are there")
    func unknown() async throws {
        let outcome = try await NullMicrophone.run(
            "microphone mic\ntimeout 20 capture-probe record --device pulse:nonsense", in: scratch)
        #expect(outcome.status == 69)
        #expect(outcome.error.hasPrefix("error: no such microphone: pulse:nonsense\ntry: one of: "), "\(outcome.error)")
    }

    @Test("a muted microphone gives silence, and sound again when it is not")
    func muted() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pulse
            until_true told heard device
            pactl set-source-mute mic.monitor 1
            paplay -d mic spoken.wav
            sleep 0.5
            pactl set-source-mute mic.monitor 0
            sleep 0.2
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(heard.texts == ["device pulse", "heard end"])
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
    }

    @Test("a source that stands still is told as stalled, and goes on")
    func stalled() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pulse
            until_true told heard device
            pactl suspend-sink mic 1
            until_true told heard stalled
            pactl suspend-sink mic 0
            sleep 0.5
            paplay -d mic spoken.wav
            sleep 0.5
            finish
            """)
        #expect(heard.texts == ["device pulse", "stalled", "heard end"])
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
    }

    @Test("a program that is put aside for two seconds loses nothing")
    func putAside() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pulse
            until_true told heard device
            paplay -d mic spoken.wav & playing=$!
            sleep 0.7
            pkill -STOP -P $probe
            sleep 2
            pkill -CONT -P $probe
            wait $playing
            sleep 0.5
            finish
            """)
        #expect(heard.texts == ["device pulse", "heard end"])
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
    }

    @Test("what is said in a pause is not kept, what is said before and after is")
    func pause() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pulse
            until_true told heard device
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
        #expect(heard.texts == ["device pulse", "heard end"])
        #expect(heard.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("a sound server that starts within 10 s is waited for; one that does not is told")
    func server() async throws {
        let heard = try await heard(
            """
            record heard --device pulse
            sleep 1
            microphone mic
            until_true told heard device
            finish
            kill -9 $server
            record none --device pulse
            wait $probe && exit 1
            exec 3>&-
            """)
        #expect(heard.texts.first == "device pulse")
        let error = try String(contentsOf: scratch.url.appending(path: "none.errors"), encoding: .utf8)
        #expect(
            error == """
                error: the sound server of pulse does not answer (waited 10 s)
                try: start PulseAudio or PipeWire

                """)
    }
}
