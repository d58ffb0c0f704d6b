/// A key that is held to talk, whichever window has the keyboard.
enum HeldKey: Sendable {
    case keyboards(InputDevices)
    case portal(PortalShortcut)

    enum Event: Sendable {
        /// The desktop has assigned a key; the text is a message for the user.
        case given(String)
        case pressed, released
        /// There will be no more events.
        case failed(ErrorReport)
    }

    init(_ choice: KeyChoice) throws(ErrorReport) {
        switch choice {
        case .keyboards(let key): self = .keyboards(try InputDevices(key))
        case .portal(let trigger): self = .portal(try PortalShortcut(trigger: trigger))
        }
    }

    func watch(_ report: @escaping @Sendable (Event) -> Void) {
        switch self {
        case .keyboards(let devices): devices.watch { report($0 ? .pressed : .released) }
        case .portal(let shortcut): shortcut.watch(report)
        }
    }

    func stop() {
        switch self {
        case .keyboards(let devices): devices.stop()
        case .portal(let shortcut): shortcut.stop()
        }
    }
}
