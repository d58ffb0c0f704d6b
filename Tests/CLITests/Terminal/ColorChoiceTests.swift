import Testing
import WhisperCommands
import WhisperEngine

@Suite("Colors")
struct ColorChoiceTests {
    @Test("auto means on for a terminal that is not dumb, unless NO_COLOR is set")
    func automatic() {
        let terminal = ["TERM": "xterm"]
        #expect(ColorChoice.auto.isOn(onTerminal: true, environment: ProcessEnvironment(terminal)))
        #expect(!ColorChoice.auto.isOn(onTerminal: false, environment: ProcessEnvironment(terminal)))
        #expect(!ColorChoice.auto.isOn(onTerminal: true, environment: ProcessEnvironment([:])))
        #expect(!ColorChoice.auto.isOn(onTerminal: true, environment: ProcessEnvironment(["TERM": "dumb"])))
        let without = terminal.merging(["NO_COLOR": "1"]) { $1 }
        #expect(!ColorChoice.auto.isOn(onTerminal: true, environment: ProcessEnvironment(without)))
        let empty = terminal.merging(["NO_COLOR": ""]) { $1 }
        #expect(ColorChoice.auto.isOn(onTerminal: true, environment: ProcessEnvironment(empty)))
    }

    @Test("always and never override the terminal and NO_COLOR")
    func fixed() {
        #expect(ColorChoice.always.isOn(onTerminal: false, environment: ProcessEnvironment(["NO_COLOR": "1"])))
        #expect(!ColorChoice.never.isOn(onTerminal: true, environment: ProcessEnvironment(["TERM": "xterm"])))
    }
}
