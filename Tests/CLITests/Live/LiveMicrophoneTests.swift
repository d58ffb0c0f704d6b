import Foundation
import Testing

/// `live` with virtual microphones: the null sinks of PulseAudio and PipeWire, and ALSA's file plugin.
@Suite("Live from a microphone", .serialized)
struct LiveMicrophoneTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    /// Succeeds once a program besides the reader of `microphone.sh` records from PulseAudio.
    private static let recorded = "recorded() { [ \"$(pactl list short source-outputs | wc -l)\" -ge 2 ]; }"

    @Test("speech from a PulseAudio microphone is transcribed")
    func pulse() async throws {
        let outcome = try await NullMicrophone.run(
            """
            \(Self.recorded)
            microphone mic
            whisper-local live --device pulse --no-timestamps --duration 8 & live=$!
            until_true recorded; paplay -d mic "$CLIPS/say-00.wav"; wait $live
            """, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output == "Turn the fan down to 5%.\nWhere did you put the short chair?\n")
    }

    @Test("a lost microphone is reported and waited for, and earlier speech is kept")
    func lost() async throws {
        let outcome = try await NullMicrophone.run(
            """
            \(Self.recorded)
            microphone mic
            whisper-local live --device pulse --no-timestamps & live=$!
            until_true recorded; paplay -d mic "$CLIPS/say-01.wav"; sleep 2; kill -9 $server
            until_true grep 'device lost' .err
            kill -TERM $live; wait $live
            """, in: scratch)
        #expect(outcome.status == 143, "\(outcome.error)")
        #expect(outcome.output == "Open the garden door, please.\n")
        #expect(
            outcome.error.contains("warning: device lost: the microphone "), "\(outcome.error)")
    }

    @Test(
        "speech from PipeWire has the text of its recordings, before a restart of the server and after it",
        .enabled(if: NullMicrophone.hasPipeWire, "PipeWire or its ALSA plugin is not installed"))
    func pipeWire() async throws {
        // The server's usual rate, so it resamples playback and capture.
        let outcome = try await NullMicrophone.run(
            """
            rate=48000
            microphone mic
            whisper-local live --device pipewire --no-timestamps & live=$!
            until_true recorded; play mic "$CLIPS/say-00.wav"; sleep 1; kill -9 $server $manager
            until_true grep 'device lost' .err
            microphone mic; until_true recorded; play mic "$CLIPS/say-01.wav"; sleep 1
            kill -TERM $live; wait $live
            """, on: .pipeWire, in: scratch)
        #expect(outcome.status == 143, "\(outcome.error)")
        let recordings = try Program.shell(
            "whisper-local transcribe --no-timestamps \"$CLIPS/say-00.wav\" \"$CLIPS/say-01.wav\"", in: scratch)
        #expect(
            outcome.output
                == "Turn the fan down to 5%.\nWhere did you put the short chair?\nOpen the garden door, please.\n")
        #expect(outcome.output == recordings.output)
        #expect(
            outcome.error.replacing(/kill \d+/, with: "kill NUMBER") == Program.greeting + """
                this job ignores Ctrl-C; to stop it: kill NUMBER
                warning: device lost: the microphone went away; waiting for it to return
                the microphone is back

                """)
    }

    @Test("while the microphone is lost, the status line says so")
    func lostStatus() async throws {
        let outcome = try await NullMicrophone.run(
            """
            \(Self.recorded)
            microphone mic
            (until_true recorded; kill -9 $server) &
            TERM=xterm in-terminal 70 10 'see:listening' 'see:  microphone lost, waiting for it' 'send:\\x03' -- \\
                whisper-local live --device pulse
            """, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(!outcome.output.contains("paused"))
    }

    @Test("--list-devices lists PulseAudio's sources, also the monitors of outputs")
    func listed() async throws {
        let outcome = try await NullMicrophone.run(
            """
            microphone mic
            pactl load-module module-virtual-source source_name=desk master=mic.monitor >/dev/null
            whisper-local live --list-devices
            """, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("pulse:mic.monitor  ") && $0.hasSuffix("  Monitor of Null Output") })
        #expect(lines.contains { $0.hasPrefix("pulse:desk ") }, "\(outcome.output)")
    }

    @Test(
        "a sound server that is not running is not listed, not by doctor either",
        .enabled(if: NullMicrophone.hasPipeWire, "PipeWire or its ALSA plugin is not installed"))
    func notRunning() async throws {
        let outcome = try await NullMicrophone.run(
            """
            list() { whisper-local dictate --list-devices | cut -d ' ' -f 1; whisper-local doctor | sed -n '/^devices/,/^typing/p'; }
            list; microphone mic; list
            """, on: .pipeWire, in: scratch)
        let (typing, missing) = ("typing     none: ", "error: no microphone found (tried ALSA)\n")
        #expect(outcome.error.hasPrefix(missing), "\(outcome.error)")
        let lines = outcome.output.split(separator: "\n").map { $0.hasPrefix(typing) ? typing : String($0) }
        #expect(
            lines == [
                "devices    none", typing, "pipewire", "default", "devices    pipewire  PipeWire Sound Server",
                "           default  Default ALSA Output (currently PipeWire Media Server)", typing,
            ], "\(outcome.output)")
    }

    @Test("a missing sound server is waited for and then reported")
    func noServer() throws {
        let outcome = try Program.shell(
            "mkdir -p -m 700 run; XDG_RUNTIME_DIR=$PWD/run PULSE_RUNTIME_PATH=$PWD/run/pulse "
                + "whisper-local live --device pulse", in: scratch)
        #expect(outcome.status == 75)
        #expect(
            outcome.error == Program.greeting + """
                error: the sound server for pulse is not responding (waited 10 s)
                try: start PulseAudio or PipeWire

                """)
    }

    @Test("without a microphone, the error lists the devices tried and suggests --file")
    func none() throws {
        try scratch.write("nothing.conf", "pcm.silence { type null }\n")
        let outcome = try Program.shell(
            "ALSA_CONFIG_PATH=$PWD/nothing.conf whisper-local live", in: scratch)
        #expect(outcome.status == 69)
        #expect(
            outcome.error == Program.greeting + """
                error: no microphone found (tried default, pulse, pipewire)
                try: connect a microphone, or start PulseAudio or PipeWire (`whisper-local doctor` lists the \
                devices); --file FILE transcribes a recording

                """)
    }

    @Test("an unknown microphone is reported with the nearest name and the installed ones")
    func unknown() throws {
        try scratch.write(
            "hint.conf", "pcm.hinted { type null hint { show on description \"For tests\" } }\n")
        let outcome = try Program.shell(
            "ALSA_CONFIG_PATH=$PWD/hint.conf whisper-local live --device hintde", in: scratch)
        #expect(outcome.status == 69)
        #expect(
            outcome.error == Program.greeting
                + "error: no such microphone: hintde; did you mean hinted?\ntry: use one of: hinted\n",
            "\(outcome.error)")
    }

    @Test("a device from ALSA's own configuration can be captured")
    func alsa() throws {
        try scratch.write(
            "file.conf",
            """
            </usr/share/alsa/alsa.conf>
            pcm.wavmic { type file slave.pcm null file /dev/null infile spoken.raw format raw }
            """)
        // The plugin delivers the file as fast as it is read, and starts over at its end.
        let outcome = try Program.shell(
            """
            tail -c +45 "$CLIPS/say-00.wav" > spoken.raw
            ALSA_CONFIG_PATH=$PWD/file.conf whisper-local live --device wavmic --no-timestamps --duration 5.5
            """, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output == "Turn the fan down to 5%.\nWhere did you put the short chair?\n")
    }
}
