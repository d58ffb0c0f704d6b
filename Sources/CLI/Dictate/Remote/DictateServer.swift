import WhisperEngine

/// Lets other processes of the same user control this `dictate`, the only one of this user that they can reach.
final class DictateServer: Sendable {
    private let server: LocalServer
    private let lock: LockFile

    /// - Returns: `nil` if there is no runtime folder that this could be done in.
    /// - Throws: a report if another `dictate` is running.
    init?(console: Console, context: CommandContext) throws(ErrorReport) {
        guard let path = DictateRemote.socket(context.environment) else { return nil }
        do throws(PrivateFile.Failure) { try PrivateFile.createFolder(path.folder) } catch {
            console.warning(
                "`dictate start` cannot reach this program: \(error.fault.outputError(at: path.folder).report.what)")
            return nil
        }
        do throws(LockFile.Failure) {
            lock = try LockFile(path.folder.appending("dictate.lock"), mode: 0o600)
        } catch {
            switch error {
            case .held(let process):
                throw ErrorReport(
                    .tryAgain, "another `dictate` is running\(process.map { ", process \($0)" } ?? "")",
                    advice: "end it with: whisper-local dictate quit")
            case .foreign:
                throw ErrorReport(
                    .cannotCreate, "\(path.folder.appending("dictate.lock")) is not a lock file", advice: "remove it")
            case .failed(let fault):
                console.warning(
                    "`dictate start` cannot reach this program: \(fault.outputError(at: path.folder).report.what)")
                return nil
            }
        }
        do throws(DiskAccess.Fault) {
            server = try LocalServer(path, news: DictateStatus(.idle).line)
        } catch {
            lock.release()
            console.warning("`dictate start` cannot reach this program: \(error.outputError(at: path).report.what)")
            return nil
        }
    }

    /// - Parameter answer: does what is asked, and returns what is being done then.
    func run(_ answer: @escaping @Sendable (DictateRemote.Verb) async -> DictateStatus) {
        server.run { line in
            guard let verb = DictateRemote.Verb(rawValue: line) else {
                return DictateStatus(.error, reason: "unknown request").line
            }
            return await answer(verb).line
        }
    }

    func publish(_ status: DictateStatus) { server.publish(status.line) }

    /// Removes the socket, and frees the place for another `dictate`.
    func end() {
        server.end()
        lock.release()
    }
}
