package import WhisperEngine

/// What the environment says about the desktop session.
package enum Desktop {
    package static func isWayland(_ environment: ProcessEnvironment) -> Bool {
        environment.bytes("WAYLAND_DISPLAY") != nil
    }

    /// Also with Wayland, for the windows of XWayland.
    package static func hasX11(_ environment: ProcessEnvironment) -> Bool { environment.bytes("DISPLAY") != nil }

    package static func hasDisplay(_ environment: ProcessEnvironment) -> Bool {
        isWayland(environment) || hasX11(environment)
    }

    package static let missing = "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set"
    package static let advice = "start it in a desktop session"
}
