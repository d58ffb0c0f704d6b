import Foundation
import Testing

@Suite("PCM capture")
struct PCMCaptureTests {
    let pipe = Pipe()
    let mono = "s16le:16000:1"

    func capture(_ format: String = "s16le:16000:1") throws -> PCMCapture {
        try PCMCapture(descriptor: pipe.fileHandleForReading.fileDescriptor, format: RawFormat(format))
    }

    static let signal = FileCaptureTests.signal(20_000)
    static func bytes(_ samples: [Float]) -> Data { Data(samples.flatMap { u16(Int($0 * 32_768)) }) }

    @Test("samples arrive intact for any sizes of the writes, even odd ones", arguments: [1, 3, 640, 4097, 40_000])
    func sizes(size: Int) async throws {
        // Single-byte writes are slow, so use fewer samples.
        let signal = Array(Self.signal.prefix(size == 1 ? 500 : 20_000))
        let data = Self.bytes(signal)
        let parts = stride(from: 0, to: data.count, by: size).map { data[$0..<min($0 + size, data.count)] }
        write(parts.map { Data($0) }, to: pipe.fileHandleForWriting)
        #expect(try await sampleBlocks(capture().events()).flatMap(\.self) == signal)
    }

    @Test("samples are delivered without waiting for more")
    func atOnce() async throws {
        var iterator = try capture().events().makeAsyncIterator()
        for count in [1, 320, 5] {
            try pipe.fileHandleForWriting.write(contentsOf: Self.bytes(Array(Self.signal.prefix(count))))
            #expect(try await iterator.next() == .samples(Array(Self.signal.prefix(count))))
        }
        try pipe.fileHandleForWriting.close()
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test("an incomplete sample at the end is dropped and reported")
    func half() async throws {
        write([Data([0, 64, 7])], to: pipe.fileHandleForWriting)
        let capture = try capture()
        #expect(try await sampleBlocks(capture.events()) == [[0.5]])
        #expect(capture.warnings == [.partialSample(bytes: 1)])
    }

    @Test("other rates are resampled and channels mixed, to multiples of 1/32768")
    func resampled() async throws {
        let tone = WAVBytes.tone(seconds: 1, rate: 48_000)
        var stereo: [UInt8] = []
        for index in stride(from: 0, to: tone.count, by: 2) {
            stereo += tone[index...(index + 1)]
            stereo += tone[index...(index + 1)]
        }
        write([Data(stereo)], to: pipe.fileHandleForWriting)
        let received = try await sampleBlocks(capture("s16le:48000:2").events()).flatMap(\.self)
        #expect(received.count == 16_000)
        #expect(received.allSatisfy { ($0 * 32_768).rounded() == $0 * 32_768 })
        for index in 1000..<15_000 {
            let ideal: Double = sin(Double(index) * 440 * 2 * .pi / 16_000) * 16_000
            let value = Double(received[index]) * 32_768
            #expect(abs(value - ideal) < 3)
        }
    }

    @Test("samples that arrive while paused are discarded")
    func pause() async throws {
        let capture = try capture()
        var iterator = capture.events().makeAsyncIterator()
        let out = pipe.fileHandleForWriting
        try out.write(contentsOf: Self.bytes([0.25]))
        #expect(try await iterator.next() == .samples([0.25]))
        capture.pause()
        try out.write(contentsOf: Self.bytes([0.5]))
        // Resume once the discarded sample was read from the pipe.
        Thread.detachNewThread {
            var waiting: Int32 = 1
            while waiting > 0 {
                unsafe _ = ioctl(out.fileDescriptor, UInt(FIONREAD), &waiting)
                usleep(5000)
            }
            usleep(100_000)
            capture.resume()
            try? out.write(contentsOf: Self.bytes([0.75]))
        }
        #expect(try await iterator.next() == .samples([0.75]))
    }

    @Test("stop delivers what the pipe has buffered and does not wait for more")
    func stop() async throws {
        let capture = try capture()
        try pipe.fileHandleForWriting.write(contentsOf: Self.bytes(Self.signal))
        capture.stop()
        #expect(try await sampleBlocks(capture.events()).flatMap(\.self) == Self.signal)
    }

    @Test("stop ends the stream even if the writer never stops")
    func endless() async throws {
        let file = try FileHandle(forReadingFrom: URL(filePath: "/dev/zero"))
        let capture = try PCMCapture(descriptor: file.fileDescriptor, format: RawFormat(mono))
        var received = 0
        for try await case .samples(let block) in capture.events() {
            received += block.count
            if received >= 160_000 { capture.stop() }
        }
        #expect((160_000...240_000).contains(received))
    }

    @Test("a silent pipe can be stopped and cancelled", arguments: [false, true])
    func silent(cancels: Bool) async throws {
        let capture = try capture()
        let events = capture.events()
        let listener = Task { try await sampleBlocks(events) }
        try await Task.sleep(for: .milliseconds(100))
        if cancels { listener.cancel() } else { capture.stop() }
        let result = await listener.result
        if !cancels { #expect(try result.get() == []) }
    }

    @Test("a closed descriptor is rejected at once")
    func closed() {
        // No descriptor has this number.
        #expect(throws: AudioFormatError.inputClosed(FilePath("-"))) {
            try PCMCapture(descriptor: 1_000_000, format: RawFormat(mono))
        }
    }
}
