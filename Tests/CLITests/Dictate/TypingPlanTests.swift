import Foundation
import Testing
import WhisperCommands
import WhisperEngine

@Suite("Ways to type")
struct TypingPlanTests {
    private let scratch: Program.Scratch

    init() throws { scratch = try Program.Scratch() }

    /// The plan on a desktop where these programs are installed.
    private func choose(
        _ choice: TypingChoice, _ variables: [String: String], _ programs: [String], wtypeWorks: Bool = true
    ) throws -> TypingPlan {
        for program in programs {
            try scratch.write("bin/\(program)", "#!/bin/sh\n")
        }
        _ = try Program.shell("mkdir -p bin; chmod +x bin/* || :", in: scratch)
        let folder = scratch.url.path
        let environment = ProcessEnvironment(
            ["PATH": folder + "/bin", "XDG_RUNTIME_DIR": folder].merging(variables) { $1 })
        return try TypingPlan(choice, environment: environment) { $0 != .wtype || wtypeWorks }
    }

    private static let onWayland = ["WAYLAND_DISPLAY": "wayland-1", "DISPLAY": ":0"]
    private static let onX11 = ["DISPLAY": ":0"]

    @Test("on Wayland, wtype types, and otherwise there is the clipboard")
    func wayland() throws {
        let plan = try choose(.auto, Self.onWayland, ["wtype", "xdotool", "wl-copy", "xclip"])
        #expect(plan.ways == [.keys(.wtype), .clipboard])
        #expect(plan.problem == nil)
    }

    @Test("on X11, xdotool does")
    func x11() throws {
        #expect(
            try choose(.auto, Self.onX11, ["wtype", "xdotool", "wl-copy", "xsel"]).ways
                == [.keys(.xdotool), .clipboard])
    }

    @Test("where the compositor refuses wtype, ydotool pastes if its daemon runs")
    func ydotool() throws {
        try scratch.write(".ydotool_socket")
        #expect(
            try choose(.auto, Self.onWayland, ["wtype", "ydotool", "wl-copy"], wtypeWorks: false).ways
                == [.paste(.ydotool), .keys(.ydotool), .clipboard])
    }

    @Test(
        "if only the clipboard is left, a line says why and what would help",
        arguments: [
            (Self.onWayland, ["wl-copy"], "wtype is not installed; install the package wtype"),
            (
                Self.onWayland, ["wl-copy", "wtype"],
                "wtype does not work with this compositor, as with those of GNOME and KDE; "
                    + "install dotool or ydotool; see docs/dictation.md"
            ),
            (Self.onX11, ["xclip"], "xdotool is not installed; install the package xdotool"),
        ] as [([String: String], [String], String)])
    func clipboard(variables: [String: String], programs: [String], reason: String) throws {
        let plan = try choose(.auto, variables, programs, wtypeWorks: false)
        #expect(plan.ways == [.clipboard])
        #expect(plan.problem == "nothing types here, so texts only go to the clipboard: \(reason)")
    }

    @Test(
        "what cannot work is an error that says why",
        arguments: [
            (TypingChoice.auto, [:], "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set"),
            (TypingChoice.auto, Self.onWayland, "wtype is not installed"),
            (TypingChoice.auto, Self.onX11, "xdotool is not installed"),
            (TypingChoice.clipboard, Self.onWayland, "wl-copy is not installed"),
            (TypingChoice.clipboard, Self.onX11, "neither xclip nor xsel is installed"),
            (TypingChoice.wtype, Self.onX11, "wtype needs Wayland, and this is X11"),
            (TypingChoice.wtype, Self.onWayland, "wtype is not installed"),
            (TypingChoice.xdotool, ["WAYLAND_DISPLAY": "wayland-1"], "xdotool needs X11, and this is Wayland"),
            (TypingChoice.ydotool, Self.onWayland, "ydotool is not installed"),
            (TypingChoice.paste, [:], "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set"),
        ] as [(TypingChoice, [String: String], String)])
    func impossible(choice: TypingChoice, variables: [String: String], what: String) {
        #expect { _ = try choose(choice, variables, []) } throws: { ($0 as? TypingPlan.Obstacle)?.what == what }
    }

    @Test("a program that is named is used, even where another would be better")
    func named() throws {
        let programs = ["wtype", "xdotool", "ydotool", "dotool", "wl-copy"]
        for program in KeyProgram.allCases {
            let choice = try #require(TypingChoice(rawValue: program.rawValue))
            #expect(try choose(choice, Self.onWayland, programs).ways == [.keys(program), .clipboard])
        }
        #expect(try choose(.paste, Self.onWayland, programs).ways == [.paste(.wtype), .clipboard])
        #expect(try choose(.clipboard, Self.onWayland, programs).ways == [.clipboard])
    }

    @Test("the keys that paste, as each program calls them")
    func keys() {
        #expect(
            KeyProgram.wtype.pressing(.controlShiftV).map(\.command) == [
                ["wtype", "-s", "50", "-M", "ctrl", "-M", "shift", "-k", "v", "-m", "shift", "-m", "ctrl"]
            ])
        #expect(
            KeyProgram.xdotool.pressing(.shiftInsert).map(\.command) == [
                ["xdotool", "key", "--clearmodifiers", "shift+Insert"]
            ])
        #expect(
            KeyProgram.ydotool.pressing(.controlV).map(\.command) == [
                ["ydotool", "key", "29:1", "47:1", "47:0", "29:0"], ["ydotool", "key", "ctrl+v"],
            ])
        #expect(KeyProgram.dotool.pressing(.controlV).map(\.input) == ["key ctrl+v\n"])
        #expect(KeyProgram.dotool.typing("one\n\ntwo").input == "type one\nkey enter\nkey enter\ntype two\n")
    }
}
