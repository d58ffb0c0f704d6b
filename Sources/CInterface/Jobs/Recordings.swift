import Dispatch
import EngineAudio
import EngineBasics
import EngineVoices
import Synchronization

/// What can be done with recordings without a model.
enum Recordings {
    /// Decodes a recording to samples.
    ///
    /// - Throws: `InterfaceError`, `AudioFormatError`.
    static func samples(of path: FilePath, options text: [UInt8]?) throws -> [Float] {
        var reader = try OptionReader(text)
        var input = InputOptions()
        var (offset, duration): (Double, Double?) = (0, nil)
        try input.read(&reader)
        try reader.read("offset", .seconds, into: &offset)
        try reader.read("duration", .seconds, into: &duration)
        try reader.finish()
        let source = try Job.open(path, input)
        let start = AudioChunk.samples(in: offset)
        let end = duration.map { start + AudioChunk.samples(in: $0) } ?? Int.max
        return try wait {
            var samples: [Float] = []
            for try await chunk in source.chunks() {
                let range = (chunk.start..<(chunk.start + chunk.samples.count)).clamped(to: start..<end)
                if !range.isEmpty {
                    samples += chunk.samples[(range.lowerBound - chunk.start)..<(range.upperBound - chunk.start)]
                }
                if chunk.start + chunk.samples.count >= end { break }
            }
            return samples
        }
    }

    /// The result of a task.
    private final class Box<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Runs a task and waits for its result. The caller's thread must not be one of Swift's own.
    private static func wait<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let done = DispatchSemaphore(value: 0)
        let box = Box<Value>()
        Task.detached {
            do {
                let value = try await body()
                box.result.withLock { $0 = .success(value) }
            } catch {
                box.result.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        guard let result = box.result.withLock(\.self) else { throw InterfaceError(.internal, "a task has no result") }
        return try result.get()
    }

    /// Speech in samples, as JSON.
    ///
    /// - Throws: `InterfaceError`, `ModelError`.
    static func speech(in samples: [Float], options text: [UInt8]?) throws -> String {
        var reader = try OptionReader(text)
        var options = SpeechOptions()
        var wantsProbabilities = false
        try options.readModel(&reader)
        try options.readParameters(&reader)
        try reader.read("probabilities", .flag, into: &wantsProbabilities)
        try reader.finish()
        if wantsProbabilities {
            guard let network = try options.silero() else {
                throw InterfaceError(.notFound, "silero_vad_16k.safetensors is not installed")
            }
            return JSONText.array(probabilities(of: samples, network).map { "\($0)" })
        }
        var finder = SpeechFinder(try options.voiceActivity())
        var ranges: [Range<Int>] = []
        let block = AudioChunk.sampleRate
        for start in stride(from: 0, to: samples.count, by: block) {
            ranges += finder.feed(Array(samples[start..<min(samples.count, start + block)]))
        }
        ranges += finder.finish()
        return JSONText.array(
            ranges.map { JSONText.object([("start", "\($0.lowerBound)"), ("end", "\($0.upperBound)")]) })
    }

    /// The speech probability of each window; the last one is padded with zeros.
    private static func probabilities(of samples: [Float], _ network: SileroNetwork) -> [Float] {
        var stream = SileroStream(network)
        return stream.feed(samples) + [stream.finish()].compactMap(\.self)
    }
}
