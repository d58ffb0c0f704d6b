import WhisperEngine

/// The benchmark against other recognizers, a script of the repository.
enum PeerComparison {
    /// Goes over to the script, with this program as the one that is compared.
    ///
    /// - Returns: why it did not start.
    static func start() -> ErrorReport {
        guard let program = Machine.executable, let root = ModelSearch.repository(of: program) else {
            return missing("this program does not stand in its repository")
        }
        let script = root.appending("Benchmarks/compare.py")
        guard FileSystem.isReadable(script) else { return missing("there is no \(script)") }
        ChildProcess.become([
            "python3", String(decoding: script.bytes, as: UTF8.self), "--program",
            String(decoding: program.bytes, as: UTF8.self),
        ])
        return ErrorReport(
            .unavailable, "python3 cannot be started", cure: "install Python 3.9 or newer (apt install python3-venv)")
    }

    private static func missing(_ reason: String) -> ErrorReport {
        ErrorReport(
            .unavailable, "no benchmark to start: \(reason)",
            cure: "build whisper-local from a clone of its repository and run it there (.build/release/whisper-local)")
    }
}
