import Testing

@Suite("Tar archives")
struct TarArchiveTests {
    private static func open(_ bytes: [UInt8]) throws -> [String: [UInt8]] {
        let folder = try TemporaryFolder(), archive = try TarArchive(ReadOnlyFile(folder.write(bytes)))
        return try Dictionary(
            uniqueKeysWithValues: archive.members.keys.map { name in
                let member = try #require(archive.member(name))
                return (name, try member.bytes(0..<member.count))
            })
    }

    private static func error(_ tar: TarContents) throws -> String {
        let folder = try TemporaryFolder(), file = try ReadOnlyFile(folder.write(tar.bytes))
        do throws(ModelError) {
            _ = try TarArchive(file)
            return ""
        } catch { return error.description }
    }

    @Test("members are found by their names, also by long ones and by pax's")
    func members() throws {
        let long = String(repeating: "n", count: 150), longer = String(repeating: "m", count: 300)
        let field = "path=./\(longer)\n"
        let tar = TarContents([
            .init("./a", [1, 2, 3]), .init("folder/", [], type: "5"), .init("b", []),
            .init("././@LongLink", Array((long + "\0").utf8), type: "L"), .init("n", [4]),
            .init("x", Array("\(field.utf8.count + 4) \(field)10 size=2\n".utf8), type: "x"), .init("m", [5, 6]),
            .init("g", Array("13 comment=x\n".utf8), type: "g"), .init("c", [UInt8](repeating: 7, count: 513)),
        ])
        #expect(
            try Self.open(tar.bytes) == [
                "a": [1, 2, 3], "b": [], long: [4], longer: [5, 6], "c": [UInt8](repeating: 7, count: 513),
            ])
        #expect(TarArchive.recognizes(tar.bytes) && !TarArchive.recognizes(Array(tar.bytes.prefix(262))))
    }

    @Test("a part of a part is read from the right place")
    func parts() throws {
        let folder = try TemporaryFolder(), file = try ReadOnlyFile(folder.write(Array(0..<100)))
        let part = ReadOnlyFile(10..<50, of: file), inner = ReadOnlyFile(5..<10, of: part)
        #expect(try part.count == 40 && part.bytes(0..<2) == [10, 11])
        #expect(try inner.bytes(0..<5) == [15, 16, 17, 18, 19] && inner.isUnchanged)
    }

    @Test("damaged archives are errors")
    func damage() throws {
        let valid = TarContents([.init("a", [1]), .init("b", [2])])
        func error(_ change: (inout TarContents) -> Void) throws -> String {
            var tar = valid
            change(&tar)
            return try Self.error(tar)
        }
        #expect(try error { _ in }.isEmpty)
        #expect(try error { $0.members[1].name = "./a" }.contains("repeats the member"))
        #expect(try error { $0.members[1].checksumError = 1 }.contains("is damaged"))
        #expect(try error { $0.members[1].size = 1 << 20 }.contains("is truncated"))
        #expect(try error { $0.members[1].size = .max }.contains("is truncated"))
        #expect(try error { $0.members[1].size = -1 }.contains("is damaged"))
        #expect(try error { $0.members[1].type = "2" }.contains("is not that of a file or folder"))
        #expect(try error { $0.hasEnd = false }.contains("is truncated"))
        #expect(
            try error { $0.members[0] = .init("x", Array("99 path=a\n".utf8), type: "x") }.contains("extra fields"))
        #expect(
            try error { $0.members[0] = .init("x", Array("12 size=-12\n".utf8), type: "x") }.contains("impossible size")
        )
        #expect(
            try error { $0.members[0] = .init("x", [UInt8](repeating: 32, count: 70_000), type: "x") }
                .contains("bytes of extra fields"))
    }
}
