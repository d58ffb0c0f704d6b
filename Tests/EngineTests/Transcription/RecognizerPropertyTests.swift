import Foundation
import TestSupport
import Testing

@Suite("Recognizer")
struct RecognizerPropertyTests {
    private static let clip = Result { try MelFixture.samples("mel/espeak-fox.wav") }

    private static var options: TranscriptionOptions {
        var options = TranscriptionOptions.reference
        options.language = "en"
        options.whisper.decoding.bestOf = 3
        options.beamSize = 3
        options.whisper.temperatures = [0, 0.8]
        options.wordTimestamps = true
        return options
    }

    @Test(
        "a recording has the same transcript again, after another recording, and with a new recognizer",
        arguments: RandomModel.backends)
    func again(backend: ComputeOptions.Backend) async throws {
        let clip = try Self.clip.get(), recognizer = try Recognizer.random("micro.en", backend)
        let first = try await recognizer.transcribe(SampleSource(clip), options: Self.options)
        #expect(!first.text.isEmpty)
        _ = try await recognizer.transcribe(SampleSource(Array(clip.dropFirst(9000).reversed())))
        let second = try await recognizer.transcribe(SampleSource(clip), options: Self.options)
        #expect(first == second)
        let fresh = try Recognizer.random("micro.en", backend)
        let third = try await fresh.transcribe(SampleSource(clip), options: Self.options)
        #expect(first == third)
    }

    @Test("the number of threads does not change the text", arguments: RandomModel.backends)
    func threads(backend: ComputeOptions.Backend) async throws {
        let clip = try Self.clip.get()
        var texts: Set<String> = []
        for threads in [1, 2, 3] {
            let recognizer = try Recognizer.random("micro.en", backend, threads: threads)
            let transcript = try await recognizer.transcribe(SampleSource(clip), options: Self.options)
            texts.insert(transcript.text)
        }
        #expect(texts.count == 1)
    }

    @Test(
        "recordings transcribed by one recognizer at the same time do not affect each other",
        arguments: RandomModel.backends)
    func interleaved(backend: ComputeOptions.Backend) async throws {
        let clip = try Self.clip.get()
        let silence = [Float](repeating: 0, count: 480_000)
        let recordings = [clip + silence + clip.reversed(), clip.reversed() + silence + clip]
        var expected: [Transcript] = []
        for samples in recordings {
            expected.append(
                try await Recognizer.random("micro.en", backend)
                    .transcribe(SampleSource(samples), options: Self.options))
        }
        #expect(expected[0].text != expected[1].text)
        let recognizer = try Recognizer.random("micro.en", backend)
        let transcripts = try await withThrowingTaskGroup(of: (Int, Transcript).self) { group in
            for index in 0..<4 {
                let samples = recordings[index % 2]
                group.addTask {
                    (index, try await recognizer.transcribe(SampleSource(samples), options: Self.options))
                }
            }
            return try await group.reduce(into: [Int: Transcript]()) { $0[$1.0] = $1.1 }
        }
        for index in 0..<4 { #expect(transcripts[index] == expected[index % 2]) }
    }

    @Test("several recognizers at once give the same result as one alone", arguments: RandomModel.backends)
    func together(backend: ComputeOptions.Backend) async throws {
        let clip = try Self.clip.get()
        let alone = try await Recognizer.random("micro.en", backend)
            .transcribe(SampleSource(clip), options: Self.options)
        let shared = try ComputeOptions(backend: backend, computeType: .float32, threads: 2).makeBackend()
        let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
        // Half of them share the threads of one backend.
        let together = try await withThrowingTaskGroup(of: Transcript.self) { group in
            for index in 0..<4 {
                let recognizer =
                    try index % 2 == 0
                    ? Recognizer(GGMLFile(path), backend: shared) : Recognizer.random("micro.en", backend)
                for _ in 0..<2 {
                    group.addTask {
                        try await recognizer.transcribe(SampleSource(clip), options: Self.options)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(together.count == 8 && Set(together) == [alone])
    }

    @Test("with a busy recognizer per core, other tasks start at once and cancellation takes at most 0.2 s")
    func fullHouse() async {
        await #expect(processExitsWith: .success) {
            let minute = SampleSource(BackendFixture.values(16_000 * 60, seed: 1).map { $0 / 4 })
            var startDelays: [Duration] = [], endDelays: [Duration] = []
            for _ in 0..<3 {
                let tasks = try (0..<ProcessInfo.processInfo.activeProcessorCount).map { _ in
                    let recognizer = try Recognizer.random("micro.en", .openblas, threads: 1)
                    return Task { try await recognizer.transcribe(minute, options: Self.options) }
                }
                // Blocks this thread, so that another one must start the next task.
                usleep(300_000)
                let wanted = ContinuousClock.now
                startDelays.append(await Task.detached { ContinuousClock.now - wanted }.value)
                let cancelled = ContinuousClock.now
                for task in tasks { task.cancel() }
                for task in tasks {
                    guard case .failure(let error) = await task.result, error is CancellationError else { exit(3) }
                }
                endDelays.append(ContinuousClock.now - cancelled)
            }
            // Other tests use the same cores, so that one of three attempts is enough.
            guard let start = startDelays.min(), let end = endDelays.min() else { exit(4) }
            guard start < .milliseconds(100) else { exit(5) }
            exit(end < .milliseconds(200) ? 0 : 6)
        }
    }

    /// In a process of its own, so that other tests do not share its threads.
    @Test("a cancelled task ends within 0.2 s, and the recognizer works as before")
    func cancellation() async {
        await #expect(processExitsWith: .success) {
            let minute = SampleSource(BackendFixture.values(16_000 * 60, seed: 1).map { $0 / 4 })
            let recognizer = try Recognizer.random("micro.en", .openblas)
            var delays: [Duration] = []
            for milliseconds in [0, 50, 150, 300, 500] {
                let task = Task { try await recognizer.transcribe(minute, options: Self.options) }
                try await Task.sleep(for: .milliseconds(milliseconds))
                let cancelled = ContinuousClock.now
                task.cancel()
                guard case .failure(let error) = await task.result, error is CancellationError else { exit(3) }
                delays.append(ContinuousClock.now - cancelled)
            }
            // Other tests use the same cores, so that one of four attempts is enough.
            guard let shortest = delays.dropFirst().min(), shortest < .milliseconds(200) else { exit(4) }
            let clip = SampleSource(try Self.clip.get())
            let after = try await recognizer.transcribe(clip, options: Self.options)
            let fresh = try await Recognizer.random("micro.en", .openblas).transcribe(clip, options: Self.options)
            exit(after == fresh ? 0 : 5)
        }
    }

    @Test("memory does not grow with the number of recordings")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let clip = try MelFixture.samples("mel/espeak-fox.wav")
            let recognizer = try Recognizer.random("micro.en", .openblas)
            var options = TranscriptionOptions.reference
            options.whisper.temperatures = [0]
            options.whisper.decoding.sampleLength = 20
            var before = 0
            for round in 0..<220 {
                // Lengths vary, so that the buffers of one recording do not happen to fit the next.
                let part = SampleSource(Array(clip.prefix(30_000 + round % 40 * 1000)))
                _ = try await recognizer.transcribe(part, options: options)
                if round == 19 { before = ProcessMemory.peakBytes }
            }
            // 200 recordings of 100 kB each; leaking one spectrogram per recording would add 190 MB.
            exit(ProcessMemory.peakBytes - before < 4 << 20 ? 0 : 1)
        }
    }
}
