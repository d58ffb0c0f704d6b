/// Options of whisper.cpp and of faster-whisper's tools that have different names here. openai-whisper's options have
/// the same names.
enum ForeignOptions {
    /// This program's counterpart of another program's option; underscores count as dashes.
    static func here(_ name: String) -> String? {
        if let match = table.first(where: { $0.names.contains(name) }) { return match.here }
        return table.first { $0.names.contains(name.replacing("_", with: "-")) }?.here
    }

    private static let table: [(names: [String], here: String)] = [
        (["-of", "--output-file"], "--output-dir DIR (files are named after the input)"),
        (["-otxt", "--output-txt"], "--output-format txt"),
        (["-ovtt", "--output-vtt"], "--output-format vtt"),
        (["-osrt", "--output-srt"], "--output-format srt"),
        (["-olrc", "--output-lrc"], "--output-format lrc"),
        (["-ocsv", "--output-csv"], "--output-format csv"),
        (["-oj", "-ojf", "--output-json", "--output-json-full"], "--output-format json"),
        (["-bs"], "--beam-size N"),
        (["-bo"], "--best-of N"),
        (["-ml", "--max-len"], "--max-line-width N"),
        (["-tp"], "--temperature N"),
        (["-tpi", "--temperature-inc"], "--temperature-increment-on-fallback N"),
        (["-nf", "--no-fallback"], "--temperature-increment-on-fallback None"),
        (["-et", "--entropy-thold"], "--compression-ratio-threshold N"),
        (["-lpt", "--logprob-thold"], "--logprob-threshold N"),
        (["-nth", "--no-speech-thold"], "--no-speech-threshold N"),
        (["-tr"], "--translate"),
        (["-nt"], "--no-timestamps"),
        (["-np", "--no-prints"], "--quiet"),
        (["-pc"], "--print-colors"),
        (["-ot", "--offset-t"], "--offset TIME (seconds, not milliseconds)"),
        (["-d"], "--duration TIME (seconds, not milliseconds)"),
        (["-dl", "--detect-language"], "--language auto"),
        (["-sns", "--suppress-nst"], "--suppress-tokens -1 (the default)"),
        (["-mc", "--max-context"], "--condition-on-previous-text false"),
        (["--prompt"], "--initial-prompt TEXT"),
        (["--model-directory", "--cache-dir"], "--model-dir DIR"),
        (["--lang"], "--language NAME"),
        (["--cpu-threads", "--threads-count"], "--threads N"),
    ]
}
