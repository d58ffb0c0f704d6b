import Foundation
import Testing

@Suite("Separate channels")
struct ChannelsTests {
    let folder: AudioFolder

    init() throws { folder = try AudioFolder() }

    /// Random samples of an encoding, the same for the same seed.
    private func random(_ encoding: SampleEncoding, count: Int, seed: UInt64) -> [UInt8] {
        var generator = SplitMix64(seed: seed)
        guard encoding.rawValue.hasPrefix("f") else {
            return (0..<(count * encoding.bytesPerSample)).map { _ in
                UInt8(truncatingIfNeeded: generator.next() >> 32)
            }
        }
        let isBig = encoding.rawValue.hasSuffix("be")
        return (0..<count).flatMap { _ in
            let value = Double.random(in: -1...1, using: &generator)
            let bits = encoding.bytesPerSample == 4 ? UInt64(Float(value).bitPattern) : value.bitPattern
            let little = (0..<encoding.bytesPerSample).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
            return isBig ? little.reversed() : little
        }
    }

    private func interleaved(_ channels: [[UInt8]], width: Int) -> [UInt8] {
        stride(from: 0, to: channels[0].count, by: width).flatMap { start in
            channels.flatMap { $0[start..<(start + width)] }
        }
    }

    @Test(
        "each channel equals a mono recording of it", arguments: SampleEncoding.allCases,
        [(16_000, 2), (8_000, 2), (16_000, 6), (44_100, 3)])
    func raw(encoding: SampleEncoding, layout: (rate: Int, channels: Int)) async throws {
        let parts = (0..<layout.channels).map { random(encoding, count: 3000, seed: UInt64($0)) }
        let file = try folder.write(interleaved(parts, width: encoding.bytesPerSample) + [1], "all.raw")
        let format = { try RawFormat(encoding: encoding, sampleRate: layout.rate, channels: $0) }
        let channels = try AudioFile.openChannels(file, options: AudioOptions(raw: format(layout.channels)))
        try #require(channels.count == layout.channels)
        for (index, channel) in channels.enumerated() {
            let mono = try folder.write(parts[index], "mono.raw")
            #expect(try await pcm16(channel) == pcm16(mono, AudioOptions(raw: format(1))))
        }
        // The byte after the last frame.
        #expect(channels.allSatisfy { $0.warnings == [.partialSample(bytes: 1)] })
    }

    @Test("WAV channels at 16 kHz equal mono files, whatever the others contain")
    func wave() async throws {
        let left = WAVBytes.tone(seconds: 2.5)
        let right = left.indices.map { $0 % 2 == 0 ? 0 : left[$0] ^ 0xff }
        let file = try folder.write(WAVBytes(channels: 2, data: interleaved([left, right], width: 2)).file, "two.wav")
        let channels = try AudioFile.openChannels(file)
        try #require(channels.count == 2)
        #expect(channels.map(\.duration) == [.seconds(2.5), .seconds(2.5)])
        for (channel, data) in zip(channels, [left, right]) {
            let mono = try folder.write(WAVBytes(data: data).file, "mono.wav")
            #expect(try await pcm16(channel) == pcm16(mono))
            // A source can be read again.
            #expect(try await pcm16(channel) == pcm16(mono))
        }
    }

    @Test("opposite channels are both read in full, without a warning")
    func opposite() async throws {
        let tone = WAVBytes.tone(seconds: 3)
        let mirrored = stride(from: 0, to: tone.count, by: 2).flatMap { index in
            u16(-Int(Int16(bitPattern: UInt16(tone[index]) | UInt16(tone[index + 1]) << 8)))
        }
        for rate in [16_000, 48_000] {
            let bytes = WAVBytes(channels: 2, rate: rate, data: interleaved([tone, mirrored], width: 2)).file
            let channels = try AudioFile.openChannels(folder.write(bytes, "opposite.wav"))
            let left = try await pcm16(channels[0]), right = try await pcm16(channels[1])
            #expect(left.count == right.count && left.contains { $0 > 15_000 })
            #expect(zip(left, right).allSatisfy { abs($0 + $1) <= 1 })
            #expect(channels.flatMap(\.warnings).isEmpty)
        }
    }

    @Test("a mono recording has one channel, and a missing or damaged one is reported as when it is mixed")
    func mono() async throws {
        let channels = try AudioFile.openChannels(Recording.say)
        try #require(channels.count == 1)
        #expect(try await pcm16(channels[0]) == pcm16(Recording.say))
        #expect(throws: AudioFormatError.noSuchFile(folder.path("x.wav"), nearest: nil)) {
            try AudioFile.openChannels(folder.path("x.wav"))
        }
        let empty = try folder.write([], "empty.wav")
        #expect(throws: AudioFormatError.emptyFile(empty)) { try AudioFile.openChannels(empty) }
    }

    @Test("the channels of a pipe can be read in any order, even at the same time")
    func pipe() async throws {
        let parts = (0..<3).map { random(.s16le, count: 200_000, seed: UInt64($0)) }
        let bytes = interleaved(parts, width: 2)
        for order in [[0, 1, 2], [2, 0, 1]] {
            let pipe = Pipe()
            let middle = bytes.count / 2
            write([Data(bytes[..<middle]), Data(bytes[middle...])], to: pipe.fileHandleForWriting, pause: 0.05)
            let channels = try AudioFile.openChannels(
                descriptor: pipe.fileHandleForReading.fileDescriptor,
                options: AudioOptions(raw: RawFormat("s16le:16000:3")))
            try #require(channels.count == 3)
            for index in order {
                let mono = try folder.write(parts[index], "mono.raw")
                #expect(try await pcm16(channels[index]) == pcm16(mono, AudioOptions(raw: RawFormat("s16le"))))
            }
            // In turns, chunk by chunk.
            var iterators = channels.map { $0.chunks().makeAsyncIterator() }
            var samples = [[Float]](repeating: [], count: 3)
            for _ in 0..<100 {
                for index in iterators.indices { samples[index] += try await iterators[index].next()?.samples ?? [] }
            }
            #expect(samples.map(\.count) == [200_000, 200_000, 200_000])
        }
    }

    #if HAS_FFMPEG
        @Test(
            "channels of other formats equal mono files of the same format",
            arguments: [
                ("wav", "-ar 44100"), ("wav", "-ar 8000 -c:a pcm_alaw"), ("wav", "-ar 48000 -c:a pcm_f32le"),
                ("flac", "-ar 48000"), ("flac", "-ar 44100 -sample_fmt s32"), ("m4a", "-c:a alac -ar 44100"),
                ("mka", "-c:a pcm_s24le"),
            ])
        func lossless(ending: String, options: String) async throws {
            let say = String(decoding: Recording.say.bytes, as: UTF8.self)
            let short = String(decoding: Recording.short.bytes, as: UTF8.self)
            let graph = "[0:a]apad,atrim=end=4[l];[1:a]adelay=700,apad,atrim=end=4[r]"
            let inputs = "-i \(say) -i \(short) -filter_complex"
            let both = try folder.ffmpeg(
                inputs, graph + ";[l][r]join=inputs=2:channel_layout=stereo", options, to: "both." + ending)
            let alone = try [("l", "r"), ("r", "l")].map { kept, dropped in
                try folder.ffmpeg(
                    inputs, graph + ";[\(dropped)]anullsink", "-map [\(kept)]", options, to: "\(kept).\(ending)")
            }
            let channels = try AudioFile.openChannels(both)
            try #require(channels.count == 2)
            for (channel, mono) in zip(channels, alone) {
                let samples = try await pcm16(channel)
                #expect(samples.contains { $0 > 1000 })
                #expect(try await samples == pcm16(mono))
            }
        }

        @Test("the six channels of AAC are kept separate, also through a pipe")
        func manyChannels() async throws {
            let tones = (1...6).map { "sine=f=\(200 * $0):d=2" }.map { "-f lavfi -i \($0)" }.joined(separator: " ")
            try folder.ffmpeg(
                tones, "-filter_complex",
                "join=inputs=6:channel_layout=5.1:map=0.0-FL|1.0-FR|2.0-FC|3.0-LFE|4.0-BL|5.0-BR",
                "-c:a aac -b:a 512k -f matroska",
                to: "six.mka")
            let bytes = try folder.bytes("six.mka")
            for isPipe in [false, true] {
                let pipe = Pipe()
                if isPipe { write([Data(bytes)], to: pipe.fileHandleForWriting) }
                let channels =
                    isPipe
                    ? try AudioFile.openChannels(descriptor: pipe.fileHandleForReading.fileDescriptor)
                    : try AudioFile.openChannels(folder.path("six.mka"))
                try #require(channels.count == 6)
                for (index, channel) in channels.enumerated() where index != 3 {
                    let samples = try await pcm16(channel)
                    // Zero crossings per second are twice the frequency; the fourth channel is for low frequencies only.
                    let middle = samples.dropFirst(8000).prefix(16_000)
                    let crossings = zip(middle, middle.dropFirst()).count { ($0 < 0) != ($1 < 0) }
                    #expect(abs(crossings - 400 * (index + 1)) <= 4)
                }
            }
        }
    #endif
}
