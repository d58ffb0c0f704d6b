import WhisperEngine

/// A program that makes keys.
package enum KeyProgram: String, CaseIterable, Sendable {
    // In the order of preference.
    case wtype, xdotool, dotool, ydotool

    /// A program with its arguments and its standard input. Texts are never arguments, which other users can see.
    package struct Call: Equatable, Sendable {
        package var command: [String]
        package var input = ""
    }

    /// In a window that has never received a key from it, a compositor can lose the first one, unless the keyboard has been
    /// there for a moment; in milliseconds.
    private static let wtypeDelay = "50"

    /// In milliseconds, of which xdotool waits half after each key. No X11 window loses a key, however fast they come, but
    /// an input method might; this is about as fast as wtype types.
    private static let xdotoolDelay = "4"

    /// Whether all characters arrive, whatever the layout. The others know the keys of one layout: xdotool changes it for
    /// characters that it lacks, which the window notices too late, and dotool and ydotool leave them out.
    package var typesEverything: Bool { self == .wtype }

    /// Types a text.
    package func typing(_ text: String) -> Call {
        switch self {
        case .wtype: Call(command: ["wtype", "-s", Self.wtypeDelay, "-"], input: text)
        // Releases modifiers that are still held.
        case .xdotool:
            Call(
                command: ["xdotool", "type", "--clearmodifiers", "--delay", Self.xdotoolDelay, "--file", "-"],
                input: text)
        case .dotool:
            Call(
                command: ["dotool"],
                input: text.split(separator: "\n", omittingEmptySubsequences: false)
                    .map { $0.isEmpty ? "" : "type \($0)\n" }.joined(separator: "key enter\n"))
        case .ydotool: Call(command: ["ydotool", "type", "--file", "-"], input: text)
        }
    }

    /// Presses a key. If the first call fails, the next one is for another version of the program.
    package func pressing(_ key: PasteKey) -> [Call] {
        switch self {
        case .wtype:
            let held = key.names.dropLast()
            return [
                Call(
                    command: ["wtype", "-s", Self.wtypeDelay] + held.flatMap { ["-M", $0] } + [
                        "-k", key.names.last ?? "",
                    ]
                        + held.reversed().flatMap { ["-m", $0] })
            ]
        case .xdotool:
            return [Call(command: ["xdotool", "key", "--clearmodifiers", key.names.joined(separator: "+")])]
        case .dotool: return [Call(command: ["dotool"], input: "key \(key.rawValue)\n")]
        case .ydotool:
            // The kernel's numbers; version 0.1 knows only names.
            let codes = key.codes
            return [
                Call(command: ["ydotool", "key"] + codes.map { "\($0):1" } + codes.reversed().map { "\($0):0" }),
                Call(command: ["ydotool", "key", key.rawValue]),
            ]
        }
    }

    /// Whether a program that is installed works here: a compositor need not let wtype make a keyboard.
    @Sendable
    package static func works(_ program: KeyProgram) -> Bool {
        guard program == .wtype else { return true }
        return ChildProcess.run(["wtype", "-s", "1"], input: "", timeout: .seconds(2)) == .succeeded
    }
}

/// The key that pastes, the argument of `--paste-key`.
package enum PasteKey: String, CaseIterable, Sendable {
    case shiftInsert = "shift+insert"
    case controlV = "ctrl+v"
    case controlShiftV = "ctrl+shift+v"

    /// Whether it pastes the primary selection in terminals and the clipboard elsewhere.
    var pastesEither: Bool { self == .shiftInsert }

    /// As wtype and xdotool call them.
    fileprivate var names: [String] {
        switch self {
        case .shiftInsert: ["shift", "Insert"]
        case .controlV: ["ctrl", "v"]
        case .controlShiftV: ["ctrl", "shift", "v"]
        }
    }

    /// As in `linux/input-event-codes.h`.
    fileprivate var codes: [Int] {
        let (control, shift, insert, v) = (29, 42, 110, 47)
        return switch self {
        case .shiftInsert: [shift, insert]
        case .controlV: [control, v]
        case .controlShiftV: [control, shift, v]
        }
    }
}
