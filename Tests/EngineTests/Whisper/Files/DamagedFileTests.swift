import Foundation
import Testing

/// Files that are truncated, extended or contain impossible numbers.
@Suite("Damaged ggml files")
struct DamagedFileTests {
    static let good = GGMLContents(width: 2)

    static func error(_ bytes: [UInt8]) throws -> (ModelError?, FilePath) {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes)
        do throws(ModelError) {
            _ = try GGMLFile(path)
            return (nil, path)
        } catch { return (error, path) }
    }

    @Test("an intact file loads")
    func undamaged() throws {
        let folder = try TemporaryFolder()
        let file = try GGMLFile(folder.write(Self.good.bytes))
        #expect(file.dimensions.nAudioState == 2 && file.vocabulary.pieces.count == 256)
        let model = try WhisperModel(file, backend: try ComputeOptions(backend: .reference).makeBackend())
        #expect(model.warnings == [])
    }

    @Test("a file without weights is reported as a test file")
    func vocabularyOnly() throws {
        var contents = Self.good
        contents.records = []
        let (error, path) = try Self.error(contents.bytes)
        #expect(error == .vocabularyOnly(path: path))
    }

    @Test("a file truncated in its header is rejected")
    func cutHeader() throws {
        let bytes = Self.good.bytes
        let filters = Self.good.vocabularyOffset
        for count in [0, 1, 2, 3] + Array(4..<60) + [5000, filters - 1] {
            let (error, path) = try Self.error(Array(bytes[..<count]))
            let part = count < 56 ? "header" : "mel filters"
            let expected: ModelError =
                count == 0
                ? .empty(path: path)
                : count < 4 ? .tooShort(path: path, bytes: count) : .headerCut(path: path, bytes: count, part: part)
            #expect(error == expected, "\(count) bytes")
        }
    }

    @Test("a file truncated in its vocabulary is rejected")
    func cutVocabulary() throws {
        let bytes = Self.good.bytes
        for count in Self.good.vocabularyOffset..<Self.good.recordsOffset where count % 7 < 5 {
            let (error, path) = try Self.error(Array(bytes[..<count]))
            #expect(error == .headerCut(path: path, bytes: count, part: "vocabulary"))
        }
    }

    @Test(
        "a file truncated inside a tensor is reported with its expected size",
        arguments: [ElementType.f16, .f32, .bf16, .q4_0, .q4_1, .q5_0, .q5_1, .q8_0])
    func cutTensor(type: ElementType) throws {
        let contents = GGMLContents(width: 32).converted(to: type)
        let bytes = contents.bytes
        for (record, offset) in zip(contents.records, contents.recordOffsets) where offset % 3 == 0 {
            let data = record.header.count
            for cut in [1, 5, 11, 12, 14, data - record.name.utf8.count + 1, data, data + 1, record.bytes.count - 1] {
                let (error, path) = try Self.error(Array(bytes[..<(offset + cut)]))
                #expect(
                    error == .truncated(path: path, bytes: offset + cut, promised: bytes.count),
                    "\(record.name) after \(cut) bytes")
            }
        }
    }

    @Test("a file truncated between tensors is reported with the missing ones")
    func cutBetween() throws {
        let bytes = Self.good.bytes
        for (index, offset) in Self.good.recordOffsets.enumerated().dropFirst() where offset < bytes.count {
            let (error, path) = try Self.error(Array(bytes[..<offset]))
            #expect(error == .missingTensors(path: path, names: Self.good.records[index...].map(\.name)))
        }
    }

    @Test("extra bytes after the last tensor are reported", arguments: [1, 3, 4, 12, 1000])
    func trailing(count: Int) throws {
        let bytes = Self.good.bytes
        let (error, path) = try Self.error(bytes + [UInt8](repeating: 1, count: count))
        #expect(error == .trailingBytes(path: path, count: count, offset: bytes.count))
    }

    static let fields = [
        "n_vocab", "n_audio_ctx", "n_audio_state", "n_audio_head", "n_audio_layer", "n_text_ctx", "n_text_state",
        "n_text_head", "n_text_layer", "n_mels", "ftype",
    ]

    @Test("impossible numbers in the header are reported with their field", arguments: fields.indices)
    func header(index: Int) throws {
        let absurd = [Int(Int32.min), -1, 0, Int(Int32.max)]
        let more: [String: [Int]] = [
            "n_vocab": [51_863, 51_867], "n_audio_ctx": [1499, 1501], "n_audio_state": [3, 8193],
            "n_audio_head": [3], "n_audio_layer": [257], "n_text_ctx": [63, 8193], "n_text_state": [1, 3, 8193],
            "n_text_head": [3], "n_text_layer": [257], "n_mels": [79, 81, 129],
            // Quantized formats of version 1 and of an unknown version.
            "ftype": [2, 3, 7, 1002, 1008, 3002],
        ]
        let field = Self.fields[index]
        for value in (field == "ftype" ? [Int(Int32.min), -1, Int(Int32.max)] : absurd) + (more[field] ?? []) {
            var contents = Self.good
            contents.header[index] = value
            let (error, path) = try Self.error(contents.bytes)
            guard case .badField(path, let name, let found, let expected)? = error else {
                Issue.record("\(field) \(value): \(String(describing: error))")
                continue
            }
            // A width mismatch is reported for the second of the two fields.
            if field == "n_audio_state" && (1...8192).contains(value) {
                #expect(name == "n_text_state" && found == 2)
            } else {
                #expect(name == field && found == value)
            }
            #expect(!expected.isEmpty)
        }
    }

    @Test("a width that is not divisible by the number of heads is rejected")
    func heads() throws {
        var contents = GGMLContents(width: 32)
        for (index, field) in [(3, "n_audio_head"), (7, "n_text_head")] {
            contents = GGMLContents(width: 32)
            contents.header[index] = 3
            let (error, path) = try Self.error(contents.bytes)
            #expect(error == .badField(path: path, field: field, found: 3, expected: "a divisor of 32"))
        }
    }

    @Test("mel filters of another size are rejected", arguments: [(0, 128), (0, -1), (1, 200), (1, 400), (1, 0)])
    func filters(index: Int, value: Int) throws {
        var contents = Self.good
        contents.filterShape[index] = value
        let (error, path) = try Self.error(contents.bytes)
        let field = ["filters.n_mel", "filters.n_fft"][index]
        let expected = ["80 (n_mels)", "201 (bins of a 400-point transform)"][index]
        #expect(error == .badField(path: path, field: field, found: value, expected: expected))
    }

    @Test("an impossible number of pieces is rejected", arguments: [-1, 0, 51_865, Int(Int32.max), Int(Int32.min)])
    func pieceCount(count: Int) throws {
        var bytes = Self.good.bytes
        let offset = Self.good.vocabularyOffset
        bytes.replaceSubrange(offset..<(offset + 4), with: GGMLContents.bytes(count))
        let (error, path) = try Self.error(bytes)
        #expect(
            error
                == .badField(
                    path: path, field: "the number of vocabulary entries", found: count, expected: "1 to 51864"))
    }

    @Test("an impossible piece length is rejected", arguments: [4097, Int(Int32.max), -1])
    func pieceLength(length: Int) throws {
        var bytes = Self.good.bytes
        // All preceding pieces have one byte.
        let offset = Self.good.vocabularyOffset + 4 + 5 * 70
        bytes.replaceSubrange(offset..<(offset + 4), with: GGMLContents.bytes(length))
        let (error, path) = try Self.error(bytes)
        let problem = "has \(UInt32(truncatingIfNeeded: length)) bytes"
        #expect(error == .badVocabulary(path: path, entry: 70, offset: offset, problem: problem))
    }

    @Test("pieces of 4096 bytes and empty pieces are accepted")
    func longPieces() throws {
        var contents = Self.good
        contents.pieces += [[UInt8](repeating: 0x61, count: 4096), [], []]
        let folder = try TemporaryFolder()
        #expect(try GGMLFile(folder.write(contents.bytes)).vocabulary.pieces == contents.pieces)
    }

    @Test("a vocabulary damaged by an old converter is replaced by the built-in one, with a warning")
    func replacedVocabulary() throws {
        var contents = Self.good
        contents.pieces = VocabularyFixture.englishVocabulary.pieces.map {
            Array(String(decoding: $0, as: UTF8.self).utf8)
        }
        let folder = try TemporaryFolder()
        let path = try folder.write(contents.bytes), file = try GGMLFile(path)
        #expect(file.vocabulary == VocabularyFixture.englishVocabulary)
        #expect(file.warnings == [.replacedVocabulary(path: path)])
        let model = try WhisperModel(file, backend: try ComputeOptions(backend: .reference).makeBackend())
        #expect(model.warnings == [.replacedVocabulary(path: path)])
        #expect(model.vocabulary == VocabularyFixture.englishVocabulary)
    }

    @Test("a damaged vocabulary of another size is rejected")
    func damagedVocabulary() throws {
        var contents = Self.good
        for byte in 128..<256 { contents.pieces[byte] = [0xef, 0xbf, 0xbd] }
        let (error, path) = try Self.error(contents.bytes)
        #expect(error == .damagedVocabulary(path: path))
    }
}
