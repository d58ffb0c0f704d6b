/// What a command finds around it.
struct CommandContext: Sendable {
    let environment: ProcessEnvironment
    let streams: StandardStreams
    let signals: Signals
    let config: ConfigFile
}
