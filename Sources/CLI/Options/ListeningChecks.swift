import WhisperEngine

/// Options of `live` and `dictate` that do not go together.
enum ListeningChecks {
    static func check(_ options: some ListeningOptions) throws(UsageError) {
        func has(_ name: String) -> Bool { options.given.contains(name) }
        if has("--quiet"), has("--verbose") {
            throw .contradiction("--quiet", "--verbose", why: "one tells less, the other more")
        }
        if has("--translate"), has("--task"), options.task == .transcribe {
            throw .contradiction("--translate", "--task transcribe", why: "they are different tasks")
        }
        if has("--file"), has("--device") {
            throw .contradiction("--file", "--device", why: "one source of sound at a time")
        }
        if has("--no-vad"), has("--vad-model") {
            throw .contradiction("--no-vad", "--vad-model", why: "without detection there is no detector")
        }
    }
}
