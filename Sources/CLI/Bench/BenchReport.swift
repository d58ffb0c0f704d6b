import WhisperEngine

/// The result of `bench`, as a table and as JSON.
struct BenchReport {
    let result: Benchmark.Result
    let model: String

    var table: String {
        let faster = result.realTimeFactor > 0 ? 1 / result.realTimeFactor : 0
        let rows = [
            ("model", "\(model), \(result.computeType), \(result.backend), \(Counted.text(result.threads, "thread"))"),
            ("kernels", result.kernels),
            ("load", "\(OneDecimal.text(result.loadMilliseconds)) ms"),
            ("mel", "\(OneDecimal.text(result.melMilliseconds)) ms"),
            ("encode", "\(OneDecimal.text(result.encodeMilliseconds)) ms"),
            (
                "decode",
                "\(rounded(result.decodeMillisecondsPerToken)) ms per token (\(Counted.text(result.tokens, "token")), "
                    + "\(Counted.text(result.options.beamSize, "beam")))"
            ),
            (
                "window",
                "\(OneDecimal.text(result.windowMilliseconds)) ms (median of "
                    + "\(Counted.text(result.options.rounds, "round")))"
            ),
            ("speed", "\(OneDecimal.text(faster)) times real time"),
            ("memory", "\((result.peakMemoryBytes + 500_000) / 1_000_000) MB peak"),
        ]
        return rows.map { Help.padded($0.0, to: 9) + $0.1 + "\n" }.joined()
    }

    /// A JSON object on one line; times in milliseconds, the real-time factor in seconds of computing per second of audio.
    var json: String {
        let members = [
            "\"load_ms\": \(rounded(result.loadMilliseconds))",
            "\"mel_ms\": \(rounded(result.melMilliseconds))",
            "\"encode_ms\": \(rounded(result.encodeMilliseconds))",
            "\"decode_ms_per_token\": \(rounded(result.decodeMillisecondsPerToken))",
            "\"window_ms\": \(rounded(result.windowMilliseconds))",
            "\"tokens\": \(result.tokens)",
            "\"beam_size\": \(result.options.beamSize)",
            "\"threads\": \(result.threads)",
            "\"compute_type\": \"\(result.computeType)\"",
            "\"backend\": \"\(result.backend)\"",
            "\"kernels\": \"\(result.kernels)\"",
            "\"real_time_factor\": \((result.realTimeFactor * 1e6).rounded() / 1e6)",
            "\"peak_rss_bytes\": \(result.peakMemoryBytes)",
        ]
        return "{" + members.joined(separator: ", ") + "}\n"
    }
}

/// The result of `bench --live`, as a table and as JSON.
struct LiveBenchReport {
    let result: LiveBenchmark.Result
    let model: String

    var table: String {
        var rows = [
            ("model", "\(model), policy \(result.policy), a pass every \(rounded(result.step)) s"),
            (
                "audio",
                "\(rounded(result.duration)) s, \(result.utterances) utterances, \(result.aware.accuracy.words) words"
            ),
            ("final", spread(result.aware.finalLatency) + " after the word"),
            ("volatile", spread(result.aware.volatileLatency) + " after the word"),
            ("unaware", "final: " + spread(result.unaware.finalLatency) + ", if passes took no time"),
            ("", "volatile: " + spread(result.unaware.volatileLatency)),
            ("lagging", "\(rounded(result.aware.averageLagging)) s (length-adaptive average lagging)"),
            (
                "words",
                differences(result.aware.accuracy) + ", compared with the same utterances as recordings"
            ),
            ("flicker", "\(rounded(result.aware.flicker)) words retracted per word"),
            (
                "pass",
                "\(spread(result.pass)), \(result.passes) passes, longest wait \(rounded(result.greatestLag)) s"
            ),
        ]
        if let pass = result.longPass { rows.append(("", "over ten seconds of an open utterance: " + spread(pass))) }
        rows += [
            ("draft", "\(result.acceptedDraftTokens) of \(result.tokens) tokens predicted by the previous pass"),
            ("speed", "\(rounded(result.realTimeFactor)) s of computing per second of audio"),
            ("memory", "\((result.peakMemoryBytes + 500_000) / 1_000_000) MB peak"),
        ]
        if let finals = result.finals, let recordings = result.recordings {
            rows.append(
                (
                    "spoken",
                    "\(finals.words) words, word error rate \(percent(finals.errorRate)), " + differences(finals)
                ))
            rows.append(
                ("", "as recordings: word error rate \(percent(recordings.errorRate)), " + differences(recordings)))
        }
        for interval in result.intervals {
            rows.append(
                (
                    "\(Int((interval.end / 60).rounded())) min",
                    "\(OneDecimal.text(Double(interval.residentBytes) / 1e6)) MB, final "
                        + "\(rounded(interval.finalLatency)) s after the word"
                ))
        }
        return rows.map { Help.padded($0.0, to: 9) + $0.1 + "\n" }.joined()
    }

    /// A JSON object on one line; times in seconds.
    var json: String {
        let head = [
            "\"policy\": \"\(result.policy)\"", "\"step\": \(rounded(result.step))",
            "\"duration\": \(rounded(result.duration))", "\"utterances\": \(result.utterances)",
            "\"passes\": \(result.passes)",
        ]
        let tail = [
            "\"pass\": \(object(result.pass))", "\"ten_second_pass\": \(result.longPass.map(object) ?? "null")",
            "\"tokens\": \(result.tokens)",
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
            "\"text\": \(JSONText.string(result.text))",
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
        "mean \(rounded(spread.mean)) s, median \(rounded(spread.median)) s, "
            + "95th percentile \(rounded(spread.percentile95)) s"
    }

    private func object(_ accuracy: LiveMetrics.Accuracy) -> String {
        "{\"words\": \(accuracy.words), \"word_error_rate\": \((accuracy.errorRate * 1e4).rounded() / 1e4), "
            + "\"doubled\": \(rounded(accuracy.doubled)), \"lost\": \(rounded(accuracy.lost)), "
            + "\"changed\": \(rounded(accuracy.changed))}"
    }

    private func differences(_ accuracy: LiveMetrics.Accuracy) -> String {
        "\(rounded(accuracy.doubled)) doubled, \(rounded(accuracy.lost)) lost, \(rounded(accuracy.changed)) changed "
            + "per 1000"
    }

    private func percent(_ rate: Double) -> String { "\(OneDecimal.text(100 * rate)) %" }
}

/// Rounded to at most three decimals.
private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
