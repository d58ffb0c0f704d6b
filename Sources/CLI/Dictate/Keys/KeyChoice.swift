/// The argument of `--key`.
package enum KeyChoice: Equatable, Sendable {
    /// A key of any keyboard, which this program reads.
    case keyboards(InputKey)
    /// A key that the desktop gives this program.
    ///
    /// - Parameter trigger: the key to propose.
    case portal(trigger: String?)

    private static let portal = "portal"

    /// All names; others are `portal:` and a key to propose.
    package static let names = [portal] + InputKey.names

    /// - Parameter text: a name, in any case, the number of a key, or `portal:` and a key to propose.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts[0].lowercased() == Self.portal, parts.last != "" {
            self = .portal(trigger: parts.count > 1 ? parts[1] : nil)
        } else if let key = InputKey(text) {
            self = .keyboards(key)
        } else {
            return nil
        }
    }
}
