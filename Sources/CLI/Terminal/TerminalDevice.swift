// Invariant: sizes and settings are written by the kernel into values of ours during the one call; `saved` is written by
// the main work alone while no other thread could restore it, and read by whoever ends the program.
import Glibc

/// The terminal behind the standard streams.
enum TerminalDevice {
    /// Columns of the one behind standard error, where progress is shown; `nil` where it does not tell.
    static var columns: Int? { size(of: 2)?.columns }

    /// `nil` where the terminal does not tell.
    static func size(of descriptor: Int32) -> TerminalSize? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        // Lines on the wire tell their width alone at times.
        return TerminalSize(columns: Int(size.ws_col), rows: size.ws_row > 0 ? Int(size.ws_row) : 24)
    }

    /// Whether this program is the one that the terminal's user works with.
    static func isInFront(_ descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        // Not this session's terminal: there are no others to respect.
        return group == -1 || group == getpgrp()
    }

    /// Whether two descriptors lead to one terminal.
    static func areSame(_ first: Int32, _ second: Int32) -> Bool {
        var (one, other) = (stat(), stat())
        guard isatty(first) == 1, isatty(second) == 1, unsafe fstat(first, &one) == 0, unsafe fstat(second, &other) == 0
        else { return false }
        return one.st_rdev == other.st_rdev
    }
}
