import Foundation
import Testing

/// `dictate --type` types into the windows of real desktops, and with programs that record what they get.
@Suite("Typing", .serialized)
struct TypingTests {
    private let scratch: Program.Scratch

    /// A text with everything that goes wrong, written instead of the sentence that is said.
    private static let probe = "Grüße, Noël: “naïve” — 12 € ñ Привет 日本語 🎉 ~|@#{}\\ AZ"
    private static let sentence = "Turn the fan down to 5%."
    /// What the microphone hears.
    private static let heard = "Open the garden door, please."

    init() throws {
        scratch = try Program.Scratch()
        try scratch.write("probe", "/.*fan down.*/ => \(Self.probe)\n")
    }

    /// Runs a script on a desktop. `say` dictates a sentence with the options and waits until it has been delivered.
    private func run(_ script: String, environment: [String: String] = [:]) throws -> Program.Outcome {
        let functions = """
            . "$FIXTURES/desktop.sh"
            say() {
                whisper-local dictate --file "$CLIPS/say-00.wav" "$@" >said 2>errors & talk=$!
                processes="$processes $talk"
                until_true test -S run/whisper-local/dictate.sock
                whisper-local dictate start && sleep 3.1 && whisper-local dictate stop
                until_true test -s said
                whisper-local dictate quit; wait $talk
            }
            # hear FUNCTION: the same with a microphone; the function speaks.
            hear() {
                whisper-local dictate --device pulse --no-sounds --type >said 2>errors & talk=$!
                processes="$processes $talk"
                until_true test -S run/whisper-local/dictate.sock
                until_true recorded
                "$@"
                until_true test -s said
                whisper-local dictate quit; wait $talk
            }
            recorded() { [ "$(pactl list short source-outputs | wc -l)" -ge 2 ]; }
            recording() { whisper-local dictate status | grep -q recording; }
            # Prints what the window has, as soon as that is what was said: windows read keys after they have been sent.
            typed() { until_true same; cat got.txt; }
            same() { [ "$(cat said)" = "$(cat got.txt)" ]; }

            """
        return try Program.shell(functions + script, in: scratch, environment: environment)
    }

    private func file(_ name: String) -> String {
        (try? String(contentsOf: scratch.url.appending(path: name), encoding: .utf8)) ?? ""
    }

    /// A folder of programs that record their arguments and what they read, and then do what the script says.
    private func fake(_ programs: [String: String]) throws -> [String: String] {
        for (name, script) in programs {
            try scratch.write(
                "bin/\(name)", "#!/bin/sh\necho $(basename $0) $* >>calls\n\(script)\n")
        }
        _ = try Program.shell("chmod +x bin/*", in: scratch)
        return ["PATH": "\(scratch.url.path)/bin:\(Program.folder):/usr/bin:/bin"]
    }

    @Test(
        "all characters arrive in a new window of a Wayland compositor, and nothing is lost, also while Control is held"
    )
    func wayland() throws {
        let outcome = try run(
            """
            wayland
            say --type --vocabulary probe; typed
            window; (wtype -M ctrl -s 9000 -m ctrl &)
            say --type; echo; typed
            """)
        #expect(outcome.output == "\(Self.probe)\n\(Self.sentence)", "\(outcome) \(file("errors"))")
    }

    @Test(
        "while a key that Sway binds is held, the microphone is recorded, and the text is typed when it is released",
        .enabled(if: NullMicrophone.hasPulseAudio, "PulseAudio does not start here"))
    func held() throws {
        // The compositor runs as another user if this is root, so its bindings only write the verbs.
        let outcome = try run(
            """
            . "$FIXTURES/microphone.sh"
            microphone mic; wayland
            mkfifo asked && chmod 666 asked && exec 3<>asked
            while read -r verb; do whisper-local dictate $verb; done <&3 & processes="$processes $!"
            swaymsg -q "bindsym --no-repeat F9 exec echo start >$PWD/asked"
            swaymsg -q "bindsym --release F9 exec echo stop >$PWD/asked"
            # Holds the key until the input ends.
            mkfifo held
            hold() {
                wtype -P F9 - -p F9 <held & exec 4>held
                until_true recording; paplay -d mic "$CLIPS/say-01.wav"; exec 4>&-
            }
            hear hold; typed
            """)
        #expect(outcome.output == Self.heard, "\(outcome) \(file("errors"))")
    }

    @Test("pasting brings all characters to a Wayland window and puts the clipboard back")
    func waylandPaste() throws {
        let outcome = try run(
            """
            wayland
            echo earlier | wl-copy >/dev/null 2>&1
            say --type=paste --vocabulary probe; typed; echo; wl-paste
            window; say --type=paste --paste-key ctrl+shift+v; typed; echo; wl-paste
            """)
        #expect(
            outcome.output == "\(Self.probe)\nearlier\n\n\(Self.sentence)\nearlier\n\n",
            "\(outcome) \(file("errors"))")
    }

    @Test(
        "plain text from the microphone is typed in an X11 window, other characters are pasted, and the clipboard is put back",
        .enabled(if: NullMicrophone.hasPulseAudio, "PulseAudio does not start here"))
    func x11() throws {
        let outcome = try run(
            """
            . "$FIXTURES/microphone.sh"
            microphone mic; x11
            printf earlier | xclip -selection clipboard >/dev/null 2>&1
            press() { whisper-local dictate start; paplay -d mic "$CLIPS/say-01.wav"; whisper-local dictate stop; }
            hear press; typed; echo
            window; xdotool keydown Control_L; say --type --vocabulary probe; typed; echo
            xclip -selection clipboard -o
            """)
        #expect(outcome.output == "\(Self.heard)\n\(Self.probe)\nearlier", "\(outcome) \(file("errors"))")
    }

    @Test("texts go to standard input, and the clipboard has a text that cannot be typed, with a line that says why")
    func failing() throws {
        let programs = try fake([
            "wtype": "cat >>typed; [ \"$1 $2\" = '-s 1' ]", "wl-copy": "cat >copied", "notify-send": "",
        ])
        let outcome = try run(
            "export WAYLAND_DISPLAY=none; say --type; grep -v 'job ignores' errors; cat calls copied",
            environment: programs)
        #expect(
            outcome.output == Program.keysMissing + Program.greeting
                + """
                warning: wtype failed with exit status 1; the text is in the clipboard
                wtype -s 1
                wtype -s 50 -
                wl-copy
                notify-send --app-name=whisper-local Dictation wtype failed with exit status 1; \
                the text is in the clipboard
                \(Self.sentence)
                """.replacing(/(?m)^\s+/, with: ""), "\(outcome)")
        #expect(file("typed") == Self.sentence)
    }

    @Test("a problem that ends a dictate without a terminal is shown as a notification")
    func notified() throws {
        let programs = try fake(["notify-send": ""])
        let outcome = try run(
            """
            export DISPLAY=:none ALSA_CONFIG_PATH=/dev/null
            whisper-local dictate start --device none; until_true test -s calls; cat calls
            """, environment: programs)
        #expect(
            outcome.output.hasPrefix("notify-send --app-name=whisper-local Dictation ")
                && outcome.output.contains("none"), "\(outcome)")
    }

    @Test("dotool and ydotool type plain text, and paste other characters")
    func inputDevices() throws {
        let programs = try fake([
            "dotool": "cat >>typed", "ydotool": "[ \"$1\" = key ] || cat >>typed",
            "xclip": "case $* in *-o*) exit 1; esac; cat >copied",
        ])
        let outcome = try run(
            """
            export DISPLAY=:none
            say --type=dotool; say --type=ydotool
            cat calls typed; echo; rm calls typed
            say --type=ydotool --vocabulary probe --paste-key ctrl+v --copy; grep tool calls; cat copied
            """, environment: programs)
        #expect(
            outcome.output == """
                dotool
                ydotool type --file -
                type \(Self.sentence)
                \(Self.sentence)
                ydotool key 29:1 47:1 47:0 29:0
                \(Self.probe)
                """, "\(outcome)")
    }

    @Test("without a display or a program, the reason is given at once", arguments: ["--type", "--copy"])
    func nothing(option: String) throws {
        let outcome = try Program.shell(
            "whisper-local dictate --file \"$CLIPS/say-00.wav\" \(option)", in: scratch)
        #expect(
            outcome
                == Program.Outcome(
                    status: 69, output: "",
                    error: """
                        error: \(option): there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set
                        try: start it in a desktop session

                        """))
    }
}
