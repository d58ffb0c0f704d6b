import WhisperEngine

/// The result of `bench --live` as text.
struct LiveBenchReport {
    let result: LiveBenchmark.Result
    let model: String

    var table: String {
        let rows = [
            ("model", "\(model), policy \(result.policy), a pass every \(rounded(result.step)) s"),
            ("sound", "\(rounded(result.duration)) s, \(result.utterances) utterances, \(result.aware.words) words"),
            ("final", spread(result.aware.finalLatency) + " after the word"),
            ("volatile", spread(result.aware.volatileLatency) + " after the word"),
            (
                "without",
                "final \(rounded(result.unaware.finalLatency.mean)) s, volatile "
                    + "\(rounded(result.unaware.volatileLatency.mean)) s if passes took no time"
            ),
            ("lagging", "\(rounded(result.aware.averageLagging)) s (LAAL)"),
            (
                "words",
                "\(rounded(result.aware.doubled)) doubled, \(rounded(result.aware.lost)) lost, "
                    + "\(rounded(result.aware.changed)) changed of 1000, against the same utterances as recordings"
            ),
            ("flicker", "\(rounded(result.aware.flicker)) words taken back for each word"),
            (
                "pass",
                "\(spread(result.pass)), \(result.passes) passes, waiting at most \(rounded(result.greatestLag)) s"
            ),
            ("speed", "\(rounded(result.realTimeFactor)) s of work for a second of sound"),
            ("memory", "\((result.peakMemoryBytes + 500_000) / 1_000_000) MB at most"),
        ]
        return rows.map { Help.padded($0.0, to: 9) + $0.1 + "\n" }.joined()
    }

    /// One object on one line, times in seconds.
    var json: String {
        let head = [
            "\"policy\": \"\(result.policy)\"", "\"step\": \(rounded(result.step))",
            "\"duration\": \(rounded(result.duration))", "\"utterances\": \(result.utterances)",
            "\"passes\": \(result.passes)",
        ]
        let tail = [
            "\"pass\": \(object(result.pass))", "\"greatest_lag\": \(rounded(result.greatestLag))",
            "\"real_time_factor\": \(rounded(result.realTimeFactor))",
            "\"peak_rss_bytes\": \(result.peakMemoryBytes)",
        ]
        let measures = ["\"aware\": \(object(result.aware))", "\"unaware\": \(object(result.unaware))"]
        return "{" + (head + measures + tail).joined(separator: ", ") + "}\n"
    }

    private func object(_ metrics: LiveMetrics) -> String {
        let members = [
            "\"words\": \(metrics.words)", "\"word_error_rate\": \(rounded(metrics.wordErrorRate))",
            "\"doubled\": \(rounded(metrics.doubled))", "\"lost\": \(rounded(metrics.lost))",
            "\"changed\": \(rounded(metrics.changed))", "\"final_latency\": \(object(metrics.finalLatency))",
            "\"volatile_latency\": \(object(metrics.volatileLatency))",
            "\"first_text\": \(metrics.firstText.map { "\(rounded($0))" } ?? "null")",
            "\"average_lagging\": \(rounded(metrics.averageLagging))", "\"flicker\": \(rounded(metrics.flicker))",
        ]
        return "{" + members.joined(separator: ", ") + "}"
    }

    private func object(_ spread: LiveMetrics.Spread) -> String {
        "{\"mean\": \(rounded(spread.mean)), \"median\": \(rounded(spread.median)), "
            + "\"p95\": \(rounded(spread.percentile95))}"
    }

    private func spread(_ spread: LiveMetrics.Spread) -> String {
        "\(rounded(spread.mean)) s on average, 95 % within \(rounded(spread.percentile95)) s"
    }

    /// Three decimals at most.
    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
