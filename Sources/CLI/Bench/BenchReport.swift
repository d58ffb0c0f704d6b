import WhisperEngine

/// The result of `bench` as text.
struct BenchReport {
    let result: Benchmark.Result
    let model: String

    var table: String {
        let faster = result.realTimeFactor > 0 ? 1 / result.realTimeFactor : 0
        let rows = [
            ("model", "\(model), \(result.computeType), \(result.backend), \(counted(result.threads, "thread"))"),
            ("load", "\(ProgressLine.oneDecimal(result.loadMilliseconds)) ms"),
            ("mel", "\(ProgressLine.oneDecimal(result.melMilliseconds)) ms"),
            ("encode", "\(ProgressLine.oneDecimal(result.encodeMilliseconds)) ms"),
            (
                "decode",
                "\(rounded(result.decodeMillisecondsPerToken)) ms per token (\(counted(result.options.tokens, "token")), "
                    + "\(counted(result.options.beamSize, "beam")))"
            ),
            (
                "window",
                "\(ProgressLine.oneDecimal(result.windowMilliseconds)) ms (median of "
                    + "\(counted(result.options.rounds, "round")))"
            ),
            ("speed", "\(ProgressLine.oneDecimal(faster)) times real time"),
            ("memory", "\((result.peakMemoryBytes + 500_000) / 1_000_000) MB at most"),
        ]
        return rows.map { Help.padded($0.0, to: 9) + $0.1 + "\n" }.joined()
    }

    /// One object on one line; times in milliseconds, the real-time factor in seconds of work per second of sound.
    var json: String {
        let members = [
            "\"load_ms\": \(rounded(result.loadMilliseconds))",
            "\"mel_ms\": \(rounded(result.melMilliseconds))",
            "\"encode_ms\": \(rounded(result.encodeMilliseconds))",
            "\"decode_ms_per_token\": \(rounded(result.decodeMillisecondsPerToken))",
            "\"window_ms\": \(rounded(result.windowMilliseconds))",
            "\"tokens\": \(result.options.tokens)",
            "\"beam_size\": \(result.options.beamSize)",
            "\"threads\": \(result.threads)",
            "\"compute_type\": \"\(result.computeType)\"",
            "\"backend\": \"\(result.backend)\"",
            "\"real_time_factor\": \((result.realTimeFactor * 1e6).rounded() / 1e6)",
            "\"peak_rss_bytes\": \(result.peakMemoryBytes)",
        ]
        return "{" + members.joined(separator: ", ") + "}\n"
    }

    /// Three decimals at most.
    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    private func counted(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }
}
