import Glibc
import Testing

@Suite("Unix sockets")
struct UnixSocketTests {
    @Test("one connects two programs, and only this user can open it")
    func connects() throws {
        let folder = try TemporaryFolder()
        let listener = try UnixSocket.listen(folder.path("socket"))
        defer { close(listener) }
        #expect(try folder.permissions("socket") == 0o600)
        let client = try UnixSocket.connect(folder.path("socket"))
        defer { close(client) }
        let server = accept(listener, nil, nil)
        defer { close(server) }
        let sent: [UInt8] = [1, 2, 3]
        var received: [UInt8] = [0, 0, 0]
        #expect(unsafe write(client, sent, 3) == 3)
        #expect(unsafe read(server, &received, 3) == 3)
        #expect(received == sent)
    }

    @Test("one that a killed program left is replaced; one in use, and a file, are not")
    func replaces() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("socket")
        close(try UnixSocket.listen(path))
        #expect(throws: DiskAccess.Fault(code: ECONNREFUSED)) { try UnixSocket.connect(path) }
        let listener = try UnixSocket.listen(path)
        defer { close(listener) }
        #expect(throws: DiskAccess.Fault(code: EADDRINUSE)) { try UnixSocket.listen(path) }
        try folder.create("file")
        #expect(throws: DiskAccess.Fault(code: EADDRINUSE)) { try UnixSocket.listen(folder.path("file")) }
        #expect(folder.text("file") == "old")
        #expect(throws: DiskAccess.Fault(code: ENOENT)) { try UnixSocket.connect(folder.path("nowhere")) }
    }

    @Test("a path that is too long is refused")
    func tooLong() throws {
        let path = FilePath("/tmp/" + String(repeating: "x", count: 200))
        #expect(throws: DiskAccess.Fault(code: ENAMETOOLONG)) { try UnixSocket.listen(path) }
        #expect(UnixSocket.lengthProblem(path) == "the path has 205 bytes, and a socket's may have 107")
    }
}
