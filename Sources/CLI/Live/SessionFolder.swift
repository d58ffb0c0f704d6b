import WhisperEngine

/// The session that a run writes down what is final in.
enum SessionFolder {
    /// `$XDG_DATA_HOME/whisper-local/sessions.db`.
    static func store(_ environment: ProcessEnvironment) throws(ErrorReport) -> FilePath {
        guard let data = environment.baseFolder("XDG_DATA_HOME", fallback: ".local/share") else {
            throw ErrorReport(
                .cannotCreate, "no place for sessions: neither XDG_DATA_HOME nor HOME is an absolute path",
                cure: "set XDG_DATA_HOME to a folder of your own")
        }
        return data.appending("whisper-local").appending("sessions.db")
    }

    /// - Returns: `nil` where no session is wanted.
    static func open(
        _ options: some ListeningOptions, source: String, model: String, settings: [(key: String, value: String)],
        context: CommandContext
    ) throws -> SQLiteJournal? {
        guard let name = options.session else { return nil }
        let origin = SessionOrigin(
            source: source, model: model, language: options.language?.code, options: JSONText.object(settings))
        do {
            return try SQLiteJournal(session: name, in: try store(context.environment), from: origin)
        } catch let error as ErrorReport {
            throw error
        } catch {
            throw EngineErrors.report(error) ?? error
        }
    }
}
