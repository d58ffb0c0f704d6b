import Foundation
import TestSupport
import Testing

@Suite("Processes with limited resources")
struct MemoryLimitTests {
    @Test("a model is rejected if the address space is too small and loads if it is just large enough")
    func addressSpace() async throws {
        await #expect(processExitsWith: .success) {
            let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
            let backend = try ComputeOptions(backend: .openblas, threads: 1).makeBackend()
            let file = try GGMLFile(path)
            let needs = MemoryEstimate.bytes(for: file, computeType: .float32)
            func leave(_ bytes: Int) throws {
                let status = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                let used = (status.split(separator: " ").first.flatMap { Int($0) } ?? 0) * 4096
                var limit = rlimit(
                    rlim_cur: UInt(used + bytes + SystemMemory.addressSpacePerThread), rlim_max: UInt.max)
                guard unsafe setrlimit(__rlimit_resource_t(9), &limit) == 0 else { exit(3) }  // RLIMIT_AS
            }
            try leave(needs / 2)
            do {
                _ = try WhisperModel(file, backend: backend)
                exit(4)
            } catch ModelError.notEnoughMemory(path, needs, let available) {
                guard available <= needs / 2 else { exit(5) }
            }
            // With slightly more than the estimate, a recording can be transcribed.
            try leave(needs + (64 << 20))
            let recognizer = try Recognizer(file, backend: backend)
            var options = TranscriptionOptions.reference
            options.whisper.temperatures = [0]
            options.beamSize = 5
            let clip = SampleSource(try MelFixture.samples("mel/espeak-fox.wav"))
            exit(try await recognizer.transcribe(clip, options: options).text.isEmpty ? 6 : 0)
        }
    }

    @Test("running out of descriptors is a temporary error")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let path = FilePath(Fixtures.url("models/ggml-micro.en.bin").path(percentEncoded: false))
            while unsafe open("/dev/null", O_RDONLY) >= 0 {}
            do throws(ModelError) {
                _ = try GGMLFile(path)
                exit(4)
            } catch {
                exit(error.category == .outOfResources ? 0 : 5)
            }
        }
    }
}
