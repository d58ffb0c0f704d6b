package import WhisperEngine

/// The clipboard and the primary selection, set and read by the programs for this display server.
package struct Clipboard: Equatable, Sendable {
    package enum Selection: String, Sendable {
        /// What Ctrl+V pastes.
        case clipboard
        /// What the mouse selected last; Shift+Insert pastes it in terminals.
        case primary
    }

    private enum Programs: Equatable, Sendable {
        case wayland, xclip, xsel
    }

    private let programs: Programs

    /// A program that takes longer is killed.
    private static let timeLimit = Duration.seconds(2)
    /// More is not kept, and so not put back.
    private static let mostBytes = 16 << 20

    /// - Returns: `nil` if none of the usual programs is installed that fits the display server.
    package init?(_ environment: ProcessEnvironment) {
        if Desktop.isWayland(environment), environment.hasProgram("wl-copy") {
            programs = .wayland
        } else if Desktop.hasX11(environment), environment.hasProgram("xclip") {
            programs = .xclip
        } else if Desktop.hasX11(environment), environment.hasProgram("xsel") {
            programs = .xsel
        } else {
            return nil
        }
    }

    /// The name of the program that sets it.
    package var program: String { command(toSet: .clipboard)[0] }

    /// Why there is no clipboard, and what to do.
    package static func missing(_ environment: ProcessEnvironment) -> (what: String, advice: String) {
        guard Desktop.hasDisplay(environment) else { return (Desktop.missing, Desktop.advice) }
        return Desktop.isWayland(environment)
            ? ("wl-copy is not installed", "install the package wl-clipboard")
            : ("neither xclip nor xsel is installed", "install the package xclip")
    }

    package func set(_ text: String, _ selection: Selection = .clipboard) -> ChildProcess.Outcome {
        ChildProcess.run(command(toSet: selection), input: text, timeout: Self.timeLimit)
    }

    /// - Returns: `nil` if it is empty or contains something other than text.
    package func text(_ selection: Selection = .clipboard) -> String? {
        let command =
            switch programs {
            case .wayland:
                ["wl-paste", "--no-newline", "--type", "text"] + (selection == .primary ? ["--primary"] : [])
            case .xclip: ["xclip", "-selection", selection.rawValue, "-o"]
            case .xsel: ["xsel", selection == .primary ? "-op" : "-ob"]
            }
        return ChildProcess.text(of: command, atMost: Self.mostBytes, timeout: Self.timeLimit)
    }

    private func command(toSet selection: Selection) -> [String] {
        switch programs {
        case .wayland: ["wl-copy"] + (selection == .primary ? ["--primary"] : [])
        case .xclip: ["xclip", "-selection", selection.rawValue]
        case .xsel: ["xsel", selection == .primary ? "-ip" : "-ib"]
        }
    }
}
