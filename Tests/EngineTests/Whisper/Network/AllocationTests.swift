import Foundation
import Glibc
import Synchronization
import Testing

/// Runs in separate processes, where nothing else allocates at the same time.
@Suite("Allocations of the decoder")
struct AllocationTests {
    @Test("a decoder step allocates nothing on one thread and only per parallel operation on two")
    func step() async {
        await #expect(processExitsWith: .success) {
            let kinds = [(ComputeType.float32, 1), (.float32, 5), (.int8, 1), (.int8, 5)]
            for (threads, type, rows) in kinds.flatMap({ [(1, $0, $1), (2, $0, $1)] }) {
                let backend = try ComputeOptions(backend: .openblas, computeType: type, threads: threads).makeBackend()
                let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
                let decoder = try TextDecoder(try WhisperModel(try GGMLFile(path), backend: backend), maxRows: rows)
                decoder.attend(to: try Tensor(count: 1500 * 64).rows(1500, columns: 64))
                decoder.expect(ScoreNeeds(best: 2, never: [1, 2], exactFrom: 50_256))
                _ = try decoder.start([50_257], logitsAt: [0])
                var logits: [[Float]] = []
                let tokens = Array(100..<(100 + rows)), first = [Int](repeating: 0, count: rows)
                let sources = (0..<rows).map { ($0 * 3 + 1) % rows }
                try decoder.advance(tokens, from: first, into: &logits)
                for _ in 0..<20 { try decoder.advance(tokens, from: sources, into: &logits) }
                let steps = 50
                let count = try AllocationCount.during {
                    for _ in 0..<steps { try decoder.advance(tokens, from: sources, into: &logits) }
                }
                guard let count else { exit(3) }
                // The exit status encodes the number.
                let limit = threads == 1 ? 0 : 120 * steps
                if count > limit { exit(Int32(min(100, 4 + count / steps))) }
            }
            exit(0)
        }
    }

    @Test("decoding a window allocates a few objects per token and no rows of logits")
    func window() async {
        await #expect(processExitsWith: .success) {
            let backend = try ComputeOptions(backend: .openblas, threads: 1).makeBackend()
            let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
            let model = try WhisperModel(try GGMLFile(path), backend: backend)
            let tokenizer = model.tokenizer
            for (beams, bound) in [(1, 20), (5, 60)] {
                let decoder = try TextDecoder(model, maxRows: beams)
                decoder.attend(to: try Tensor(count: 1500 * 64).rows(1500, columns: 64))
                var options = DecodingOptions()
                options.beamSize = beams > 1 ? beams : nil
                let initial = InitialTokens(tokens: try tokenizer.startOfTranscriptSequence(), sotIndex: 0)
                func objects(_ tokens: Int) throws -> Int {
                    options.forcedTokenCount = tokens
                    let task = try DecodingTask(options: options, specials: tokenizer.special, nonSpeechTokens: [1, 2])
                    guard let count = try AllocationCount.during({ _ = try task.run(decoder, from: initial) })
                    else { exit(3) }
                    return count
                }
                _ = try objects(120)
                let few = try objects(20), many = try objects(120)
                if many - few > 100 * bound || few > 500 + 20 * bound { exit(4) }
            }
            exit(0)
        }
    }
}

/// Counts the objects allocated on Swift's heap by any thread while a closure runs: array storage, closure contexts,
/// boxes and class instances.
///
/// The runtime allocates all of them through a function pointer that tools may replace.
enum AllocationCount {
    private typealias Allocate = @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

    private static let count = Atomic<Int>(0)
    nonisolated(unsafe) private static var original: Allocate?

    /// - Returns: `nil` if the runtime has no such pointer.
    static func during(_ body: () throws -> Void) rethrows -> Int? {
        guard let symbol = unsafe dlsym(nil, "_swift_allocObject"),
            let flag = unsafe dlsym(nil, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly")
        else { return nil }
        let function = unsafe symbol.assumingMemoryBound(to: Allocate.self)
        let isEnabled = unsafe flag.assumingMemoryBound(to: Bool.self)
        unsafe original = unsafe function.pointee
        count.store(0, ordering: .sequentiallyConsistent)
        unsafe function.pointee = { metadata, size, alignment in
            AllocationCount.count.add(1, ordering: .relaxed)
            return unsafe AllocationCount.original?(metadata, size, alignment)
        }
        unsafe isEnabled.pointee = true
        defer {
            unsafe isEnabled.pointee = false
            if let original = unsafe original { unsafe function.pointee = unsafe original }
        }
        try body()
        return count.load(ordering: .sequentiallyConsistent)
    }
}
