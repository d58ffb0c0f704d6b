/// A key of a keyboard that the kernel reports, the argument of `--key`.
package struct InputKey: Equatable, Sendable {
    package let name: String
    /// As in `linux/input-event-codes.h`.
    package let code: Int

    private static let functionKeys = Array(59...68) + [87, 88] + Array(183...194)
    private static let others = [
        ("CapsLock", 58), ("NumLock", 69), ("ScrollLock", 70), ("RightCtrl", 97), ("RightAlt", 100), ("RightShift", 54),
        ("LeftMeta", 125), ("RightMeta", 126), ("Menu", 127), ("Pause", 119), ("Insert", 110), ("PrintScreen", 99),
        ("MicMute", 248), ("VoiceCommand", 582),
    ]
    /// The largest code of the kernel.
    private static let largestCode = 0x2ff

    /// All names.
    package static let names = functionKeys.indices.map { "F\($0 + 1)" } + others.map(\.0)

    /// - Parameter text: a name, in any case, or the number of a key.
    package init?(_ text: String) {
        let codes = Self.functionKeys + Self.others.map(\.1)
        if let index = Self.names.firstIndex(where: { $0.lowercased() == text.lowercased() }) {
            (name, code) = (Self.names[index], codes[index])
        } else if let number = Int(text), (1...Self.largestCode).contains(number) {
            (name, code) = ("key \(number)", number)
        } else {
            return nil
        }
    }
}
