import Foundation
import Glibc
import Synchronization
import Testing

@Suite("Audio files")
struct AudioFileTests {
    let folder: AudioFolder
    let wav: [UInt8]

    init() throws {
        folder = try AudioFolder()
        wav = WAVBytes(data: WAVBytes.tone(seconds: 1)).file
    }

    private func failure(_ path: FilePath, _ options: AudioOptions = AudioOptions()) -> AudioFormatError? {
        do throws(AudioFormatError) {
            _ = try AudioFile.open(path, options: options)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Names

    @Test("a missing file is reported with the most similar name in its folder")
    func missing() throws {
        try folder.write(wav, "recording.wav")
        try folder.write(wav, "other.wav")
        let near = folder.path("recoding.wav")
        #expect(failure(near) == .noSuchFile(near, nearest: folder.path("recording.wav")))
        #expect(failure(near)?.description == "no such file: \(near)")
        let ending = folder.path("recording.mp3")
        #expect(failure(ending) == .noSuchFile(ending, nearest: folder.path("recording.wav")))
        let far = folder.path("something.wav")
        #expect(failure(far) == .noSuchFile(far, nearest: nil))
        let nowhere = folder.path("no/folder/x.wav")
        #expect(failure(nowhere) == .noSuchFile(nowhere, nearest: nil))
        let inFile = folder.path("other.wav/x.wav")
        #expect(failure(inFile) == .noSuchFile(inFile, nearest: nil))
        let long = folder.path(String(repeating: "x", count: 300))
        #expect(failure(long) == .nameTooLong(long))
        #expect(failure(FilePath("")) == .noSuchFile(FilePath(""), nearest: nil))
    }

    /// Runs with the file system permissions of `nobody`, on this thread only, so that the test also works for root.
    private func asNobody<T>(_ body: () throws -> T) throws -> T {
        typealias SetUser = @convention(c) (uid_t) -> Int32
        let symbol = unsafe try #require(dlsym(nil, "setfsuid"))
        let setUser = unsafe unsafeBitCast(symbol, to: SetUser.self)
        let previous = setUser(65_534)
        defer { _ = setUser(uid_t(previous)) }
        return try body()
    }

    @Test("an unreadable file is reported with the folder that denies access")
    func permissions() throws {
        try folder.write(wav, "x.wav")
        let path = folder.path("x.wav")
        let inner = folder.url.appending(path: "closed/inner")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data(wav).write(to: inner.appending(path: "x.wav"))
        func set(_ mode: Int, _ url: URL) throws {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
        }
        try set(0o755, folder.url)
        try set(0o600, folder.url.appending(path: "x.wav"))
        try set(0o700, folder.url.appending(path: "closed"))
        if geteuid() != 0 {
            try set(0, folder.url.appending(path: "x.wav"))
            try set(0, folder.url.appending(path: "closed"))
        }
        let deep = folder.path("closed/inner/x.wav")
        let (plain, nested) = try asNobody { (failure(path), failure(deep)) }
        try set(0o700, folder.url.appending(path: "closed"))
        #expect(plain == .notPermitted(path, component: path))
        #expect(plain?.description == "cannot read \(path): permission denied")
        #expect(nested == .notPermitted(deep, component: folder.path("closed")))
        #expect(nested?.description.contains("permission denied for the folder \(folder.path("closed"))") == true)
    }

    @Test("links are followed; broken and circular links are reported as such")
    func links() async throws {
        let path = try folder.write(wav, "x.wav")
        func link(_ name: String, _ target: String) throws -> FilePath {
            try FileManager.default.createSymbolicLink(
                atPath: folder.url.appending(path: name).path, withDestinationPath: target)
            return folder.path(name)
        }
        #expect(try await pcm16(link("good.wav", "x.wav")) == pcm16(path))
        let dangling = try link("bad.wav", "gone.wav")
        #expect(failure(dangling) == .danglingLink(dangling, target: FilePath("gone.wav")))
        #expect(failure(dangling)?.description == "no such file: \(dangling) is a broken link to gone.wav")
        let loop = try link("loop.wav", "loop.wav")
        #expect(failure(loop) == .linkLoop(loop))
    }

    @Test("a file can be opened by its path as a string")
    func stringPath() async throws {
        let path = try folder.write(wav, "x.wav")
        #expect(try await pcm16(AudioFile.open(folder.url.path + "/x.wav")) == pcm16(path))
    }

    @Test("names are bytes in any encoding")
    func oddNames() async throws {
        let expected = try await pcm16(folder.write(wav, "plain.wav"))
        let plain = folder.url.appending(path: "plain.wav").path
        let names: [[UInt8]] = [
            Array("two words.wav".utf8), Array("it's \"x\".wav".utf8), Array("🎙️.wav".utf8), Array("a\nb.wav".utf8),
            Array("\u{1b}[31m.wav".utf8), Array(repeating: 120, count: 255), Array("-n.wav".utf8), Array("%d.wav".utf8),
            Array("http:x.wav".utf8), Array("concat:a|b.wav".utf8), Array("bad".utf8) + [0xff] + Array(".wav".utf8),
            Array(".wav".utf8), Array("end.".utf8), Array("data:x".utf8), Array("pipe:0".utf8), Array("-".utf8),
        ]
        for name in names {
            let path = FilePath(folder.url.path).appending(FilePath(bytes: name))
            try #require(unsafe link(plain, path.cString) == 0)
            #expect(try await pcm16(path) == expected)
        }
    }

    @Test("URLs are rejected", arguments: ["https://example.org/x.mp3", "file:///tmp/x.wav", "rtsp://h/x"])
    func urls(text: String) {
        #expect(failure(FilePath(text)) == .url(FilePath(text)))
        #expect(failure(FilePath(text))?.description == "URLs are not supported: \(FilePath(text))")
    }

    // MARK: - Not an audio file

    @Test("folders, devices and sockets are rejected without being opened")
    func specialFiles() throws {
        let inside = FilePath(folder.url.path)
        #expect(failure(inside) == .isFolder(inside))
        for name in ["/dev/zero", "/dev/null", "/dev/full"] {
            #expect(failure(FilePath(name)) == .notRegularFile(FilePath(name), kind: "a character device"))
        }
        let name = folder.url.appending(path: "s").path
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name.utf8) }
        let bound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
        #expect(failure(folder.path("s")) == .notRegularFile(folder.path("s"), kind: "a socket"))
    }

    @Test("an empty file is rejected")
    func empty() throws {
        let path = try folder.write([], "x.wav")
        #expect(failure(path) == .emptyFile(path))
        #expect(failure(path)?.description == "empty file: \(path)")
        #expect(failure(path, AudioOptions(raw: try RawFormat("s16le"))) == .emptyFile(path))
    }

    @Test(
        "a file that is not audio is reported with the format it looks like",
        arguments: [
            ("  \n<!DOCTYPE html><html><body>404</body></html>", FileKind.html), ("{\"error\": 1}", .json),
            ("%PDF-1.7\n%\u{e4}", .pdf), ("PK\u{3}\u{4}rest", .zip), ("GIF89a\u{1}\u{0}", .image),
            ("\u{7f}ELF\u{2}\u{1}", .executable), ("Dear reader,\nhello.", .text),
            ("<?xml version=\"1.0\"?><a/>", .xml),
            ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", .gitLFSPointer),
            ("SQLite format 3\u{0}", .database), ("MThd\u{0}\u{0}\u{0}\u{6}", .midi),
            ("RIFF\u{10}\u{0}\u{0}\u{0}WEBPVP8 ", .image), ("\u{0}\u{0}\u{0}\u{18}ftypheic\u{0}\u{0}", .image),
        ])
    func kinds(text: String, kind: FileKind) throws {
        let path = try folder.write(Array(text.utf8), "x.wav")
        #expect(FileKind(head: Array(text.utf8)) == kind)
        #expect(failure(path) == .notAudio(path, looksLike: kind.description))
        #expect(failure(path)?.description == "not an audio file, looks like \(kind): \(path)")
    }

    @Test("binary formats are recognized by their first bytes")
    func binaryKinds() {
        let cases: [([UInt8], FileKind)] = [
            ([0x89, 0x50, 0x4e, 0x47, 13, 10], .image), ([0xff, 0xd8, 0xff, 0xe0], .image),
            ([0x1f, 0x8b, 8, 0], .archive), ([0x28, 0xb5, 0x2f, 0xfd], .archive), ([], .unknown), ([0], .unknown),
            ([0xff, 0xfb, 0x90, 0x64], .unknown), (Array("OggS".utf8) + [0], .media), (Array("fLaC".utf8), .media),
        ]
        for (head, kind) in cases { #expect(FileKind(head: head) == kind) }
        #expect(FileKind(head: Array("Grüße".utf8.dropLast(2))) == .text)
        #expect(FileKind(head: [0x47, 0xfc, 0x80, 0x41, 0x42, 0x43, 0x44, 0x45]) == .unknown)
    }

    @Test("a model is reported as a model")
    func models() throws {
        let cases: [([UInt8], String)] = [
            ([0x6c, 0x6d, 0x67, 0x67, 0, 0], "ggml"), (Array("GGUF".utf8) + [3, 0, 0, 0], "GGUF"),
            ([0x40, 0, 0, 0, 0, 0, 0, 0] + Array("{\"__metadata__\":{}}".utf8), "safetensors"),
            ([0x50, 0x4b, 3, 4] + Array(repeating: 0, count: 26) + Array("tiny/data.pkl".utf8), "PyTorch"),
        ]
        for (bytes, format) in cases {
            let path = try folder.write(bytes, "x.wav")
            #expect(failure(path) == .model(path, kind: "\(format) weights"))
            #expect(failure(path)?.description == "a model (\(format) weights), not a recording: \(path)")
        }
    }

    @Test("zeros without a header are not audio")
    func zeros() throws {
        let path = try folder.write(Array(repeating: 0, count: 100_000), "x.wav")
        #expect(failure(path) == .notAudio(path, looksLike: nil))
    }

    @Test("a WAV file has only one track")
    func track() async throws {
        let path = try folder.write(wav, "x.wav")
        #expect(try await pcm16(path, AudioOptions(track: 1)).count == 16_000)
        guard case .noSuchTrack(path, track: 9, tracks: let tracks)? = failure(path, AudioOptions(track: 9)) else {
            Issue.record("track 9 was accepted")
            return
        }
        #expect(tracks.count == 1)
    }

    // MARK: - Pipes and descriptors

    @Test("a named pipe is read as data arrives")
    func namedPipe() async throws {
        let path = folder.path("pipe")
        let name = folder.url.appending(path: "pipe").path
        try #require(unsafe mkfifo(name, 0o600) == 0)
        let bytes = Data(wav)
        // Opened for both directions, so that neither side waits for the other.
        let descriptor = unsafe open(name, O_RDWR)
        try #require(descriptor >= 0)
        // The first write is shorter than a header, so that the rest has to be waited for.
        write(
            [bytes[..<10], bytes[10...]], to: FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), pause: 0.15)
        let source = try AudioFile.open(path)
        let samples = try await pcm16(source)
        #expect(samples == (try await pcm16(folder.write(wav, "x.wav"))))
        #expect(source.duration == nil)
        await #expect(throws: AudioFormatError.readOnce(path)) { _ = try await pcm16(source) }
    }

    @Test("waiting for a pipe without a writer is reported and can be cancelled")
    func waiting() async throws {
        let path = folder.path("pipe")
        try #require(unsafe mkfifo(folder.url.appending(path: "pipe").path, 0o600) == 0)
        let reports = Mutex(0)
        let reportCount: @Sendable () -> Int = { reports.withLock { $0 } }
        let opening = Task.detached(priority: .high) { () -> AudioFormatError? in
            do throws(AudioFormatError) {
                _ = try AudioFile.open(path, options: AudioOptions(onWaiting: { reports.withLock { $0 += 1 } }))
                return nil
            } catch { return error }
        }
        let start = ContinuousClock.now
        while reportCount() == 0, ContinuousClock.now - start < .seconds(300) {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(reportCount() == 1)
        #expect(ContinuousClock.now - start >= .seconds(1.9))
        opening.cancel()
        #expect(await opening.value == .cancelled(path))
    }

    @Test("a descriptor is read from its current position and stays open")
    func descriptor() async throws {
        try folder.write([1, 2, 3, 4, 5] + wav, "x")
        let handle = try FileHandle(forReadingFrom: folder.url.appending(path: "x"))
        try handle.seek(toOffset: 5)
        let source = try AudioFile.open(descriptor: handle.fileDescriptor)
        #expect(try await pcm16(source) == pcm16(folder.write(wav, "x.wav")))
        #expect(fcntl(handle.fileDescriptor, F_GETFD) >= 0)
    }

    @Test("closed, empty and terminal standard inputs are rejected")
    func noInput() throws {
        let name = FilePath("-")
        let closed = #expect(throws: AudioFormatError.inputClosed(name)) { try AudioFile.open(descriptor: 9999) }
        #expect(closed?.description == "standard input is closed")
        let pipe = Pipe()
        try pipe.fileHandleForWriting.close()
        #expect(throws: AudioFormatError.emptyFile(name)) {
            try AudioFile.open(descriptor: pipe.fileHandleForReading.fileDescriptor)
        }
        let terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        defer { close(terminal) }
        try #require(terminal >= 0)
        #expect(throws: AudioFormatError.inputIsTerminal(name)) {
            try AudioFile.open(descriptor: terminal)
        }
    }

    @Test("raw samples from a pipe without a format are not audio")
    func rawWithoutFormat() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data(WAVBytes.tone(seconds: 0.5)))
        try pipe.fileHandleForWriting.close()
        #expect(throws: AudioFormatError.notAudio(FilePath("-"), looksLike: nil)) {
            try AudioFile.open(descriptor: pipe.fileHandleForReading.fileDescriptor)
        }
    }

    // MARK: - Errors while reading

    @Test("a file that shrinks while it is read fails with the position")
    func shrinking() async throws {
        let path = try folder.write(WAVBytes(data: WAVBytes.tone(seconds: 20)).file, "x.wav")
        let source = try AudioFile.open(path)
        let file = try FileHandle(forWritingTo: folder.url.appending(path: "x.wav"))
        try file.truncate(atOffset: 100_000)
        let error = await #expect(throws: AudioFormatError.self) { _ = try await pcm16(source) }
        #expect(error == .readFailed(path, at: 100_000, of: 640_044))
        #expect(error?.description == "read error at byte 100000 of 640044: \(path)")
        #expect(error?.isReadError == true)
    }

    @Test("cancellation stops reading within one chunk")
    func cancelled() async throws {
        let path = try folder.write(WAVBytes(data: WAVBytes.tone(seconds: 60)).file, "x.wav")
        let source = try AudioFile.open(path)
        let seen = Mutex(0)
        let reading = Task {
            for try await _ in source.chunks()
            where seen.withLock({
                $0 += 1; return $0 == 3
            }) {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            }
        }
        _ = try? await reading.value
        let chunks = seen.withLock { $0 }
        #expect(chunks == 3 || chunks == 4)
    }

    @Test("nothing is read before it is requested: a pipe's writer has to wait")
    func pulled() async throws {
        let pipe = Pipe()
        let written = Mutex(0)
        let bytes = Data(WAVBytes(data: WAVBytes.tone(seconds: 60)).file)
        let handle = pipe.fileHandleForWriting
        Thread.detachNewThread {
            for start in stride(from: 0, to: bytes.count, by: 4000) {
                try? handle.write(contentsOf: bytes[start..<min(start + 4000, bytes.count)])
                written.withLock { $0 += 4000 }
            }
            try? handle.close()
        }
        let source = try AudioFile.open(descriptor: pipe.fileHandleForReading.fileDescriptor)
        var iterator = source.chunks().makeAsyncIterator()
        var count = 0
        for _ in 0..<3 { count += try await iterator.next()?.samples.count ?? 0 }
        try await Task.sleep(for: .milliseconds(300))
        // Three seconds, the next one, and what a pipe buffers.
        let writtenBytes = written.withLock { $0 }
        #expect(writtenBytes <= 4 * 32_000 + 65_536 + 8000)
        while let chunk = try await iterator.next() { count += chunk.samples.count }
        #expect(count == 960_000)
    }

    @Test("10,000 randomly damaged headers produce samples or an error")
    func fuzzedHeaders() async throws {
        var numbers = SplitMix64(seed: 42)
        let guid: [UInt8] = [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]
        let seeds = [
            WAVBytes(data: WAVBytes.tone(seconds: 0.01)).file,
            WAVBytes(tag: 3, channels: 2, rate: 16_000, bits: 32, data: WAVBytes.floats([0, 1, .nan, 1e30])).file,
            WAVBytes(tag: 0xfffe, bits: 24, data: [1, 2, 3, 4, 5, 6], extra: u16(22) + u16(20) + u32(4) + guid).file,
        ]
        var ended = 0
        let path = folder.path("x.wav")
        for round in 0..<10_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<(1 + round % 6) {
                let offset = Int.random(in: 0..<min(80, bytes.count), using: &numbers)
                bytes[offset] = [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &numbers)].randomElement(
                    using: &numbers)!
            }
            if round % 7 == 0 { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &numbers)) }
            // Rewriting an existing file would wait for the disk.
            try? FileManager.default.removeItem(at: folder.url.appending(path: "x.wav"))
            try folder.write(bytes, "x.wav")
            do {
                for try await chunk in try AudioFile.open(path).chunks() where chunk.samples.contains(where: \.isNaN) {
                    Issue.record("NaN in round \(round)")
                }
            } catch is AudioFormatError {}
            ended += 1
        }
        #expect(ended == 10_000)
    }
}
