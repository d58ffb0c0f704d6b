import Foundation
import Testing

@Suite("Packed weights that processes share")
struct PackedWeightsTests {
    fileprivate static func options(
        _ folder: TemporaryFolder?, _ type: ComputeType = .auto, _ backend: ComputeOptions.Backend = .auto
    ) -> ComputeOptions {
        var options = ComputeOptions(backend: backend, computeType: type, threads: 1)
        options.packedWeights = folder?.path("packed")
        return options
    }

    fileprivate static func path(_ name: String) -> FilePath {
        FilePath(Fixtures.url("models/ggml-\(name).bin").path(percentEncoded: false))
    }

    fileprivate static func load(_ options: ComputeOptions) throws -> WhisperModel {
        try load(path("micro.en"), options)
    }

    fileprivate static func load(_ path: FilePath, _ options: ComputeOptions) throws -> WhisperModel {
        try WhisperModel.load(try WhisperFiles.open(path), options: options)
    }

    /// Everything that a model computes from a window and the first tokens of two hypotheses.
    fileprivate static func results(_ model: WhisperModel, window: [Float]) throws -> [[Float]] {
        let encoder = try AudioEncoder(model)
        let output = encoder.encode(window), values = output.values
        let decoder = try TextDecoder(model, maxRows: 2)
        decoder.attend(to: output)
        return [values] + (try decoder.start([1, 5, 9, 2], logitsAt: [0, 3]))
    }

    /// The names in the folder of weights.
    private static func names(_ folder: TemporaryFolder) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/packed")) ?? []).sorted()
    }

    /// The only file in the folder of weights.
    private static func file(_ folder: TemporaryFolder) throws -> URL {
        let names = names(folder)
        try #require(names.count == 1 && names[0].hasSuffix(".weights"), "\(names)")
        return folder.url.appending(path: "packed/\(names[0])")
    }

    private static func isNew(_ model: WhisperModel) -> Bool? {
        if case .shared(_, let isNew) = model.packedWeights { isNew } else { nil }
    }

    @Test(
        "results are the same bits with own, stored and mapped weights, with every instruction set",
        arguments: ComputeType.allCases.filter { $0 != .auto }, BackendFixture.choices)
    func sameBits(type: ComputeType, backend: ComputeOptions.Backend) throws {
        // Libraries choose their kernels themselves.
        for set in backend == .auto ? InstructionSets.all : [Processor.instructionSet] {
            try InstructionSets.limited(to: set) {
                for name in NetworkFixture.models {
                    let folder = try TemporaryFolder(), window = try NetworkFixture.window(name)
                    let own = try Self.load(Self.path(name), Self.options(nil, type, backend))
                    #expect(own.packedWeights == .own)
                    let expected = try Self.results(own, window: window)
                    for isNew in [true, false, false] {
                        let model = try Self.load(Self.path(name), Self.options(folder, type, backend))
                        #expect(Self.isNew(model) == isNew, "\(model.packedWeights)")
                        #expect(try Self.results(model, window: window) == expected, "\(set), \(name), \(isNew)")
                    }
                }
            }
        }
    }

    @Test(
        "the stored window of silence is beside the weights, with the same bits",
        arguments: ComputeType.allCases.filter { $0 != .auto })
    func silentWindow(type: ComputeType) throws {
        let folder = try TemporaryFolder(), window = try NetworkFixture.window("micro-v3")
        func results(_ model: WhisperModel) throws -> [[Float]] {
            let silence = try #require(model.silentWindow)
            let output = try AudioEncoder(model).encode(
                Array(window.prefix(100 * model.dimensions.nMels)), positions: 64, then: silence)
            let values = output.values
            let decoder = try TextDecoder(model, maxRows: 1)
            decoder.attend(to: output, then: silence)
            return [values] + (try decoder.start([1, 5, 9, 2], logitsAt: [0, 3]))
        }
        let own = try Self.load(Self.path("micro-v3"), Self.options(nil, type))
        let expected = try results(own)
        #expect(own.silentWindow?.storage == .own)
        for isNew in [true, false] {
            let model = try Self.load(Self.path("micro-v3"), Self.options(folder, type))
            #expect(try results(model) == expected)
            guard case .shared(_, isNew) = model.silentWindow?.storage else {
                Issue.record("\(String(describing: model.silentWindow?.storage))")
                continue
            }
        }
        #expect(Self.names(folder).count == 2)
        // Without its file, it is computed again.
        try FileManager.default.removeItem(atPath: folder.url.path + "/packed")
        let last = try Self.load(Self.path("micro-v3"), Self.options(folder, type))
        #expect(try results(last) == expected)
    }

    @Test("float32 weights that are not float16 numbers are stored as such", arguments: [ComputeType.float32, .int16])
    func fullNumbers(type: ComputeType) throws {
        let folder = try TemporaryFolder()
        var contents = try GGMLContents([UInt8](Data(contentsOf: Fixtures.url("models/ggml-micro.en.bin"))))
        for index in contents.records.indices {
            let record = contents.records[index]
            guard record.name.hasPrefix("decoder."), record.sizes.count > 1 else { continue }
            let count = record.sizes.reduce(1, *)
            contents.records[index].type = 0
            contents.records[index].data = (0..<count).flatMap { number in
                let value = (Float(number % 1009) / 1009 - 0.5) / 16
                return (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * $0)) }
            }
        }
        let path = try folder.write(contents.bytes), window = try NetworkFixture.window("micro.en")
        let expected = try Self.results(try Self.load(path, Self.options(nil, type)), window: window)
        for isNew in [true, false] {
            let model = try Self.load(path, Self.options(folder, type))
            #expect(Self.isNew(model) == isNew)
            #expect(try Self.results(model, window: window) == expected)
        }
    }

    @Test(
        "only its owner can read the file, and it takes no private memory, even in the process that created it")
    func mapped() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            for _ in 0..<2 {
                let model = try PackedWeightsTests.load(
                    PackedWeightsTests.path("micro.en"), PackedWeightsTests.options(folder))
                guard case .shared(let path, _) = model.packedWeights else { exit(3) }
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)")
                guard attributes[.posixPermissions] as? Int == 0o400 else { exit(4) }
                _ = try PackedWeightsTests.results(model, window: try NetworkFixture.window("micro.en"))
                // String(contentsOfFile:) ends after one page of such a file.
                let smaps = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/smaps")).readToEnd()
                let mappings = String(decoding: smaps ?? Data(), as: UTF8.self)
                    .split(separator: "\n", omittingEmptySubsequences: false)
                let starts = mappings.indices.filter { mappings[$0].hasSuffix("\(path)") }
                guard !starts.isEmpty else { exit(5) }
                var resident = 0
                for start in starts {
                    let facts = mappings[start...].prefix(30)
                    guard mappings[start].contains(" r--s "),
                        facts.contains(where: { $0.hasPrefix("Anonymous:") && $0.hasSuffix(" 0 kB") })
                    else { exit(6) }
                    let line = facts.first { $0.hasPrefix("Rss:") }
                    resident += line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
                }
                guard resident > 0 else { exit(7) }
                withExtendedLifetime(model) {}
            }
        }
    }

    @Test(
        "a damaged, truncated or foreign file is replaced",
        arguments: ["empty", "cut", "longer", "header", "key", "size", "text", "folder link"])
    func damaged(how: String) throws {
        let folder = try TemporaryFolder(), window = try NetworkFixture.window("micro.en")
        let model = try Self.load(Self.options(folder))
        let expected = try Self.results(model, window: window)
        let file = try Self.file(folder)
        let other = folder.url.appending(path: "other")
        try FileManager.default.copyItem(at: file, to: other)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: other.path)
        let handle = try FileHandle(forUpdating: other)
        func set(_ offset: UInt64, _ text: String) throws {
            try handle.seek(toOffset: offset)
            try handle.write(contentsOf: Data(text.utf8))
        }
        let size = try handle.seekToEnd()
        switch how {
        case "empty": try handle.truncate(atOffset: 0)
        case "cut": try handle.truncate(atOffset: size - 4096)
        case "longer": try handle.truncate(atOffset: size + 4096)
        case "header": try set(150, "#")
        case "key": try set(40, "0123456789")
        case "size": try set(95, "99999")
        case "text": try set(0, String(repeating: "whisper-local packed weights 1\n", count: 20))
        default: break
        }
        try handle.close()
        if how == "folder link" {
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: other)
        } else {
            try FileManager.default.moveItem(at: other, to: file)
        }
        for isNew in [true, false] {
            let model = try Self.load(Self.options(folder))
            #expect(Self.isNew(model) == isNew)
            #expect(try Self.results(model, window: window) == expected)
        }
        #expect(
            try FileManager.default.attributesOfItem(atPath: file.path)[.type] as? FileAttributeType == .typeRegular)
        // The first model still has the file that was removed.
        #expect(try Self.results(model, window: window) == expected)
    }

    @Test("a file with another model's weights is not used, even under this model's key")
    func otherContent() throws {
        let folder = try TemporaryFolder()
        _ = try Self.load(Self.path("micro-v3"), Self.options(folder))
        let file = try Self.file(folder)
        let bytes = try [UInt8](Data(contentsOf: file))
        try FileManager.default.removeItem(at: file)
        _ = try Self.load(Self.options(folder))
        let own = try Self.file(folder), header = try [UInt8](Data(contentsOf: own)).prefix(512)
        // The header of one model with the weights of the other; the layout differs.
        func fields(_ bytes: some Sequence<UInt8>) -> [String] {
            String(decoding: Array(bytes.prefix(512)), as: UTF8.self).split(separator: "\n").map(String.init)
        }
        let (this, that) = (fields(header), fields(bytes))
        let text = [this[0], this[1], that[2]].joined(separator: "\n") + "\n"
        let forged = Array((text + SHA256.hexadecimal(of: Array(text.utf8)) + "\n").utf8)
        try FileManager.default.removeItem(at: own)
        try Data(forged + bytes[forged.count...]).write(to: own)
        let time = try #require(that[2].split(separator: " ").last.flatMap { Double($0) })
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: time)], ofItemAtPath: own.path)
        let window = try NetworkFixture.window("micro.en")
        let model = try Self.load(Self.options(folder))
        #expect(Self.isNew(model) == true)
        let expected = try Self.results(try Self.load(Self.options(nil)), window: window)
        #expect(try Self.results(model, window: window) == expected)
        #expect(try Self.isNew(Self.load(Self.options(folder))) == false)
    }

    @Test("each compute type, instruction set and model has a file of its own, and so has the model after a change")
    func keys() throws {
        let folder = try TemporaryFolder(), bytes = try Data(contentsOf: Fixtures.url("models/ggml-micro.en.bin"))
        var count = 0
        func expectNew(_ path: FilePath, _ options: ComputeOptions) throws {
            count += 1
            #expect(try Self.isNew(Self.load(path, options)) == true)
            #expect(try Self.isNew(Self.load(path, options)) == false)
            #expect(Self.names(folder).count == count)
        }
        let path = try folder.write([UInt8](bytes))
        for type in [ComputeType.float32, .int16, .int8] { try expectNew(path, Self.options(folder, type)) }
        try Processor.with(instructionSet: "baseline") { try expectNew(path, Self.options(folder, .float32)) }
        try expectNew(path, Self.options(folder, .float32, .openblas))
        try expectNew(try folder.write([UInt8](bytes), to: "copy.bin"), Self.options(folder))
        // The same size and time of modification.
        let modified = try FileManager.default.attributesOfItem(atPath: "\(path)")[.modificationDate] as? Date
        usleep(20_000)
        let handle = try FileHandle(forWritingTo: URL(filePath: "\(path)"))
        try handle.seek(toOffset: UInt64(bytes.count - 4))
        try handle.write(contentsOf: Data([0, 0, 0, 0]))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: try #require(modified)], ofItemAtPath: "\(path)")
        try expectNew(path, Self.options(folder))
        // Nothing is packed for the reference.
        let reference = try Self.load(path, Self.options(folder, .float32, .reference))
        #expect(reference.packedWeights == .own && Self.names(folder).count == count)
    }

    private static func shell(_ script: String, _ file: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, "sh", file.path]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(script)")
    }

    @Test(
        "processes that have mapped the file keep their weights, whatever another program does to it",
        arguments: [
            ": >\"$1\"", "truncate -s 5000000 \"$1\" || truncate -s 5000000 \"$1\"", "cat /bin/sh >\"$1\"",
            "dd if=/dev/zero of=\"$1\" bs=1M count=4 conv=notrunc",
            "dd if=/dev/zero of=\"$1\" bs=1M oflag=append conv=notrunc count=1",
            "rm \"$1\"", "cp /bin/sh \"$1.new\"; mv \"$1.new\" \"$1\"",
        ])
    func taken(script: String) throws {
        let folder = try TemporaryFolder(), window = try NetworkFixture.window("micro.en")
        let expected = try Self.results(try Self.load(Self.options(nil)), window: window)
        let models = try (0..<3).map { _ in try Self.load(Self.options(folder)) }
        #expect(models.map(Self.isNew) == [true, false, false])
        let start = ContinuousClock.now
        // `truncate` does not wait.
        try Self.shell("chmod 600 \"$1\"; " + script.replacing(" || ", with: " || sleep 0.5; "), Self.file(folder))
        // The kernel would end the wait of the other program after 45 seconds.
        #expect(ContinuousClock.now - start < .seconds(30))
        for model in models { #expect(try Self.results(model, window: window) == expected) }
        for isNew in [true, false] {
            let next = try Self.load(Self.options(folder))
            #expect(Self.isNew(next) == isNew)
            #expect(try Self.results(next, window: window) == expected)
        }
    }

    @Test("weights that have been changed behind a good header are packed anew")
    func changed() throws {
        let window = try NetworkFixture.window("micro.en")
        let expected = try Self.results(try Self.load(Self.options(nil)), window: window)
        var generator = SplitMix64(seed: 23)
        for turn in 0..<4 {
            let folder = try TemporaryFolder()
            _ = try Self.load(Self.options(folder))
            let file = try Self.file(folder)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            let size = try #require(attributes[.size] as? Int)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            let handle = try FileHandle(forUpdating: file)
            try handle.seek(
                toOffset: UInt64(Int.random(in: turn == 0 ? 300..<1000 : 1 << 21..<size, using: &generator)))
            try handle.write(contentsOf: Data([0x3f]))
            try handle.close()
            for isNew in [true, false] {
                let model = try Self.load(Self.options(folder))
                #expect(Self.isNew(model) == isNew, "turn \(turn)")
                #expect(try Self.results(model, window: window) == expected, "turn \(turn)")
            }
        }
    }

    @Test("the lock of a process that packs nothing delays nobody for long")
    func foreignLock() throws {
        let folder = try TemporaryFolder()
        _ = try Self.load(Self.options(folder))
        let file = try Self.file(folder)
        try FileManager.default.removeItem(at: file)
        let name = file.deletingPathExtension().appendingPathExtension("lock").lastPathComponent
        try folder.create("packed/\(name)", "")
        let lock = try FileHandle(forUpdating: folder.url.appending(path: "packed/\(name)"))
        #expect(flock(lock.fileDescriptor, LOCK_EX) == 0)
        let start = ContinuousClock.now
        let model = try Self.load(Self.options(folder))
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(model.packedWeights == .notShared(folder.path("packed"), .busy))
        try lock.close()
        #expect(try Self.isNew(Self.load(Self.options(folder))) == true)
    }

    @Test("without a usable folder, the process has its own weights")
    func noFolder() throws {
        let folder = try TemporaryFolder(), window = try NetworkFixture.window("micro.en")
        let expected = try Self.results(try Self.load(Self.options(nil)), window: window)
        try folder.create("packed")
        let model = try Self.load(Self.options(folder))
        guard case .notShared(folder.path("packed"), .disk) = model.packedWeights else {
            Issue.record("\(model.packedWeights)")
            return
        }
        #expect(try Self.results(model, window: window) == expected)
        var options = Self.options(nil)
        options.packedWeights = FilePath("/proc/packed")
        let other = try Self.load(options)
        guard case .notShared(FilePath("/proc/packed"), .disk) = other.packedWeights else {
            Issue.record("\(other.packedWeights)")
            return
        }
    }

    @Test("when weights are stored, old files, those of earlier boots and unfinished ones are removed, others are kept")
    func leftovers() throws {
        let folder = try TemporaryFolder()
        _ = try Self.load(Self.options(folder))
        let file = try Self.file(folder), stem = file.deletingPathExtension().lastPathComponent
        let boot = stem.split(separator: "-")[1], other = String(repeating: "0", count: 32)
        let stale = [
            "packed-00000000-\(other).weights", "packed-00000000-\(other).lock", "packed-00000000-\(other).1f.tmp",
            "\(stem).1f.tmp",
        ]
        let kept = [
            "packed-\(boot)-\(other).weights", "packed-\(boot)-\(other).1f.tmp", "packed-x.weights", "note.txt",
            "packed-00000000-\(other).txt",
        ]
        for name in stale + kept { try folder.create("packed/\(name)", name.hasSuffix(".lock") ? "12345\n" : "old") }
        let old = "packed-\(boot)-\(other.dropLast())1.weights"
        try folder.create("packed/\(old)")
        let used = timespec(tv_sec: time(nil) - 90_000, tv_nsec: 0)
        #expect(unsafe utimensat(AT_FDCWD, folder.url.path + "/packed/\(old)", [used, used], 0) == 0)
        try FileManager.default.removeItem(at: file)
        #expect(try Self.isNew(Self.load(Self.options(folder))) == true)
        #expect(Self.names(folder) == (kept + [file.lastPathComponent]).sorted())
    }

    @Test("a damaged model gives the same error with and without a folder, and leaves nothing in it")
    func modelErrors() throws {
        let folder = try TemporaryFolder()
        var contents = try GGMLContents([UInt8](Data(contentsOf: Fixtures.url("models/ggml-micro.en.bin"))))
        let index = try #require(contents.records.lastIndex { $0.name == "decoder.blocks.0.mlp.0.weight" })
        contents.records[index].data = contents.records[index].data.map { _ in 0xff }
        let path = try folder.write(contents.bytes)
        for packed in [nil, folder] {
            #expect(throws: ModelError.notFinite(path: path, tensor: "decoder.blocks.0.mlp.0.weight", index: 0)) {
                try Self.load(path, Self.options(packed))
            }
        }
        #expect(Self.names(folder) == [])
    }

    @Test("threads that load at once store the weights once")
    func atOnce() async throws {
        let folder = try TemporaryFolder(), window = try NetworkFixture.window("micro.en")
        let models = try await withThrowingTaskGroup(of: WhisperModel.self) { group in
            for _ in 0..<4 { group.addTask { try Self.load(Self.options(folder)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(models.filter { Self.isNew($0) == true }.count == 1)
        #expect(models.allSatisfy { Self.isNew($0) != nil })
        let expected = try Self.results(models[0], window: window)
        for model in models { #expect(try Self.results(model, window: window) == expected) }
        _ = try Self.file(folder)
    }
}
