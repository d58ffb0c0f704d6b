import WhisperEngine

/// The result of `bench --limits`, as a table and as JSON.
struct LimitsReport {
    let limits: PartLimits
    let model: String

    var table: String {
        let machine = limits.machine, isElapsed = limits.options.compute.measures == .elapsed
        let time = isElapsed ? "elapsed time" : "processor time"
        var rows = [
            (
                "model",
                "\(model), \(limits.computeType), \(limits.backend), \(Counted.text(limits.threads, "thread")), "
                    + "\(Counted.text(limits.tokens, "token")), \(Counted.text(limits.options.beamSize, "beam")), \(time) of the fastest of "
                    + Counted.text(limits.options.rounds, "round")
            ),
            ("machine", Machine.processorName ?? "unknown"),
        ]
        func both(_ one: String, _ unit: String, _ all: String) -> String {
            "\(one) \(unit) on one core" + (machine.threads > 1 ? ", \(all) on all threads" : "")
        }
        rows += machine.peaks.map { peak in
            let speeds = [peak.onOneCore, peak.onAllThreads].map { String(Int($0.rounded())) }
            return ("\(peak.kind)", both(speeds[0], "GFLOPS", speeds[1]) + " (\(peak.instructions))")
        }
        let memory = [machine.memory.onOneCore, machine.memory.onAllThreads].map(OneDecimal.text)
        rows.append(("memory", both(memory[0], "GB/s", memory[1])))
        let head = rows.map { Help.padded($0.0, to: 9) + $0.1 + "\n" }.joined()
        return head + limits.stages.map(table).joined()
    }

    private func table(_ stage: PartLimits.Stage) -> String {
        let reading =
            stage.bytes > 0
            ? ", reads \(ByteCount.text(stage.bytes)) at \(OneDecimal.text(stage.readSpeed)) GB/s" : ""
        let lines = limits.parts.filter { $0.stage == stage.stage }.map { part in
            part.name.map { name in
                line(
                    name, part.milliseconds, part.limitMilliseconds, part.ratio,
                    part.isBoundByReading ? "reading" : "arithmetic")
            } ?? line("everything else", part.milliseconds)
        }
        return "\n\(stage.stage.rawValue)\(reading)\n" + lines.joined()
            + line("all", stage.milliseconds, stage.limitMilliseconds, stage.ratio)
    }

    private func line(
        _ name: String, _ time: Double, _ limit: Double? = nil, _ ratio: Double = 0, _ bound: String = ""
    ) -> String {
        let start = "  " + Help.padded(name, to: 40) + number(time) + " ms"
        guard let limit else { return start + "\n" }
        let share = String(Int((100 * ratio).rounded()))
        let padding = String(repeating: " ", count: max(1, 6 - share.utf8.count))
        return start + number(limit) + " ms\(padding)\(share) %" + (bound.isEmpty ? "" : "  \(bound)") + "\n"
    }

    private func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded()), rest = hundredths % 100
        let text = value < 10 ? "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)" : OneDecimal.text(value)
        return String(repeating: " ", count: max(1, 9 - text.utf8.count)) + text
    }

    /// A JSON object on one line; times in milliseconds, speeds in 10⁹ operations or bytes per second.
    var json: String {
        let machine = limits.machine
        let peaks = machine.peaks.map { peak in
            "\"\(peak.kind)\": {\"instructions\": \"\(peak.instructions)\", \"one_core\": \(precise(peak.onOneCore)), "
                + "\"all_threads\": \(precise(peak.onAllThreads))}"
        }
        let parts = limits.parts.map { part in
            let members = [
                "\"stage\": \"\(part.stage.rawValue)\"", "\"part\": \(part.name.map(JSONText.string) ?? "null")",
                "\"calls\": \(part.calls)", "\"operations\": \(part.operations)", "\"bytes\": \(part.bytes)",
                "\"ms\": \(precise(part.milliseconds))", "\"compute_ms\": \(precise(part.computeMilliseconds))",
                "\"read_ms\": \(precise(part.readMilliseconds))", "\"ratio\": \(precise(part.ratio))",
            ]
            return "{" + members.joined(separator: ", ") + "}"
        }
        let stages = limits.stages.map { stage in
            let members = [
                "\"ms\": \(precise(stage.milliseconds))", "\"limit_ms\": \(precise(stage.limitMilliseconds))",
                "\"bytes\": \(stage.bytes)", "\"read_speed\": \(precise(stage.readSpeed))",
                "\"ratio\": \(precise(stage.ratio))",
            ]
            return "\"\(stage.stage.rawValue)\": {" + members.joined(separator: ", ") + "}"
        }
        let members = [
            "\"threads\": \(limits.threads)", "\"compute_type\": \"\(limits.computeType)\"",
            "\"backend\": \"\(limits.backend)\"", "\"tokens\": \(limits.tokens)",
            "\"beam_size\": \(limits.options.beamSize)",
            "\"measured\": \"\(limits.options.compute.measures == .elapsed ? "elapsed" : "processor")\"",
            "\"processor\": \(Machine.processorName.map(JSONText.string) ?? "null")",
            "\"peaks\": {\(peaks.joined(separator: ", "))}",
            "\"memory\": {\"one_core\": \(precise(machine.memory.onOneCore)), \"all_threads\": "
                + "\(precise(machine.memory.onAllThreads))}",
            "\"stages\": {\(stages.joined(separator: ", "))}", "\"parts\": [\(parts.joined(separator: ", "))]",
        ]
        return "{" + members.joined(separator: ", ") + "}\n"
    }

    /// Parts of small models take microseconds.
    private func precise(_ value: Double) -> Double { (value * 1e6).rounded() / 1e6 }
}
