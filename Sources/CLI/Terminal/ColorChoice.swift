/// Whether the transcript may be coloured.
package enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never

    /// `auto`: on a terminal that is not dumb, unless `NO_COLOR` is set (no-color.org).
    package func isOn(onTerminal isTerminal: Bool, environment: ProcessEnvironment) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: isTerminal && environment.bytes("NO_COLOR") == nil && !Self.isDumb(environment)
        }
    }

    /// Without a `TERM`, or with `dumb`, no control sequence is understood.
    package static func isDumb(_ environment: ProcessEnvironment) -> Bool {
        let name = environment.text("TERM")
        return name == nil || name == "dumb"
    }
}
