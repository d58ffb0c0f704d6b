// Invariant: sizes and file status are written by the kernel into local values during a single call.
import Glibc
package import WhisperEngine

/// The terminal connected to the standard streams.
enum Terminal {
    /// The columns of the terminal on standard error, where progress is shown; `nil` if it does not report its size.
    static var columns: Int? { size(of: 2)?.columns }

    /// `nil` if the terminal does not report its size.
    static func size(of descriptor: Int32) -> TerminalSize? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        // Serial terminals may report only their width.
        return TerminalSize(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Whether this program is in the terminal's foreground process group.
    static func isForeground(_ descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        // Not this session's terminal, so there is no foreground group to respect.
        return group == -1 || group == getpgrp()
    }

    /// Whether two descriptors lead to the same terminal.
    static func isSame(_ first: Int32, _ second: Int32) -> Bool {
        var (one, other) = (stat(), stat())
        guard isatty(first) == 1, isatty(second) == 1, unsafe fstat(first, &one) == 0, unsafe fstat(second, &other) == 0
        else { return false }
        return one.st_rdev == other.st_rdev
    }

    /// Whether the terminal understands no control sequences: `TERM` is unset or `dumb`.
    static func isDumb(_ environment: ProcessEnvironment) -> Bool {
        let name = environment.text("TERM")
        return name == nil || name == "dumb"
    }
}

/// The columns and rows of a terminal.
package struct TerminalSize: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    /// At least one column and two rows: one row below the live region stays free.
    package init(columns: Int, rows: Int) {
        self.columns = max(1, columns)
        self.rows = max(2, rows)
    }

    /// For a terminal that does not report its size.
    package static let unknown = TerminalSize(columns: 80, rows: 24)
}

/// The values of `--color`.
package enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never

    /// With `auto`, colors are on for a terminal that is not dumb, unless `NO_COLOR` is set (no-color.org).
    package func isOn(onTerminal isTerminal: Bool, environment: ProcessEnvironment) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: isTerminal && environment.bytes("NO_COLOR") == nil && !Terminal.isDumb(environment)
        }
    }
}
