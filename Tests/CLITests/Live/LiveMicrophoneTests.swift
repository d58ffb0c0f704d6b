import Foundation
import Testing

/// `live` with microphones that need no hardware: PulseAudio's null sink, and ALSA's file plugin.
@Suite("Live from a microphone", .serialized)
struct LiveMicrophoneTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    /// Starts a sound server of this test's own, which ends with it. `norewinds` and a reader with short latency make
    /// the sink work in short blocks.
    private static let server = """
        export XDG_RUNTIME_DIR=$PWD/run PULSE_RUNTIME_PATH=$PWD/run/pulse; mkdir -p -m 700 run
        pulseaudio -n --daemonize=no --exit-idle-time=-1 -L module-native-protocol-unix \
          -L "module-null-sink sink_name=mic format=s16le rate=16000 channels=1 norewinds=1" > server.log 2>&1 & server=$!
        for i in $(seq 100); do pactl info > /dev/null 2>&1 && break; sleep 0.1; done
        PULSE_LATENCY_MSEC=20 parec -d mic.monitor --format=s16le --rate=16000 --channels=1 > /dev/null 2>&1 & keep=$!
        sleep 2.5
        # Until the program records beside that reader.
        until_recorded() { for i in $(seq 600); do
          [ "$(pactl list short source-outputs | wc -l)" -ge 2 ] && break; sleep 0.1; done; }
        """

    @Test("what is said into PulseAudio is written down")
    func pulse() throws {
        let outcome = try Program.shell(
            """
            \(Self.server)
            whisper-local live --device pulse --no-timestamps --duration 8 & live=$!
            until_recorded; paplay -d mic "$CLIPS/say-00.wav"; wait $live; status=$?
            kill $keep $server; wait $server 2>/dev/null; exit $status
            """, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output == "Turn the fan down to 5%.\nWhere did you put the short chair?\n")
    }

    @Test("a microphone that goes away is told and waited for; what was said before is safe")
    func lost() throws {
        let outcome = try Program.shell(
            """
            \(Self.server)
            whisper-local live --device pulse --no-timestamps & live=$!
            until_recorded; paplay -d mic "$CLIPS/say-01.wav"; sleep 2; kill $keep; kill $server; wait $server 2>/dev/null
            for i in $(seq 300); do grep -q 'device lost' .err && break; sleep 0.1; done
            kill -TERM $live; wait $live
            """, in: scratch)
        #expect(outcome.status == 143, "\(outcome.error)")
        #expect(outcome.output == "Open the garden door, please.\n")
        #expect(outcome.error.contains("warning: device lost, waiting: the microphone "), "\(outcome.error)")
    }

    @Test(
        "PipeWire gives the text that its recordings have, before it was killed and after it is back",
        .enabled(if: NullMicrophone.hasPipeWire, "PipeWire or its plugin for ALSA is not there"))
    func pipeWire() async throws {
        // The server's usual rate; it resamples what comes and what goes.
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
            outcome.error == """
                warning: device lost, waiting: the microphone went away
                the microphone is back

                """)
    }

    @Test("without its server the device is waited for, and then it is said what is missing")
    func noServer() throws {
        let outcome = try Program.shell(
            "mkdir -p -m 700 run; XDG_RUNTIME_DIR=$PWD/run PULSE_RUNTIME_PATH=$PWD/run/pulse "
                + "whisper-local live --device pulse", in: scratch)
        #expect(outcome.status == 75)
        #expect(
            outcome.error == """
                error: the sound server of pulse does not answer (waited 10 s)
                try: start PulseAudio or PipeWire

                """)
    }

    @Test("without any microphone it is said what was looked for, and what can be heard instead")
    func none() throws {
        try scratch.write("nothing.conf", "pcm.silence { type null }\n")
        let outcome = try Program.shell(
            "ALSA_CONFIG_PATH=$PWD/nothing.conf whisper-local live", in: scratch)
        #expect(outcome.status == 69)
        #expect(
            outcome.error == """
                error: no microphone found (looked for default, pulse, pipewire)
                try: connect a microphone, or start PulseAudio or PipeWire; `whisper-local doctor` shows what is there; \
                --file FILE hears a recording

                """)
    }

    @Test("an unknown microphone is told with the one that may be meant, and with those that are there")
    func unknown() throws {
        try scratch.write(
            "hint.conf", "pcm.hinted { type null hint { show on description \"For tests\" } }\n")
        let outcome = try Program.shell(
            "ALSA_CONFIG_PATH=$PWD/hint.conf whisper-local live --device hintde", in: scratch)
        #expect(outcome.status == 69)
        #expect(
            outcome.error == "error: no such microphone: hintde; did you mean hinted?\ntry: one of: hinted\n",
            "\(outcome.error)")
    }

    @Test("ALSA's own devices are heard as they are")
    func alsa() throws {
        try scratch.write(
            "file.conf",
            """
            </usr/share/alsa/alsa.conf>
            pcm.wavmic { type file slave.pcm null file /dev/null infile spoken.raw format raw }
            """)
        // It gives its sound as fast as it is read, and begins again at its end.
        let outcome = try Program.shell(
            """
            tail -c +45 "$CLIPS/say-00.wav" > spoken.raw
            ALSA_CONFIG_PATH=$PWD/file.conf whisper-local live --device wavmic --no-timestamps --duration 5.5
            """, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output == "Turn the fan down to 5%.\nWhere did you put the short chair?\n")
    }
}
