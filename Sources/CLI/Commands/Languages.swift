import WhisperEngine

/// The languages that models may know.
enum Languages {
    static func list(_ streams: StandardStreams) throws -> ExitStatus {
        try streams.writeOutput(Language.all.map { "\(Help.padded($0.code, to: 5))\($0.name)\n" }.joined())
        return .success
    }
}
