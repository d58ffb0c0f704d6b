import Dispatch
import WhisperEngine

#if HAS_SOUP
    /// A key that the desktop gives this program, after it has asked the user: its portal reports when it is pressed and
    /// released (`org.freedesktop.portal.GlobalShortcuts`). No other key is seen.
    final class PortalShortcut: Sendable {
        private let bus: SessionBus
        private let trigger: String?
        /// Why the desktop does not know this program by its name; desktops that need not know it do not mind.
        private let anonymity: String?

        /// The portal knows a program by the name of a `.desktop` file, which scripts/install.sh installs.
        static let programID = "local.whisper.Dictate"

        private static let desktop = "/org/freedesktop/portal/desktop"
        private static let shortcuts = "org.freedesktop.portal.GlobalShortcuts"
        private static let shortcut = "dictate"
        private static let otherKeys =
            "use `dictate start` and `dictate stop`, or `dictate toggle`, as the desktop's hot keys"

        /// - Parameter trigger: the key to propose, such as `CTRL+ALT+d`; `nil` leaves it to the user.
        /// - Throws: if there is no portal, or it has no shortcuts.
        init(trigger: String?) throws(ErrorReport) {
            self.trigger = trigger
            do throws(SessionBus.Failure) { bus = try SessionBus(peer: "org.freedesktop.portal.Desktop") } catch {
                throw Self.report(error)
            }
            do throws(SessionBus.Failure) {
                _ = try bus.call(
                    "Register", of: "org.freedesktop.host.portal.Registry", at: Self.desktop,
                    "(\(JSONText.string(Self.programID)), @a{sv} {})")
                anonymity = nil
            } catch {
                guard case .refused(let name, let message) = error, !Self.isMissing(name) else {
                    throw Self.report(error)
                }
                anonymity = message
            }
            do throws(SessionBus.Failure) {
                _ = try bus.call(
                    "Get", of: "org.freedesktop.DBus.Properties", at: Self.desktop,
                    "(\(JSONText.string(Self.shortcuts)), 'version')")
            } catch {
                guard case .refused(let name, _) = error, !Self.isMissing(name) else { throw Self.report(error) }
                throw ErrorReport(
                    .unavailable, "--key portal: this desktop's portal has no global shortcuts", advice: Self.otherKeys)
            }
        }

        /// Asks the desktop for the key and reports what becomes of it.
        func watch(_ report: @escaping @Sendable (HeldKey.Event) -> Void) {
            DispatchQueue(label: "whisper-local.shortcut").async {
                do throws(ErrorReport) { try self.follow(report) } catch { report(.failed(error)) }
            }
        }

        func stop() { bus.stop() }

        private func follow(_ report: (HeldKey.Event) -> Void) throws(ErrorReport) {
            let session = try createSession()
            guard let session, let note = try bind(session) else { return }
            report(.given(note))
            while let signal = try next(session) {
                guard signal.interface == Self.shortcuts,
                    signal.values.prefix(2) == [.text(session), .text(Self.shortcut)]
                else { continue }
                switch signal.member {
                case "Activated": report(.pressed)
                case "Deactivated": report(.released)
                default: break
                }
            }
        }

        /// - Returns: its path; `nil` after `stop`.
        private func createSession() throws(ErrorReport) -> String? {
            let answer = try ask(
                "CreateSession", "({'handle_token': <'whisper_local'>, 'session_handle_token': <'whisper_local'>},)")
            guard let (code, results) = answer else { return nil }
            guard code == 0, case .text(let session)? = results["session_handle"] else {
                throw ErrorReport(
                    .unavailable, "--key portal: the desktop's portal does not start", advice: Self.otherKeys)
            }
            return session
        }

        /// - Returns: a message for the user about the key; `nil` after `stop`.
        private func bind(_ session: String) throws(ErrorReport) -> String? {
            let proposal = trigger.map { ", 'preferred_trigger': <\(JSONText.string($0))>" } ?? ""
            let answer = try ask(
                "BindShortcuts",
                "(objectpath \(JSONText.string(session)), [('\(Self.shortcut)', "
                    + "{'description': <'Hold to dictate'>\(proposal)})], '', {'handle_token': <'whisper_local'>})",
                session: session)
            guard let (code, results) = answer else { return nil }
            guard code == 0, let given = results["shortcuts"]?[Self.shortcut] else {
                throw ErrorReport(
                    .unavailable,
                    code == 1
                        ? "--key portal: the key was refused in the desktop's dialog"
                        : "--key portal: the desktop gives no key for dictation",
                    advice: "start it again and allow a key, or \(Self.otherKeys)")
            }
            guard case .text(let key)? = given["trigger_description"], !key.isEmpty else {
                return "the desktop names no key for dictation; if it has none yet, choose one in its settings"
            }
            return "hold to talk: \(key)"
        }

        /// Calls a method whose result comes later, perhaps after a dialog.
        ///
        /// - Returns: the response code, 0 for success, and the results; `nil` after `stop`.
        private func ask(
            _ method: String, _ arguments: String, session: String? = nil
        ) throws(ErrorReport) -> (code: UInt32, results: SessionBus.Value)? {
            let request: [SessionBus.Value]
            do throws(SessionBus.Failure) {
                request = try bus.call(method, of: Self.shortcuts, at: Self.desktop, arguments)
            } catch {
                guard case .refused(let name, _) = error, name.hasSuffix(".NotAllowed"), let anonymity else {
                    throw Self.report(error)
                }
                throw ErrorReport(
                    .unavailable, "--key portal: the desktop does not know this program: \(anonymity)",
                    advice: "install \(Self.programID).desktop in ~/.local/share/applications, or \(Self.otherKeys)")
            }
            while let signal = try next(session) {
                guard signal.member == "Response", request.first == .text(signal.path), signal.values.count == 2,
                    case .number(let code) = signal.values[0]
                else { continue }
                return (code, signal.values[1])
            }
            return nil
        }

        /// - Parameter session: the session, once there is one.
        /// - Returns: `nil` after `stop`.
        /// - Throws: if the session has ended.
        private func next(_ session: String?) throws(ErrorReport) -> SessionBus.Signal? {
            guard let signal = bus.next() else {
                if bus.isStopped { return nil }
                throw Self.ended("the session's message bus has ended")
            }
            if signal.member == "Closed", signal.path == session {
                throw Self.ended("the desktop has taken the key back")
            }
            if signal.member == "NameOwnerChanged", signal.values.last == .text("") {
                throw Self.ended("the desktop's portal has ended")
            }
            return signal
        }

        private static func ended(_ reason: String) -> ErrorReport {
            ErrorReport(.unavailable, "--key portal: \(reason)", advice: "start `dictate` again")
        }

        /// Whether an error of the bus says that no program has the portal's name.
        private static func isMissing(_ name: String) -> Bool {
            ["ServiceUnknown", "NameHasNoOwner"].contains { name == "org.freedesktop.DBus.Error.\($0)" }
                || name.hasPrefix("org.freedesktop.DBus.Error.Spawn")
        }

        private static func report(_ failure: SessionBus.Failure) -> ErrorReport {
            switch failure {
            case .noLibrary:
                ErrorReport(
                    .unavailable, "--key portal: GLib is not installed", advice: "install the package libglib2.0-0")
            case .noBus(let message):
                ErrorReport(
                    .unavailable, "--key portal: there is no message bus of a session: \(message)",
                    advice: Desktop.advice)
            case .refused(let name, _) where isMissing(name):
                ErrorReport(
                    .unavailable, "--key portal: this desktop has no portal",
                    advice: "install xdg-desktop-portal and its part for this desktop, or \(otherKeys)")
            case .refused(_, let message):
                ErrorReport(.unavailable, "--key portal: the desktop's portal refuses: \(message)", advice: otherKeys)
            }
        }
    }
#else
    /// A stand-in for builds without libsoup, and so without GLib.
    final class PortalShortcut: Sendable {
        init(trigger: String?) throws(ErrorReport) {
            throw ErrorReport(
                .unavailable, "--key portal: this build has no GLib: it was built without libsoup",
                advice: "use `dictate start` and `dictate stop` as the desktop's hot keys")
        }

        func watch(_ report: @escaping @Sendable (HeldKey.Event) -> Void) {}
        func stop() {}
    }
#endif
