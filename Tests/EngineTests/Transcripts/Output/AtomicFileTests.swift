import Foundation
import Testing

@Suite("Atomic files")
struct AtomicFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a new file has the default mode", arguments: [0, 1, 5_000_000])
    func newFile(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try AtomicFile.write(bytes, to: folder.path("new"))
        #expect(try Array(Data(contentsOf: folder.url.appending(path: "new"))) == bytes)
        #expect(FileManager.default.createFile(atPath: folder.url.appending(path: "other").path, contents: nil))
        #expect(try folder.permissions("new") == folder.permissions("other"))
        #expect(try folder.names == ["new", "other"])
    }

    @Test("a replaced file keeps its mode", arguments: [0o600, 0o640, 0o444, 0o755])
    func mode(permissions: Int) throws {
        try folder.create("x", permissions: permissions)
        try AtomicFile.write(Array("new".utf8), to: folder.path("x"))
        #expect(folder.text("x") == "new")
        #expect(try folder.permissions("x") == permissions)
        #expect(try folder.names == ["x"])
    }

    @Test("a replaced file keeps its owner and group")
    func owner() throws {
        try folder.create("x", permissions: 0o4755)
        // Fails unless the test runs as root; then the file stays our own.
        _ = unsafe chown(folder.url.appending(path: "x").path, 12345, 12346)
        let before = try ids("x")
        try AtomicFile.write(Array("new".utf8), to: folder.path("x"))
        #expect(folder.text("x") == "new")
        #expect(try ids("x") == before)
    }

    private func ids(_ name: String) throws -> [Int?] {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.url.appending(path: name).path)
        return [attributes[.ownerAccountID], attributes[.groupOwnerAccountID], attributes[.posixPermissions]].map {
            ($0 as? NSNumber)?.intValue
        }
    }

    @Test("a symbolic link is kept and its target is replaced")
    func link() throws {
        try folder.createFolder("real")
        try folder.create("real/x", permissions: 0o640)
        try folder.link("x", to: "real/x")
        try AtomicFile.write(Array("new".utf8), to: folder.path("x"))
        #expect(folder.text("real/x") == "new")
        #expect(try folder.permissions("real/x") == 0o640)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: folder.url.appending(path: "x").path) == "real/x")
        #expect(try folder.names == ["real", "x"])
    }

    @Test("anything that is not a regular file is rejected and left alone")
    func notFiles() throws {
        try folder.createFolder("folder")
        try folder.link("nothing", to: "gone")
        try folder.link("circle", to: "circle")
        try folder.link("device", to: "/dev/null")
        #expect(unsafe mkfifo(folder.url.appending(path: "pipe").path, 0o600) == 0)
        let before = try folder.names
        #expect(throws: OutputError.outputIsFolder(folder.path("folder"))) { try write("folder") }
        #expect(throws: OutputError.danglingLink(folder.path("nothing"))) { try write("nothing") }
        #expect(throws: OutputError.danglingLink(folder.path("circle"))) { try write("circle") }
        #expect(throws: OutputError.outputIsSpecial(folder.path("device"))) { try write("device") }
        #expect(throws: OutputError.outputIsSpecial(folder.path("pipe"))) { try write("pipe") }
        #expect(throws: OutputError.outputIsSpecial(FilePath("/dev/full"))) {
            try AtomicFile.write([1], to: FilePath("/dev/full"))
        }
        #expect(throws: OutputError.folderMissing(folder.path("no"))) { try write("no/x") }
        try folder.create("file")
        #expect(throws: OutputError.folderIsFile(folder.path("file"))) { try write("file/x") }
        #expect(try folder.names == (before + ["file"]).sorted())
    }

    private func write(_ name: String) throws { try AtomicFile.write(Array("new".utf8), to: folder.path(name)) }

    @Test("names of up to 255 arbitrary bytes work, longer ones are rejected")
    func names() throws {
        let odd = folder.path.appending(FilePath(bytes: [0x62, 0xff, 0x0a, 0x20, 0x2e]))
        try AtomicFile.write([1], to: odd)
        #expect(try folder.names.count == 1)
        AtomicFile.remove(odd)
        let longest = String(repeating: "n", count: 255)
        try write(longest)
        #expect(try folder.names == [longest])
        let longer = longest + "n"
        #expect(throws: OutputError.nameTooLong(folder.path(longer))) { try write(longer) }
    }

    @Test(
        "another user's link in a world-writable folder is not followed",
        .enabled(if: geteuid() == 0, "only root can make another user's link"))
    func untrustedLink() throws {
        try folder.createFolder("shared")
        try folder.create("secret")
        try folder.link("shared/x", to: "../secret")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o1777], ofItemAtPath: folder.path("shared").description)
        try write("shared/x")
        #expect(folder.text("secret") == "new")
        #expect(unsafe lchown(folder.path("shared/x").description, 1234, 1234) == 0)
        #expect(throws: OutputError.untrustedLink(folder.path("shared/x"))) { try write("shared/x") }
        #expect(throws: OutputError.untrustedLink(folder.path("shared/x"))) {
            try OutputLock(for: [folder.path("shared/x")])
        }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path("shared").description)
        try write("shared/x")
    }

    @Test("a reader never sees a partial file despite concurrent writers")
    func concurrency() async throws {
        let path = folder.path("x")
        let file = folder.url.appending(path: "x")
        try AtomicFile.write([UInt8](repeating: 48, count: 4_000_000), to: path)
        let writing = SharedCount(4)
        let torn = await withTaskGroup(of: Int.self) { group in
            for writer in 1...4 {
                group.addTask {
                    defer { _ = writing.add(-1) }
                    for _ in 0..<8 {
                        let bytes = [UInt8](repeating: UInt8(48 + writer), count: 4_000_000 + writer)
                        do { try AtomicFile.write(bytes, to: path) } catch { return 1000 }
                    }
                    return 0
                }
            }
            group.addTask {
                var torn = 0
                repeat {
                    let data = (try? Data(contentsOf: file)) ?? Data()
                    let first = data.first ?? 0
                    let isWhole =
                        data.count == 4_000_000 + Int(first) - 48 && data == Data(repeating: first, count: data.count)
                    if !isWhole { torn += 1 }
                } while writing.value > 0
                return torn
            }
            return await group.reduce(0, +)
        }
        #expect(torn == 0)
        #expect(try folder.names == ["x"])
    }

    @Test("temporary files of dead processes are removed, all other files stay")
    func staleTemporaries() throws {
        let dead = Int(Int32.max)  // above the largest process number
        let stale = [".x.srt.\(dead).1f.tmp", ".x.partial.srt.\(dead).0.tmp"]
        let others = [
            ".x.srt.1.1f.tmp", ".y.srt.\(dead).1f.tmp", ".x.srt.\(dead).tmp", ".x.srt.\(dead).zz.tmp",
            ".x.srt.-5.1f.tmp",
            "x.srt.\(dead).1f.tmp", ".x.srt.99999999999999999999.1f.tmp.keep", "x.srt",
        ]
        for name in stale + others { try folder.create(name) }
        AtomicFile.removeStaleTemporaries(for: [folder.path("x.srt"), folder.path("x.partial.srt")])
        #expect(try folder.names == others.sorted())
    }

    @Test(
        "system errors are mapped to output errors",
        arguments: [
            (ENOSPC, OutputError.noSpace(FilePath("d"))), (EDQUOT, .noSpace(FilePath("d"))),
            (EFBIG, .noSpace(FilePath("d"))),
            (EROFS, .readOnlyFileSystem(FilePath("d"))), (EACCES, .folderNotWritable(FilePath("d"))),
            (ENAMETOOLONG, .nameTooLong(FilePath("d/x"))), (EMFILE, .outOfResources(FilePath("d/x"))),
            (EIO, .writeFailed(FilePath("d/x"), reason: "disk I/O error")),
            (12345, .writeFailed(FilePath("d/x"), reason: "the system refused the operation")),
        ])
    func faults(code: Int32, expected: OutputError) {
        #expect(DiskAccess.Fault(code: code).outputError(at: FilePath("d/x")) == expected)
    }
}
