import Foundation
import Testing

@Suite("Damaged and unusual ZIP archives")
struct ZIPDamageTests {
    static let good = PyTorchContents(GGMLContents(width: 2))

    static func error(_ bytes: [UInt8]) throws -> (ModelError?, FilePath) {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "tiny.pt")
        do throws(ModelError) {
            _ = try PyTorchFile(path)
            return (nil, path)
        } catch { return (error, path) }
    }

    /// Expects `ModelError.badArchive` with this text in it.
    private static func expect(_ bytes: [UInt8], _ problem: String) throws {
        let (error, path) = try error(bytes)
        guard case .badArchive(path, let found)? = error else {
            Issue.record("\(problem): \(String(describing: error))")
            return
        }
        #expect(found.contains(problem), "\(found)")
    }

    @Test("an archive loads with and without ZIP64 records, comment, and byte order")
    func legal() throws {
        var zip = Self.good.zip
        #expect(try Self.error(zip.bytes).0 == nil)
        zip.isZIP64 = false
        #expect(try Self.error(zip.bytes).0 == nil)
        zip.comment = Array("PK\u{5}\u{6}, a comment".utf8) + [UInt8](repeating: 0x20, count: 60_000)
        #expect(try Self.error(zip.bytes).0 == nil)
        zip.entries.removeAll { $0.name.ends("byteorder") }
        #expect(try Self.error(zip.bytes).0 == nil)
        for index in zip.entries.indices { zip.entries[index].isZIP64 = true }
        zip.isZIP64 = true
        zip.end = [3: 0xffff, 4: 0xffff_ffff, 5: 0xffff_ffff]
        #expect(try Self.error(zip.bytes).0 == nil)
        zip.entries.append(ZIPContents.Entry("tiny/", []))
        #expect(try Self.error(zip.bytes).0 == nil)
    }

    @Test("an archive cut anywhere is rejected as truncated or damaged")
    func cut() throws {
        let bytes = Self.good.bytes
        for count in [0, 3, 4, 21, 22, 100, bytes.count / 2, bytes.count - 1, bytes.count - 22, bytes.count - 23] {
            let (error, path) = try Self.error(Array(bytes[..<count]))
            #expect(error == .noArchiveDirectory(path: path, bytes: count), "\(count)")
        }
    }

    /// A name for the entry that is changed, the change, and the error.
    static let entries: [(String, @Sendable (inout ZIPContents.Entry) -> Void, String)] = [
        ("deflated", { $0.method = 8 }, "'s data/0 that is compressed"),
        ("encrypted", { $0.flags |= 1 }, "is encrypted"),
        ("strongly encrypted", { $0.flags |= 64 }, "is encrypted"),
        ("encrypted directory", { $0.flags |= 1 << 13 }, "is encrypted"),
        ("on another disk", { $0.disk = 1 }, "is on another disk"),
        ("parent folder", { $0.name = Array("tiny/../data/0".utf8) }, "not a plain relative path"),
        ("absolute", { $0.name = Array("/tiny/data/0".utf8) }, "not a plain relative path"),
        ("backslash", { $0.name = Array("tiny\\data".utf8) }, "not a plain relative path"),
        ("empty name", { $0.name = [] }, "not a plain relative path"),
        ("not UTF-8", { $0.name = [0x74, 0xff] }, "not UTF-8"),
        ("double", { $0.name = Array("tiny/version".utf8) }, "is listed twice"),
        ("two pickles", { $0.name = Array("tiny/b/data.pkl".utf8) }, "has several pickles"),
        ("outside", { $0.name = Array("other/data/0".utf8) }, "outside tiny/"),
        ("other local name", { $0.localName = Array("tiny/data/9".utf8) }, "contradicts its local header"),
        ("longer local name", { $0.localName = $0.name + [0x30] }, "contradicts its local header"),
        ("packed size", { $0.packedSize = $0.data.count - 1 }, "two sizes"),
        ("too large", { ($0.size, $0.packedSize) = (1 << 30, 1 << 30) }, "more than the archive"),
        (
            "much too large", { ($0.size, $0.packedSize, $0.isZIP64) = (1 << 62, 1 << 62, true) },
            "more than the archive"
        ),
        ("negative", { ($0.size, $0.packedSize, $0.isZIP64) = (-1, -1, true) }, "damaged directory"),
        ("far offset", { $0.offset = 0x7fff_ffff }, "begins after the data"),
        ("farther offset", { ($0.offset, $0.isZIP64) = (1 << 62, true) }, "begins after the data"),
        ("wrong offset", { $0.offset = 7 }, "contradicts its local header"),
        ("overlapping", { ($0.size, $0.packedSize) = ($0.data.count + 200, $0.data.count + 200) }, "overlaps"),
    ]

    @Test("an entry that is not a plain stored file is rejected with its name", arguments: entries.indices)
    func entry(index: Int) throws {
        let (_, change, problem) = Self.entries[index]
        var zip = Self.good.zip
        let at = try #require(zip.entries.firstIndex { $0.name.ends("data/0") })
        change(&zip.entries[at])
        try Self.expect(zip.bytes, problem.replacing("'s data/0", with: "tiny/data/0"))
    }

    @Test("an end record that contradicts the file is rejected")
    func end() throws {
        let zip = Self.good.zip
        let count = zip.entries.count
        let changes: [(short: [Int: Int], long: [Int: Int], problem: String)] = [
            ([0: 1], [0: 1], "split over several disks"), ([1: 1], [1: 1], "split over several disks"),
            ([2: 1], [2: 1], "split over several disks"),
            ([3: 1], [:], "contradict each other"), ([4: 0], [:], "contradict each other"),
            ([5: 0], [:], "contradict each other"),
            ([2: count + 1, 3: count + 1], [2: count + 1, 3: count + 1], "damaged directory (entry \(count))"),
            ([2: count - 1, 3: count - 1], [2: count - 1, 3: count - 1], "more than \(count - 1) entries"),
            ([2: 0xffff, 3: 0xffff], [2: 1 << 40, 3: 1 << 40], "more than 100000 entries"),
            ([4: 0xffff_ffff], [4: 1 << 62], "expected to end at"), ([5: 0xffff_ffff], [5: 1 << 62], "expected to end"),
            ([5: 0xffff_ffff], [5: -1], "damaged ZIP64 end record"), ([4: 1], [4: 1], "expected to end at"),
        ]
        for (short, long, problem) in changes {
            var damaged = zip
            (damaged.end, damaged.end64) = (short, long)
            try Self.expect(damaged.bytes, problem)
            if short.values.allSatisfy({ $0 < 0xffff }) && !problem.contains("contradict") {
                damaged.isZIP64 = false
                try Self.expect(damaged.bytes, problem)
            }
        }
        var marked = zip
        (marked.isZIP64, marked.end) = (false, [5: 0xffff_ffff])
        try Self.expect(marked.bytes, "no ZIP64 end record")
        // The locator's offset and number of disks, and the size in the ZIP64 end record.
        for (back, value) in [(22 + 12, 0), (22 + 12, 0xffff_ffff), (22 + 8, 0xff), (22 + 4, 2), (22 + 20 + 52, 45)] {
            var bytes = zip.bytes
            let at = bytes.count - back
            bytes.replaceSubrange(at..<(at + 4), with: GGMLContents.bytes(value))
            try Self.expect(bytes, "damaged ZIP64 end record")
        }
    }

    @Test("another byte order is rejected", arguments: ["big", "", String(repeating: "little", count: 100)])
    func byteOrder(text: String) throws {
        var zip = Self.good.zip
        let at = try #require(zip.entries.firstIndex { $0.name.ends("byteorder") })
        zip.entries[at].data = Array(text.utf8)
        try Self.expect(zip.bytes, "byte order")
    }

    @Test("an archive without a pickle is not a model")
    func noPickle() throws {
        var zip = Self.good.zip
        zip.entries.removeAll { $0.name.ends("data.pkl") }
        var (error, path) = try Self.error(zip.bytes)
        #expect(
            error
                == .anotherFormat(
                    path: path, looksLike: "a ZIP archive without a PyTorch model", instead: "unpack it first"))
        zip.entries = []
        (error, path) = try Self.error([0x50, 0x4b, 3, 4] + zip.bytes)
        #expect(error != nil)
    }

    @Test("a model in a ZIP archive is recognized by its content")
    func recognized() throws {
        let folder = try TemporaryFolder()
        #expect(try WhisperFiles.open(folder.write(Self.good.bytes, to: "model.bin")) is PyTorchFile)
        #expect(try WhisperFiles.open(folder.write(GGMLContents(width: 2).bytes, to: "model.pt")) is GGMLFile)
        let old = try folder.write([0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20], to: "old.pt")
        #expect(throws: ModelError.self) { try WhisperFiles.open(old) }
    }
}

extension [UInt8] {
    func ends(_ text: String) -> Bool { reversed().starts(with: text.utf8.reversed()) }
}
