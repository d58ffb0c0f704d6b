import Foundation
import Synchronization
import Testing

@Suite("File capture")
struct FileCaptureTests {
    let clock = SteppingClock()

    /// Samples that encode their position.
    static func signal(_ count: Int) -> [Float] { (0..<count).map { Float($0 % 30_000) / 32_768 } }

    @Test(
        "every sample is delivered once and in order, in 20 ms blocks",
        arguments: [0, 1, 319, 320, 321, 16_000, 40_123])
    func blocks(count: Int) async throws {
        let signal = Self.signal(count)
        let blocks = try await sampleBlocks(
            FileCapture(SampleSource(signal), speed: .unlimited, clock: clock).events())
        #expect(blocks.dropLast().allSatisfy { $0.count == 320 })
        #expect(blocks.allSatisfy { !$0.isEmpty })
        #expect(blocks.flatMap(\.self) == signal)
        #expect(clock.now.offset == .zero)
    }

    @Test("a block is delivered when its last sample is due", arguments: [0.5, 1, 2, 8])
    func pace(factor: Double) async throws {
        let speed = try #require(PlaybackSpeed(factor))
        let capture = FileCapture(SampleSource(Self.signal(16_100)), speed: speed, clock: clock)
        var position = 0
        for try await event in capture.events() {
            guard case .samples(let block) = event else { continue }
            position += block.count
            let due = Double(position) / 16_000 / factor
            #expect(abs(clock.now.offset / .seconds(1) - due) < 1e-9)
        }
        #expect(position == 16_100)
    }

    @Test("a slow consumer receives late blocks at once and loses nothing")
    func late() async throws {
        let signal = Self.signal(16_000)
        var received: [Float] = []
        for try await event in FileCapture(SampleSource(signal), clock: clock).events() {
            guard case .samples(let block) = event else { continue }
            if received.isEmpty { clock.pass(.seconds(5)) }
            received += block
        }
        #expect(received == signal)
        #expect(clock.now.offset == .milliseconds(5020))
    }

    @Test("pause pauses playback")
    func pause() async throws {
        let signal = Self.signal(3200)
        let capture = FileCapture(SampleSource(signal), clock: clock)
        var received: [Float] = []
        for try await event in capture.events() {
            guard case .samples(let block) = event else { continue }
            received += block
            if received.count == 640 {
                capture.pause()
                Task.detached { [clock] in
                    // The paused playback advances the clock.
                    while clock.now.offset < .seconds(3) { await Task.yield() }
                    capture.resume()
                }
            }
        }
        #expect(received == signal)
        // 0.2 s of audio and a pause of at least 2.96 s.
        #expect(clock.now.offset >= .milliseconds(3159))
    }

    @Test("stop ends the stream, even while paused", arguments: [false, true])
    func stop(paused: Bool) async throws {
        let capture = FileCapture(SampleSource(Self.signal(16_000)), clock: clock)
        var received = 0
        for try await event in capture.events() {
            guard case .samples(let block) = event else { continue }
            received += block.count
            if paused { capture.pause() }
            capture.stop()
        }
        #expect(received == 320)
    }

    @Test("cancellation ends the stream within a block, with a real clock")
    func cancel() async throws {
        let count = 16_000 * 1800
        let capture = FileCapture(SampleSource(Self.signal(count)))
        let received = Mutex(0)
        let listener = Task {
            for try await case .samples(let block) in capture.events() { received.withLock { $0 += block.count } }
        }
        while received.withLock({ $0 }) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        listener.cancel()
        let before = received.withLock(\.self)
        _ = await listener.result
        #expect(received.withLock { $0 - before } <= FileCapture.blockSamples)
    }

    @Test("errors of the source are thrown")
    func failure() async throws {
        struct Broken: Error {}
        struct BrokenSource: AudioSource {
            var duration: Duration? { nil }
            func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
                AsyncThrowingStream { $0.finish(throwing: Broken()) }
            }
        }
        await #expect(throws: Broken.self) { _ = try await sampleBlocks(FileCapture(BrokenSource()).events()) }
    }

    @Test("a playback speed must be in range", arguments: [(0.009, false), (0.01, true), (1000, true), (1001, false)])
    func speeds(factor: Double, isValid: Bool) {
        #expect((PlaybackSpeed(factor) != nil) == isValid)
        #expect(PlaybackSpeed(.nan) == nil)
        #expect(PlaybackSpeed(.infinity) == nil)
    }
}

/// The blocks of a capture stream without other events.
func sampleBlocks(_ events: AsyncThrowingStream<CaptureEvent, any Error>) async throws -> [[Float]] {
    var blocks: [[Float]] = []
    for try await event in events {
        guard case .samples(let block) = event else {
            Issue.record("\(event)")
            continue
        }
        blocks.append(block)
    }
    return blocks
}
