import WhisperEngine

/// The model of a run: what was asked for, or the environment's, or the one that comes with the program.
struct ModelChoice {
    static let variable = "WHISPER_LOCAL_MODEL"
    static let standard = "nano.en"

    let path: FilePath
    /// As messages and files call it.
    let name: String
    let search: ModelSearch

    init(_ options: some ModelOptions, context: CommandContext) throws {
        search = ModelSearch(
            first: options.modelFolder, environment: context.environment, executable: Machine.executable)
        let fromVariable = options.model == nil ? context.environment.bytes(Self.variable) : nil
        let wanted = options.model?.bytes ?? fromVariable ?? Array(Self.standard.utf8)
        do {
            path = try search.find(wanted)
        } catch {
            throw error.report(from: fromVariable == nil ? nil : Self.variable)
        }
        name = ModelSearch.name(of: path) ?? String(decoding: path.name.bytes, as: UTF8.self)
    }

    /// Loads the weights; with `--verbose` the screen shows how long that took.
    func load(_ options: ComputeOptions, screen: Screen) async throws -> Recognizer {
        let start = ContinuousClock.now
        let recognizer = try await Recognizer(model: path, options: options)
        let milliseconds = (ContinuousClock.now - start) / Duration.milliseconds(1)
        screen.detail("model \(name) (\(path)) loaded in \(Int(milliseconds)) ms")
        return recognizer
    }
}
