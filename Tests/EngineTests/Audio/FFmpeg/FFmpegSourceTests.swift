#if HAS_FFMPEG
    import Foundation
    import Testing

    @Suite("FFmpeg source")
    struct FFmpegSourceTests {
        let folder: AudioFolder
        let say: String

        init() throws {
            folder = try AudioFolder()
            say = String(decoding: Recording.short.bytes, as: UTF8.self)
        }

        @Test(
            "every container and codec gives the samples of the reference command",
            arguments: [
                ("x.flac", ""), ("x.aiff", ""), ("x.aifc", "-c:a pcm_f32be -f aiff"), ("x.w64", "-f w64"),
                ("x.caf", ""), ("x.au", ""), ("x.mp3", ""), ("x.m4a", ""), ("x.ogg", "-c:a libvorbis"),
                ("x.opus", "-c:a libopus"), ("x.webm", "-c:a libopus"), ("x.mka", "-c:a flac"), ("x.aac", ""),
                ("x.ac3", "-ar 48000"), ("x.eac3", "-ar 48000"), ("x.tta", ""), ("x.wv", ""), ("x.wma", ""),
                ("x.ts", "-c:a aac"), ("x.mpg", "-c:a mp2 -ar 44100"), ("x.avi", "-c:a libmp3lame"),
                ("stereo.mp3", "-ar 44100 -ac 2"), ("stereo.m4a", "-ar 48000 -ac 2"), ("six.m4a", "-ar 48000 -ac 6"),
                ("six.flac", "-ar 44100 -ac 6"), ("ima.wav", "-c:a adpcm_ima_wav"), ("ms.wav", "-c:a adpcm_ms"),
                ("gsm.wav", "-c:a gsm_ms -ar 8000"), ("x.amr", "-c:a libopencore_amrnb -ar 8000 -f amr"),
            ])
        func formats(name: String, options: String) async throws {
            // Not every ffmpeg build includes the AMR encoder.
            guard let path = try? folder.ffmpeg("-i", say, options, to: name) else {
                #expect(name == "x.amr")
                return
            }
            let expected = try referencePCM16(path)
            let source = try AudioFile.open(path)
            #expect(expected.count > 40_000)
            #expect(try await pcm16(source) == expected)
            #expect(source.warnings == [])
            #expect(source.duration != nil)
        }

        @Test(
            "every sample rate, width and channel count gives the samples of the reference command",
            arguments: [8000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000],
            ["pcm_s16le", "pcm_u8", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le"])
        func rates(rate: Int, coding: String) async throws {
            for channels in [1, 2] {
                let path = try folder.ffmpeg(
                    "-i", say, "-ac \(channels) -ar \(rate) -c:a", coding, to: "\(channels).wav")
                #expect(try await pcm16(path) == referencePCM16(path))
            }
        }

        @Test("two different channels at 16 kHz are mixed like in the reference")
        func stereo() async throws {
            let path = try folder.ffmpeg(
                "-f lavfi -i aevalsrc=0.5*sin(2000*t)|0.3*sin(3111*t):s=16000:d=5", to: "x.wav")
            #expect(try await pcm16(path) == referencePCM16(path))
        }

        @Test("the audio of a video is read", arguments: ["x.mp4", "x.mkv", "x.avi", "x.mov"])
        func video(name: String) async throws {
            let path = try folder.ffmpeg(
                "-i", say, "-f lavfi -i testsrc=size=64x64:rate=10:duration=3 -map 1 -map 0 -c:v mpeg4", to: name)
            #expect(try await pcm16(path) == referencePCM16(path))
        }

        @Test("a wrong file extension does not matter")
        func wrongExtension() async throws {
            try folder.ffmpeg("-i", say, to: "x.flac")
            let bytes = try folder.bytes("x.flac")
            let expected = try await pcm16(folder.path("x.flac"))
            for name in ["x.mp3", "noending", "X.WAV", ".wav", "a.b.c.", "http:x.wav", "concat:a|b.wav", "%d.png"] {
                #expect(try await pcm16(folder.write(bytes, name)) == expected)
            }
        }

        // MARK: - Tracks

        @Test("the first of several tracks is used, with a note on the others; another can be selected")
        func tracks() async throws {
            let path = try folder.ffmpeg(
                "-f lavfi -i sine=300:duration=1 -f lavfi -i sine=500:duration=2 -f lavfi -i testsrc=size=64x64:d=1",
                "-map 2 -map 0 -map 1 -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -ac:a:1 2",
                to: "x.mkv")
            let source = try AudioFile.open(path)
            let first = try await pcm16(source)
            guard case .multipleTracks(let used, let all)? = source.warnings.first else {
                Issue.record("no note about the tracks")
                return
            }
            #expect(used.number == 1 && used.language == "eng" && all.map(\.language) == ["eng", "deu"])
            #expect(source.warnings.count == 1 && source.warnings[0].level == .note)
            #expect(source.warnings[0].description.hasPrefix("using track 1 (eng, mono"))
            #expect(first == (try referencePCM16(path, track: 1)))
            #expect(try await pcm16(path, AudioOptions(track: 2)) == referencePCM16(path, track: 2))
            #expect(try await warnings(path, AudioOptions(track: 2)) == [])
            let error = #expect(throws: AudioFormatError.noSuchTrack(path, track: 9, tracks: all)) {
                try AudioFile.open(path, options: AudioOptions(track: 9))
            }
            #expect(error?.description.hasPrefix("no track 9 in \(path), which has tracks 1 (eng, mono") == true)
            #expect(throws: AudioFormatError.self) { try AudioFile.open(path, options: AudioOptions(track: 0)) }
            #expect(throws: AudioFormatError.self) { try AudioFile.open(path, options: AudioOptions(track: .min)) }
        }

        @Test("a video without an audio track is rejected", arguments: ["x.mp4", "x.mkv", "x.avi"])
        func silentVideo(name: String) throws {
            let path = try folder.ffmpeg("-f lavfi -i testsrc=size=64x64:d=1 -c:v mpeg4", to: name)
            let error = #expect(throws: AudioFormatError.noAudioTrack(path, videoTracks: 1)) {
                try AudioFile.open(path)
            }
            #expect(error?.description == "no audio track (1 video track): \(path)")
        }

        // MARK: - Rejected files

        @Test("playlists and scripts are rejected by content, even if they refer to a local file")
        func playlists() throws {
            let inner = try folder.write(WAVBytes(data: WAVBytes.tone(seconds: 1)).file, "inner.wav")
            let texts = [
                "ffconcat version 1.0\nfile inner.wav\n", "#EXTM3U\n#EXTINF:1,\ninner.wav\n#EXT-X-ENDLIST\n",
                "[playlist]\nFile1=\(inner)\n",
                "\n <asx version=\"3.0\"><entry><ref href=\"inner.wav\"/></entry></asx>",
                "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nm=audio 5004 RTP/AVP 0\r\n",
                "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"></MPD>",
                "concat:inner.wav|inner.wav",
            ]
            for (index, text) in texts.enumerated() {
                let path = try folder.write(Array(text.utf8), "\(index).wav")
                #expect(throws: AudioFormatError.playlist(path)) { try AudioFile.open(path) }
            }
        }

        @Test("references of an MP4 to audio in another file are not followed")
        func externalReferences() throws {
            try folder.ffmpeg("-i", say, "-c:a pcm_s16le", to: "x.mov")
            var bytes = try folder.bytes("x.mov")
            // A Macintosh alias record: fixed fields, then the path under type 2.
            let target = Array(folder.url.appending(path: "x.mov").path.utf8)
            let fixed = Array(repeating: UInt8(0), count: 10 + 28 + 12 + 64 + 16 + 4 + 16)
            let padding = [UInt8](repeating: 0, count: target.count % 2)
            let record = fixed + [0, 2, 0, UInt8(target.count)] + target + padding + [0xff, 0xff, 0, 0]
            let entry = big32(12 + record.count) + Array("alis".utf8) + [0, 0, 0, 0] + record
            let at = try #require(bytes.firstRange(of: Array("dref".utf8))?.lowerBound)
            let old =
                Int(bytes[at + 12]) << 24 | Int(bytes[at + 13]) << 16 | Int(bytes[at + 14]) << 8 | Int(bytes[at + 15])
            bytes.replaceSubrange((at + 12)..<(at + 12 + old), with: entry)
            for name in ["dref", "dinf", "minf", "mdia", "trak", "moov"] {
                let box = try #require(bytes[..<(at + 4)].lastRange(of: name)) - 4
                let size = bytes[box..<(box + 4)].reduce(0) { $0 << 8 | Int($1) }
                bytes.replaceSubrange(box..<(box + 4), with: big32(size + entry.count - old))
            }
            let path = try folder.write(bytes, "y.mov")
            #expect(throws: AudioFormatError.externalReferences(path)) { try AudioFile.open(path) }
        }

        private func big32(_ number: Int) -> [UInt8] { u32(number).reversed() }

        @Test("an encrypted MP4 is reported as encrypted")
        func encrypted() throws {
            let key = "76a6c65c5ea762046bd749a2e632ccbb"
            let path = try folder.ffmpeg(
                "-i", say, "-c:a aac -encryption_scheme cenc-aes-ctr -encryption_key", key, "-encryption_kid", key,
                to: "x.mp4")
            let error = #expect(throws: AudioFormatError.self) { try AudioFile.open(path) }
            guard case .encrypted(path, _)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.description.contains("cannot be decoded without the key") == true)
        }

        @Test("random bytes are not audio, whatever the file name", arguments: 0..<40)
        func random(seed: UInt64) async throws {
            var numbers = SplitMix64(seed: seed)
            let bytes = (0..<60_000).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let path = try folder.write(bytes, "x.mp3")
            #expect(throws: AudioFormatError.notAudio(path, looksLike: nil)) { try AudioFile.open(path) }
        }

        // MARK: - Damage

        @Test("damaged frames in the middle do not shift the audio after them", arguments: ["x.mp3", "x.aac", "x.m4a"])
        func damaged(name: String) async throws {
            try folder.ffmpeg("-f lavfi -i sine=440:duration=20:sample_rate=44100 -b:a 128k", to: name)
            var bytes = try folder.bytes(name)
            let whole = try await pcm16(folder.path(name)).count
            let middle = bytes.count / 2
            for index in middle..<(middle + 4000) { bytes[index] = UInt8(truncatingIfNeeded: index &* 31) }
            let path = try folder.write(bytes, "damaged-" + name)
            let source = try AudioFile.open(path)
            let count = try await pcm16(source).count
            #expect(abs(count - whole) < 16_000 / 2)
            let positions = source.warnings.compactMap { warning -> Double? in
                guard case .damagedSections(let count, _, let first) = warning, count > 0 else { return nil }
                return first
            }
            #expect(positions.count == 1)
            #expect(positions.allSatisfy { (8.0...12.0).contains($0) })
        }

        @Test("a tag between two concatenated MP3 files is not lost audio")
        func tagBetween() async throws {
            try folder.ffmpeg("-f lavfi -i sine=440:duration=5:sample_rate=44100 -b:a 64k", to: "x.mp3")
            let one = try folder.bytes("x.mp3")
            // As large as cover art, without frame headers.
            let size = 100_000
            let header =
                Array("ID3".utf8) + [3, 0, 0, 0] + [
                    UInt8(size >> 14 & 0x7f), UInt8(size >> 7 & 0x7f), UInt8(size & 0x7f),
                ]
            var numbers = SplitMix64(seed: 5)
            let picture = (0..<size).map { _ in UInt8.random(in: 0...254, using: &numbers) }
            let path = try folder.write(one + header + picture + one, "two.mp3")
            #expect(abs(try await pcm16(path).count - 160_000) < 8000)
        }

        @Test(
            "truncated files are read to their end, with a warning that states the declared length",
            arguments: ["x.flac", "x.mp3", "x.mka"])
        func truncated(name: String) async throws {
            try folder.ffmpeg("-f lavfi -i sine=440:duration=20:sample_rate=16000", to: name)
            let bytes = try folder.bytes(name)
            let path = try folder.write(Array(bytes.prefix(bytes.count / 2)), "cut-" + name)
            let source = try AudioFile.open(path)
            let count = try await pcm16(source).count
            // The last complete block of a container may end well before the cut.
            #expect((100_000...180_000).contains(count))
            let ends = source.warnings.compactMap { warning -> Double? in
                guard case .truncated(let end, let declared) = warning, abs(declared - 20) < 0.2 else { return nil }
                return end
            }
            #expect(ends == [Double(count) / 16_000])
        }

        @Test("an MP4 without an index is reported as damaged")
        func cutIndex() throws {
            try folder.ffmpeg("-i", say, to: "x.m4a")
            let path = try folder.write(Array(try folder.bytes("x.m4a").prefix(6000)), "y.m4a")
            #expect(throws: AudioFormatError.damaged(path)) { try AudioFile.open(path) }
        }

        @Test("a gap in the timestamps becomes silence; a start at 3 h counts as zero")
        func gap() async throws {
            let path = try folder.ffmpeg(
                "-f lavfi -i sine=440:duration=6:sample_rate=16000",
                "-af aselect='not(between(t,2,4))' -c:a pcm_s16le -output_ts_offset 10800", to: "x.mkv")
            let source = try AudioFile.open(path)
            let samples = try await pcm16(source)
            #expect(abs(samples.count - 96_000) < 1700)
            #expect(samples[34_000..<62_000].allSatisfy { $0 == 0 })
            guard case .timestampJumps(1, let first)? = source.warnings.first else {
                Issue.record("\(source.warnings)")
                return
            }
            #expect(abs(first - 2) < 0.1)
        }

        @Test("an implausible duration field is ignored")
        func wrongDuration() async throws {
            try folder.ffmpeg("-i", say, to: "x.m4a")
            var bytes = try folder.bytes("x.m4a")
            for name in ["mvhd", "mdhd"] {
                let at = try #require(
                    bytes.indices.dropLast(4).first { bytes[$0...].starts(with: Array(name.utf8)) })
                // The name is followed by version and flags, two dates, the time scale, and the duration.
                bytes.replaceSubrange((at + 20)..<(at + 24), with: [0xff, 0xff, 0xff, 0xf0])
            }
            let path = try folder.write(bytes, "y.m4a")
            let source = try AudioFile.open(path)
            #expect(try await pcm16(source).count > 40_000)
            #expect(try #require(source.duration) < .seconds(100 * 3600))
        }

        @Test("of channels that cancel in a compressed file, the louder is used")
        func cancelling() async throws {
            let path = try folder.ffmpeg(
                "-f lavfi -i aevalsrc=0.5*sin(2000*t)|-0.45*sin(2000*t):s=44100:d=3", to: "x.flac")
            let source = try AudioFile.open(path)
            let samples = try await pcm16(source)
            guard case .phaseCancellation(1, let seconds, 0)? = source.warnings.first, source.warnings.count == 1 else {
                Issue.record("\(source.warnings)")
                return
            }
            #expect(abs(seconds - 3) < 1e-6)
            #expect(samples.count == 48_000)
            #expect(samples[2000..<46_000].max() ?? 0 > 16_000)
        }

        @Test("more channels than any default layout are mixed evenly")
        func manyChannels() async throws {
            let count = 12
            let tone = stride(from: 0, to: 32_000, by: 1).flatMap { index in
                Array(repeating: u16(Int(sin(Double(index) * 0.1) * 9000)), count: count).flatMap(\.self)
            }
            let path = try folder.write(WAVBytes(channels: count, rate: 32_000, data: tone).file, "x.wav")
            let samples = try await pcm16(path)
            #expect(samples.count == 16_000)
            #expect(abs((samples.max() ?? 0) - 9000) < 60)
        }

        // MARK: - Pipes

        @Test("a pipe is read", arguments: ["x.mp3", "x.flac", "x.ogg", "x.mkv", "x.wav"])
        func pipe(name: String) async throws {
            let path = try folder.ffmpeg("-i", say, "-ar 44100", to: name)
            let expected = try referencePCM16(path)
            let pipe = Pipe()
            write([Data(try folder.bytes(name))], to: pipe.fileHandleForWriting)
            let source = try AudioFile.open(descriptor: pipe.fileHandleForReading.fileDescriptor)
            let samples = try await pcm16(source)
            // Without seeking, FFmpeg does not know the end of an MP3 and keeps its padding.
            #expect(samples.prefix(40_000) == expected.prefix(40_000))
            #expect(abs(samples.count - expected.count) < 1200)
            #expect(source.duration == nil)
            await #expect(throws: AudioFormatError.readOnce(FilePath("-"))) { _ = try await pcm16(source) }
        }

        @Test("a format that requires seeking is rejected from a pipe")
        func pipeSeeking() async throws {
            // Too long to fit into a buffer.
            let path = try folder.ffmpeg("-f lavfi -i sine=440:duration=90 -b:a 128k", to: "x.m4a")
            let pipe = Pipe()
            write([Data(try folder.bytes("x.m4a"))], to: pipe.fileHandleForWriting)
            #expect(try await pcm16(path).count > 0)
            #expect(throws: AudioFormatError.needsSeeking(FilePath("-"))) {
                try AudioFile.open(descriptor: pipe.fileHandleForReading.fileDescriptor)
            }
        }

        @Test("each call of chunks starts from the beginning")
        func again() async throws {
            let source = try AudioFile.open(try folder.ffmpeg("-i", say, to: "x.mp3"))
            let first = try await pcm16(source)
            #expect(try await pcm16(source) == first)
        }

        // MARK: - Hostile containers

        @Test(
            "randomly damaged containers produce samples or an error",
            arguments: ["x.mp3", "x.m4a", "x.ogg", "x.flac", "x.mkv", "x.avi", "x.aiff", "x.caf", "x.wv", "x.w64"])
        func mutated(name: String) async throws {
            try folder.ffmpeg("-f lavfi -i sine=440:duration=1:sample_rate=16000", to: name)
            let bytes = try folder.bytes(name)
            var numbers = SplitMix64(seed: UInt64(name.utf8.reduce(0) { $0 * 31 + Int($1) }))
            var ended = 0
            for round in 0..<50 {
                var changed = bytes
                // Half of the rounds damage only the header, which contains the sizes.
                for _ in 0..<(1 + round % 8) {
                    let limit = round % 2 == 0 ? min(200, changed.count) : changed.count
                    let offset = Int.random(in: 0..<limit, using: &numbers)
                    changed[offset] = [0, 0xff, 0x7f, UInt8.random(in: 0...255, using: &numbers)].randomElement(
                        using: &numbers)!
                }
                if round % 5 == 0 { changed.removeLast(Int.random(in: 0..<changed.count, using: &numbers)) }
                let path = try folder.write(changed, "m\(round)-" + name)
                do {
                    var count = 0
                    for try await chunk in try AudioFile.open(path).chunks() {
                        count += chunk.samples.count
                        if count > 10_000_000 { break }
                    }
                    ended += 1
                } catch let error as AudioFormatError {
                    #expect(!error.description.isEmpty)
                    ended += 1
                }
            }
            #expect(ended == 50)
        }
    }

    extension ArraySlice<UInt8> {
        /// The last occurrence of a box's name.
        fileprivate func lastRange(of name: String) -> Int? {
            indices.dropLast(3).last { self[$0...].starts(with: Array(name.utf8)) }
        }
    }
#endif
