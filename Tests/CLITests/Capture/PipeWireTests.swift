import Foundation
import Testing

@Suite("PipeWire", .enabled(if: NullMicrophone.hasPipeWire, "PipeWire or its plugin for ALSA is not there"))
struct PipeWireTests {
    let scratch: Program.Scratch
    init() throws { scratch = try Program.Scratch() }

    /// A recording in which something happened: the script plays, the reader looks at what came.
    func heard(_ script: String) async throws -> NullMicrophone.Heard {
        let outcome = try await NullMicrophone.run(script, on: .pipeWire, in: scratch)
        #expect(outcome.status == 0 && outcome.error == "", "\(outcome.error)")
        return try NullMicrophone.Heard("heard", in: scratch)
    }

    @Test("what is played is heard to the last bit, from the device that the plugin's package makes the usual one")
    func bits() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard
            until_true recorded
            play mic
            sleep 0.5
            finish
            """)
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
        #expect(heard.texts == ["device default", "heard end"])
    }

    @Test("of two sources the one that is named is heard")
    func named() async throws {
        let heard = try await heard(
            """
            microphone room
            for name in one two; do pw-cli create-node adapter "$(source_node $name)" >/dev/null; done
            until_true pw-link room:monitor_MONO two:input_MONO
            record heard --device pipewire:NODE=two
            until_true recorded
            play room
            sleep 0.5
            finish
            """)
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
        #expect(heard.texts == ["device pipewire:NODE=two", "heard end"])
    }

    @Test("programs that know PulseAudio hear the same of PipeWire's own server for them")
    func pulse() async throws {
        let heard = try await heard(
            """
            microphone mic
            pulse
            record heard --device pulse
            until_true recorded
            play mic
            sleep 0.5
            finish
            """)
        #expect(heard.count(of: try NullMicrophone.spoken()) == 1)
        #expect(heard.texts == ["device pulse", "heard end"])
    }

    @Test("when the server is killed and comes back, the clock stands still and what is said then is heard")
    func serverKilled() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pipewire
            until_true recorded
            play mic
            sleep 0.5
            kill -9 $server $manager
            until_true told heard lost
            microphone mic
            until_true told heard back
            until_true recorded
            play mic
            sleep 0.5
            finish
            """)
        #expect(heard.texts == ["device pipewire", "lost went away", "back", "heard end"])
        let lost = try #require(heard.events.first { $0.text.hasPrefix("lost") }).position
        #expect(heard.events.first { $0.text == "back" }?.position == lost)
        #expect(heard.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("when the only source is removed that is told as silence, and the next one is heard")
    func sourceRemoved() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pipewire
            until_true recorded
            play mic
            sleep 0.5
            pw-cli destroy $(node mic)
            until_true told heard stalled
            pw-cli create-node adapter "$(sink_node mic)" >/dev/null
            until_true recorded
            play mic
            sleep 0.5
            finish
            """)
        #expect(heard.texts == ["device pipewire", "stalled", "heard end"])
        #expect(heard.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("what is said while the program is put aside is lost, and told")
    func putAside() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pipewire
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
        #expect(heard.texts.count == 3 && heard.texts.last == "heard end")
        let lost = heard.texts.dropFirst().first.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        #expect(heard.texts.dropFirst().first == "overrun \(lost)")
        #expect((44_000...52_000).contains(lost))
        #expect(heard.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("a listener who does not come for seven seconds loses what is more than five, and it is told")
    func overrun() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pipewire
            until_true recorded
            play mic
            echo hold >&3
            until_true told heard overrun
            play mic
            sleep 0.5
            finish
            """)
        #expect(heard.texts.count == 3 && heard.texts.last == "heard end")
        let lost = heard.texts.dropFirst().first.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
        #expect(heard.texts.dropFirst().first == "overrun \(lost)")
        #expect((16_000...64_000).contains(lost))
        #expect(heard.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("what is said in a pause is not kept, what is said before and after is")
    func pause() async throws {
        let heard = try await heard(
            """
            microphone mic
            record heard --device pipewire
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
        #expect(heard.texts == ["device pipewire", "heard end"])
        #expect(heard.count(of: try NullMicrophone.spoken()) == 2)
    }

    @Test("a server that starts within 10 s is waited for")
    func server() async throws {
        let heard = try await heard(
            """
            record heard --device pipewire
            sleep 1
            microphone mic
            until_true recorded
            finish
            """)
        #expect(heard.texts.first == "device pipewire")
    }
}
