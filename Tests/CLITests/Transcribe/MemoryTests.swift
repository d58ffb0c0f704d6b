import Foundation
import Testing

@Suite("Memory")
struct MemoryTests {
    /// Peak memory in kilobytes while transcribing this many minutes of consecutive clips.
    private func peak(minutes: Int) throws -> Int {
        let scratch = try Program.Scratch()
        let script = """
            python3 - "$CLIPS" \(minutes) <<'END'
            import glob, resource, subprocess, sys, wave
            clips = [wave.open(name).readframes(10**9) for name in sorted(glob.glob(sys.argv[1] + "/say-*.wav"))]
            with wave.open("long.wav", "wb") as out:
                out.setparams((1, 2, 16000, 0, "NONE", ""))
                left, turn = int(sys.argv[2]) * 60 * 32000, 0
                while left > 0:
                    part = clips[turn % len(clips)][:left]
                    out.writeframes(part)
                    left, turn = left - len(part), turn + 1
            subprocess.run(["whisper-local", "transcribe", "-q", "--beam-size", "1",
                "--temperature-increment-on-fallback", "0", "--condition-on-previous-text", "false",
                "-f", "json", "-o", ".", "long.wav"], check=True, stdout=subprocess.DEVNULL)
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            END
            """
        let outcome = try Program.shell(script, in: scratch)
        #expect(outcome.status == 0, "\(outcome.error)")
        return try #require(Int(outcome.output.split(separator: "\n").last ?? ""))
    }

    @Test("sixty minutes need at most 20 MB more than five")
    func growth() throws {
        let short = try peak(minutes: 5), long = try peak(minutes: 60)
        #expect(long - short <= 20 * 1024, "\(short) KB, then \(long) KB")
    }

    @Test(
        "the memory that models info shows is at least the peak of a transcription, and at most 30 % and 10 MB more",
        arguments: ["f16", "f32", "q8_0", "q5_0"])
    func estimate(format: String) throws {
        let script = """
            whisper-local models convert "$MODEL" model.bin --type \(format) > report
            """
        try checkEstimates(script)
    }

    @Test("the same for a Parakeet model of 12 wide layers of zeros")
    func estimateOfParakeet() throws {
        let script = """
            python3 - "$CLIPS/../parakeet/tdt/model" <<'END'
            import json, math, os, shutil, struct, sys
            shutil.copytree(sys.argv[1], "model.bin")
            with open("model.bin/model.safetensors", "rb") as file:
                header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
            config = json.load(open("model.bin/config.json"))
            config["encoder_config"] |= {
                "hidden_size": 1024, "num_hidden_layers": 12, "num_attention_heads": 8, "num_key_value_heads": 8}
            tensors, at = {}, 0
            def wide(name, shape):
                # Every 32 is the width, but for the prediction network's and the joint's.
                if name.startswith(("decoder.", "joint.")): return shape
                if ".self_attn.bias_" in name: return [8, 128]
                if name == "encoder_projector.weight": return [32, 1024]
                if name == "encoder_projector.bias": return shape
                return [{32: 1024, 64: 2048}.get(size, size) for size in shape]
            for name, entry in header.items():
                if name == "__metadata__" or ".layers.1." in name and name.startswith("encoder.layers"): continue
                is_layer = name.startswith("encoder.layers.0.")
                for layer in range(12 if is_layer else 1):
                    shape = wide(name, entry["shape"])
                    size = math.prod(shape) * (8 if entry["dtype"] == "I64" else 2)
                    own = name.replace(".layers.0.", f".layers.{layer}.", 1) if is_layer else name
                    tensors[own] = {"dtype": entry["dtype"], "shape": shape, "data_offsets": [at, at + size]}
                    at += size
            json.dump(config, open("model.bin/config.json", "w"))
            text = json.dumps(tensors).encode()
            with open("model.bin/model.safetensors", "wb") as file:
                file.write(struct.pack("<Q", len(text)) + text)
                file.truncate(8 + len(text) + at)
            END
            """
        try checkEstimates(script)
    }

    /// Compares what `models info` shows for `model.bin` with the peak of a transcription, for each type.
    ///
    /// - Parameter preparation: the shell script that makes the model.
    private func checkEstimates(_ preparation: String) throws {
        let script =
            preparation + """

                python3 - <<'END'
                import json, os, subprocess
                info = subprocess.run(["whisper-local", "models", "info", "--json", "model.bin"], check=True, capture_output=True)
                for name, estimate in json.loads(info.stdout)["memory"].items():
                    process = subprocess.Popen(["whisper-local", "transcribe", "-q", "-m", "model.bin", "--compute-type", name,
                        os.environ["CLIPS"] + "/say-00.wav"], stdout=subprocess.DEVNULL)
                    _, status, used = os.wait4(process.pid, 0)
                    assert status == 0
                    print(name, estimate, used.ru_maxrss * 1024)
                END
                """
        let outcome = try Program.shell(script, in: Program.Scratch())
        #expect(outcome.status == 0, "\(outcome.error)")
        let rows = outcome.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(rows.map(\.first) == ["float32", "bfloat16", "int16", "int8"])
        for row in rows {
            let (estimate, peak) = (try #require(Int(row[1])), try #require(Int(row[2])))
            // How much of the program and its libraries is resident differs by several megabytes from run to run.
            let limit = 1.3 * Double(peak) + 10_000_000
            #expect(estimate >= peak && Double(estimate) <= limit, "\(row.joined(separator: " "))")
        }
    }

    /// Transcribes hours of zeros: peak memory in kilobytes, seconds of CPU time, and the warnings.
    private func silence(hours: Int) throws -> (peak: Int, seconds: Int, warnings: String) {
        let script = """
            odd-sound silence hours=\(hours) > long.wav
            python3 - <<'END'
            import resource, subprocess
            subprocess.run(["whisper-local", "transcribe", "-f", "txt", "-o", ".", "long.wav"], check=True)
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            print(used.ru_maxrss, int(used.ru_utime + used.ru_stime))
            END
            """
        let outcome = try Program.shell(script, in: Program.Scratch())
        #expect(outcome.status == 0, "\(outcome.error)")
        let numbers = outcome.output.split { $0.isWhitespace }.compactMap { Int($0) }
        try #require(numbers.count == 2)
        return (numbers[0], numbers[1], outcome.error)
    }

    @Test("ten hours of silence need no more memory than one, and only one window of them is decoded")
    func longSilence() throws {
        let short = try silence(hours: 1), long = try silence(hours: 10)
        #expect(long.peak - short.peak <= 20 * 1024, "\(short.peak) KB, then \(long.peak) KB")
        #expect(long.seconds < 60)
        #expect(long.warnings == "warning: long.wav: no speech found\n")
    }
}
