import WhisperEngine

/// `whisper-local serve`: answers cloud transcription protocols on this machine.
enum ServeCommand: Command {
    static let manual = CommandManual(
        name: "serve", summary: "Serve programs written for a cloud transcription service",
        usage: ["[options]"],
        notes: [
            "Speaks the protocols of OpenAI, Groq, AssemblyAI streaming, whisper.cpp's server, "
                + "whisper-asr-webservice (Bazarr) and, with --wyoming, Home Assistant: point a program at an "
                + "address such as http://127.0.0.1:8178/v1, or open http://127.0.0.1:8178/ in a browser.",
            "By default only programs on this machine can connect. On Ctrl-C or SIGTERM, the server finishes running "
                + "requests and exits.",
        ],
        examples: ["", "--model small --port 8000", "--host 192.168.1.7 --api-key-file key.txt"],
        mostUsed: [
            "--model", "--threads", "--host", "--port", "--api-key-file", "--tls-cert", "--tls-key", "--allow-origin",
            "--workers", "--cache",
        ])

    static func check(_ options: ServeOptions) throws(UsageError) {
        try Verbosity.check(options.given)
        if !options.isLocal, options.keyFile == nil { throw .needs("--host with a network address", "--api-key-file") }
        if options.certificate != nil, options.certificateKey == nil { throw .needs("--tls-cert", "--tls-key") }
        if options.certificateKey != nil, options.certificate == nil { throw .needs("--tls-key", "--tls-cert") }
    }

    static func run(_ options: ServeOptions, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        if let operand = operands.first { throw UsageError.unwantedOperand(operand) }
        #if HAS_SOUP
            return try await ServeRun(options, context: context).run()
        #else
            throw ErrorReport(
                .unavailable, "this build has no server: it was built without libsoup",
                advice: "install libsoup-3.0-dev and build again")
        #endif
    }
}
