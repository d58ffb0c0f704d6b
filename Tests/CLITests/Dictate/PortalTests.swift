import Testing
import WhisperCommands

/// `dictate --key portal`, with a bus of its own on which a script is the desktop's portal.
@Suite(
    "Key of the desktop", .serialized,
    .enabled("python3-gi or dbus-daemon is not installed") {
        let scratch = try Program.Scratch()
        return try Program.shell("/usr/bin/python3 -c 'import gi' && dbus-daemon --version", in: scratch).status == 0
    })
struct PortalTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    /// Runs a script with a bus; `desktop` starts a portal, which gets commands from descriptor 3.
    private func run(_ script: String) throws -> Program.Outcome {
        let functions = """
            export XDG_RUNTIME_DIR="$PWD/run"; mkdir -p run && chmod 700 run
            until_true() { for try in $(seq 400); do "$@" >/dev/null 2>&1 && return; sleep 0.05; done; }
            is() { whisper-local dictate status | grep -q $1; }
            processes=""; trap 'kill $processes 2>/dev/null; wait' EXIT
            setpriv --pdeathsig KILL dbus-daemon --session --nofork --nopidfile --print-address >address 2>bus.log &
            processes=$!
            until_true test -s address
            export DBUS_SESSION_BUS_ADDRESS=$(cat address)
            desktop() {
                exec 3>&-; [ -z "$portal" ] || wait $portal
                rm -f commands asked; mkfifo commands
                portal "$@" <commands >asked 2>portal.log & portal=$!
                exec 3>commands; until_true grep ready asked
            }
            talk() { whisper-local dictate --file "$CLIPS/say-00.wav" --key portal "$@" >said 2>errors & talk=$!; }

            """
        return try Program.shell(functions + script, in: scratch)
    }

    @Test("the key is held to talk, until the desktop takes it back; other keys of the desktop do nothing")
    func held() throws {
        let outcome = try run(
            """
            desktop given
            talk; until_true grep -q 'hold to talk' errors
            echo other press >&3; until_true is recording
            sleep 3.1; echo release >&3; until_true test -s said; until_true is idle
            echo close >&3; wait $talk; echo $?
            grep -v 'demonstration\\|job ignores' errors; cat said asked
            """)
        #expect(
            outcome.output == """
                69
                hold to talk: Press F9
                error: --key portal: the desktop has taken the key back
                try: start `dictate` again
                Turn the fan down to 5%.
                ready
                registered local.whisper.Dictate
                asked for [('dictate', {'description': 'Hold to dictate'})]

                """, "\(outcome)")
    }

    @Test("a portal that ends is reported, and quit is not")
    func ended() throws {
        let outcome = try run(
            """
            desktop keyless; talk --key portal:CTRL+ALT+d; until_true is idle; until_true grep -q choose errors
            whisper-local dictate quit; wait $talk; echo $?
            talk; until_true sh -c '[ $(grep -c asked asked) = 2 ]' && until_true grep -q choose errors
            kill -KILL $portal; wait $talk; echo $?
            grep -v 'demonstration\\|job ignores' errors; cat asked
            """)
        #expect(
            outcome.output == """
                0
                69
                the desktop names no key for dictation; if it has none yet, choose one in its settings
                error: --key portal: the desktop's portal has ended
                try: start `dictate` again
                ready
                registered local.whisper.Dictate
                asked for [('dictate', {'description': 'Hold to dictate', 'preferred_trigger': 'CTRL+ALT+d'})]
                registered local.whisper.Dictate
                asked for [('dictate', {'description': 'Hold to dictate'})]

                """, "\(outcome)")
    }

    @Test("where the desktop gives no key, the reason is said, and what else there is")
    func refused() throws {
        let outcome = try run(
            """
            try() { talk; wait $talk; echo $?; grep error: errors; }
            try
            for mode in none anonymous refused failed; do desktop $mode; try; done
            tail -n 1 errors
            DBUS_SESSION_BUS_ADDRESS=unix:path=$PWD/nothing; try
            """)
        #expect(
            outcome.output == """
                69
                error: --key portal: this desktop has no portal
                69
                error: --key portal: this desktop's portal has no global shortcuts
                69
                error: --key portal: the desktop does not know this program: Could not register app ID: App info not \
                found for 'local.whisper.Dictate'
                69
                error: --key portal: the key was refused in the desktop's dialog
                69
                error: --key portal: the desktop gives no key for dictation
                try: start it again and allow a key, or use `dictate start` and `dictate stop`, or `dictate toggle`, as \
                the desktop's hot keys
                69
                error: --key portal: there is no message bus of a session: Could not connect: No such file or directory

                """, "\(outcome)")
    }

    @Test("the argument of --key is a key or the portal, which may be proposed a key")
    func choices() {
        #expect(KeyChoice("portal") == .portal(trigger: nil))
        #expect(KeyChoice("Portal:CTRL+d") == .portal(trigger: "CTRL+d"))
        #expect(KeyChoice("f9") == InputKey("F9").map { .keyboards($0) })
        for text in ["portal:", "portals", "", ":", "F9:portal"] { #expect(KeyChoice(text) == nil) }
    }
}
