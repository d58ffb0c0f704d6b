package import WhisperEngine

/// The argument of `--type`.
package enum TypingChoice: String, CaseIterable, Sendable {
    case auto, wtype, xdotool, ydotool, dotool, paste, clipboard
}

/// The ways by which `dictate --type` can put text into the focused window here, best first.
package struct TypingPlan: Equatable, Sendable {
    package enum Way: Equatable, Sendable {
        /// Keys for each character.
        case keys(KeyProgram)
        /// The clipboard and the key that pastes.
        case paste(KeyProgram)
        /// Only the clipboard.
        case clipboard

        /// As `doctor` and messages call it.
        package var name: String {
            switch self {
            case .keys(let program): program.rawValue
            case .paste(let program): "paste, with \(program.rawValue)"
            case .clipboard: "clipboard"
            }
        }
    }

    package let ways: [Way]
    /// Why nothing can be typed, and what would help, if only the clipboard is left although another way was wanted.
    package let problem: String?

    /// Chooses once, by the session and by what is installed.
    ///
    /// - Parameter accepts: whether a program that is installed works here.
    /// - Throws: if nothing can be done, not even with the clipboard.
    package init(
        _ choice: TypingChoice, environment: ProcessEnvironment, accepts: (KeyProgram) -> Bool = KeyProgram.works
    ) throws(Obstacle) {
        let clipboard = Clipboard(environment)
        let obstacles = KeyProgram.allCases.map { program in
            (program, Self.obstacle(to: program, environment, isGiven: choice.rawValue == program.rawValue, accepts))
        }
        let programs = obstacles.filter { $0.1 == nil }.map(\.0)
        let last: [Way] = clipboard == nil ? [] : [.clipboard]
        switch choice {
        case .auto:
            let direct = programs.filter { $0 == .wtype || $0 == .xdotool }
            let indirect = programs.filter { $0 == .dotool || $0 == .ydotool }
            // Where the keys of the direct ones do not arrive, the key that pastes does not either.
            let pasting = clipboard == nil ? [] : indirect.prefix(1).map { Way.paste($0) }
            ways = direct.map { .keys($0) } + pasting + indirect.map { .keys($0) } + last
            problem =
                programs.isEmpty && clipboard != nil
                ? "nothing types here, so texts only go to the clipboard: \(Self.main(obstacles, environment).line)"
                : nil
            if ways.isEmpty { throw Self.main(obstacles, environment) }
        case .clipboard:
            (ways, problem) = (last, nil)
        case .paste:
            if programs.isEmpty { throw Self.main(obstacles, environment) }
            (ways, problem) = (clipboard == nil ? [] : programs.prefix(1).map { .paste($0) } + last, nil)
        case .wtype, .xdotool, .dotool, .ydotool:
            let given = obstacles.filter { $0.0.rawValue == choice.rawValue }
            if let obstacle = given.compactMap(\.1).first { throw obstacle }
            (ways, problem) = (given.map { .keys($0.0) } + last, nil)
        }
        guard ways.isEmpty else { return }
        let missing = Clipboard.missing(environment)
        throw Obstacle(what: missing.what, advice: missing.advice)
    }

    /// Why a program cannot be used here, and what to do about it.
    package struct Obstacle: Error, Equatable {
        package let what: String
        package let advice: String

        package var line: String { "\(what); \(advice)" }
    }

    private static func obstacle(
        to program: KeyProgram, _ environment: ProcessEnvironment, isGiven: Bool, _ accepts: (KeyProgram) -> Bool
    ) -> Obstacle? {
        let isWayland = Desktop.isWayland(environment)
        switch program {
        case .wtype where !isWayland:
            return Obstacle(
                what: Desktop.hasX11(environment) ? "wtype needs Wayland, and this is X11" : Desktop.missing,
                advice: Desktop.hasX11(environment) ? "use xdotool" : Desktop.advice)
        case .xdotool where !Desktop.hasX11(environment):
            return Obstacle(
                what: isWayland ? "xdotool needs X11, and this is Wayland" : Desktop.missing,
                advice: isWayland ? "use wtype" : Desktop.advice)
        case .xdotool where isWayland && !isGiven:
            return Obstacle(what: "xdotool does not reach Wayland's windows", advice: "use wtype")
        case .dotool where !isGiven && !Machine.mayMakeKeyboards,
            .ydotool where !isGiven && !Machine.mayMakeKeyboards && !hasDaemon(environment):
            return Obstacle(
                what: "\(program.rawValue) needs /dev/uinput, which this user may not write",
                advice: "see docs/dictation.md")
        default: break
        }
        guard environment.hasProgram(program.rawValue) else {
            return Obstacle(
                what: "\(program.rawValue) is not installed", advice: "install the package \(program.rawValue)")
        }
        guard accepts(program) else {
            return Obstacle(
                what: "\(program.rawValue) does not work with this compositor, as with those of GNOME and KDE",
                advice: "install dotool or ydotool; see docs/dictation.md")
        }
        return nil
    }

    /// Whether ydotool's daemon, which may write to `/dev/uinput`, listens.
    private static func hasDaemon(_ environment: ProcessEnvironment) -> Bool {
        let runtime = environment.absolutePath("XDG_RUNTIME_DIR")
        let places = [
            environment.absolutePath("YDOTOOL_SOCKET"), runtime?.appending(".ydotool_socket"),
            FilePath("/tmp/.ydotool_socket"),
        ]
        return places.contains { $0.flatMap { try? DiskAccess.kind(of: $0) } != nil }
    }

    /// The obstacle to the program that fits this session best.
    private static func main(
        _ obstacles: [(KeyProgram, Obstacle?)], _ environment: ProcessEnvironment
    ) -> Obstacle {
        let best: KeyProgram = !Desktop.isWayland(environment) && Desktop.hasX11(environment) ? .xdotool : .wtype
        return obstacles.first { $0.0 == best }?.1 ?? Obstacle(what: Desktop.missing, advice: Desktop.advice)
    }
}
