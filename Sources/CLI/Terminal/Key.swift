/// A key, or an answer of the terminal, which comes by the same way.
package enum Key: Equatable, Sendable {
    package enum Motion: Equatable, Sendable {
        case press, hold, release
    }

    /// A key that writes a sign or is called by a control code, such as Escape (27) and Return (13).
    case code(UInt32, control: Bool, Motion)
    /// The terminal tells of presses and releases (kitty's keyboard protocol).
    case keyboardFlags(Int)
    /// Whether the terminal draws a marked change at once.
    case synchronizes(Bool)

    package static func character(_ scalar: Unicode.Scalar) -> Key { .code(scalar.value, control: false, .press) }
}
