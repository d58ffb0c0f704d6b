import WhisperEngine

/// The result of `bench --live` as text.
struct LiveBenchReport {
    let result: LiveBenchmark.Result
    let model: String

    var table: String {
        var rows = [
            ("model", "\(model), policy \(result.policy), a pass every \(rounded(result.step)) s"),
            (
                "sound",
                "\(rounded(result.duration)) s, \(result.utterances) utterances, \(result.aware.accuracy.words) words"
            ),
            ("final", spread(result.aware.finalLatency) + " after the word"),
            ("volatile", spread(result.aware.volatileLatency) + " after the word"),
            ("unaware", "final: " + spread(result.unaware.finalLatency) + ", if passes took no time"),
            ("", "volatile: " + spread(result.unaware.volatileLatency)),
            ("lagging", "\(rounded(result.aware.averageLagging)) s (LAAL)"),
            (
                "words",
                differences(result.aware.accuracy) + ", against the same utterances as recordings"
            ),
            ("flicker", "\(rounded(result.aware.flicker)) words taken back for each word"),
            (
                "pass",
                "\(spread(result.pass)), \(result.passes) passes, waiting at most \(rounded(result.greatestLag)) s"
            ),
            ("draft", "\(result.acceptedDraftTokens) of \(result.tokens) tokens foretold by the pass before"),
            ("speed", "\(rounded(result.realTimeFactor)) s of work for a second of sound"),
            ("memory", "\((result.peakMemoryBytes + 500_000) / 1_000_000) MB at most"),
        ]
        if let finals = result.finals, let recordings = result.recordings {
            rows.append(
                ("spoken", "\(finals.words) words; \(percent(finals.errorRate)) wrong, " + differences(finals)))
            rows.append(("", "as recordings \(percent(recordings.errorRate)) wrong, " + differences(recordings)))
        }
        for interval in result.intervals {
            rows.append(
                (
                    "\(Int((interval.end / 60).rounded())) min",
                    "\(ProgressLine.oneDecimal(Double(interval.residentBytes) / 1e6)) MB, final "
                        + "\(rounded(interval.finalLatency)) s after the word"
                ))
        }
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
            "\"pass\": \(object(result.pass))", "\"tokens\": \(result.tokens)",
            "\"foretold_tokens\": \(result.acceptedDraftTokens)", "\"greatest_lag\": \(rounded(result.greatestLag))",
            "\"real_time_factor\": \(rounded(result.realTimeFactor))",
            "\"peak_rss_bytes\": \(result.peakMemoryBytes)",
        ]
        let intervals = result.intervals.map { interval in
            "{\"end\": \(rounded(interval.end)), \"resident_bytes\": \(interval.residentBytes), "
                + "\"final_latency\": \(rounded(interval.finalLatency))}"
        }
        let more = [
            "\"spoken\": \(result.finals.map(object) ?? "null")",
            "\"recordings\": \(result.recordings.map(object) ?? "null")",
            "\"stretches\": [" + intervals.joined(separator: ", ") + "]",
        ]
        let measures = ["\"aware\": \(object(result.aware))", "\"unaware\": \(object(result.unaware))"]
        return "{" + (head + measures + tail + more).joined(separator: ", ") + "}\n"
    }

    private func object(_ metrics: LiveMetrics) -> String {
        let members = [
            "\"accuracy\": \(object(metrics.accuracy))", "\"final_latency\": \(object(metrics.finalLatency))",
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
        "\(rounded(spread.mean)) s on average, half within \(rounded(spread.median)) s, "
            + "95 % within \(rounded(spread.percentile95)) s"
    }

    private func object(_ accuracy: LiveMetrics.Accuracy) -> String {
        "{\"words\": \(accuracy.words), \"word_error_rate\": \((accuracy.errorRate * 1e4).rounded() / 1e4), "
            + "\"doubled\": \(rounded(accuracy.doubled)), \"lost\": \(rounded(accuracy.lost)), "
            + "\"changed\": \(rounded(accuracy.changed))}"
    }

    private func differences(_ accuracy: LiveMetrics.Accuracy) -> String {
        "\(rounded(accuracy.doubled)) doubled, \(rounded(accuracy.lost)) lost, \(rounded(accuracy.changed)) changed "
            + "of 1000"
    }

    private func percent(_ rate: Double) -> String { "\(ProgressLine.oneDecimal(100 * rate)) %" }

    /// Three decimals at most.
    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
