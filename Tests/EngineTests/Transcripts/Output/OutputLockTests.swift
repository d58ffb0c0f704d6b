import Foundation
import Testing

@Suite("Output locks")
struct OutputLockTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a second lock on one of the files fails and locks none of its files")
    func busy() throws {
        let lock = try OutputLock(for: [folder.path("x.srt"), folder.path("x.txt")])
        let error = OutputError.busy(folder.path("x.srt"), process: Int(getpid()))
        #expect(throws: error) { try OutputLock(for: [folder.path("a.srt"), folder.path("x.srt")]) }
        #expect(try folder.names == [".x.srt.lock", ".x.txt.lock"])
        try OutputLock(for: [folder.path("x.json"), folder.path("a.srt")]).release()
        lock.release()
        #expect(try folder.names == [])
        try OutputLock(for: [folder.path("x.srt")]).release()
    }

    @Test("a lock is released when it is deinitialized")
    func deinitialization() throws {
        do {
            let lock = try OutputLock(for: [folder.path("x.srt")])
            #expect(try folder.names == [".x.srt.lock"])
            withExtendedLifetime(lock) {}
        }
        #expect(try folder.names == [])
    }

    @Test("two names of the same file share a lock")
    func links() throws {
        try folder.create("x.srt")
        try folder.link("y.srt", to: "x.srt")
        let lock = try OutputLock(for: [folder.path("x.srt")])
        #expect(throws: OutputError.busy(folder.path("y.srt"), process: Int(getpid()))) {
            try OutputLock(for: [folder.path("y.srt")])
        }
        lock.release()
    }

    @Test("an unrelated file with the lock's name is left alone")
    func foreignFiles() throws {
        let lockName = folder.path(".x.srt.lock")
        let refused = OutputError.notALock(lockName)
        for content in ["a\n", "12 34\n", "-5\n", "0\n", "123456789012345678901\n"] {
            try folder.create(".x.srt.lock", content)
            #expect(throws: refused, "\(content)") { try OutputLock(for: [folder.path("x.srt")]) }
            #expect(folder.text(".x.srt.lock") == content)
        }
        try FileManager.default.removeItem(atPath: lockName.description)
        try folder.create("mine", "17\n")
        try folder.link(".x.srt.lock", to: "mine")
        #expect(throws: refused) { try OutputLock(for: [folder.path("x.srt")]) }
        try FileManager.default.removeItem(atPath: lockName.description)
        try FileManager.default.linkItem(atPath: folder.path("mine").description, toPath: lockName.description)
        #expect(throws: refused) { try OutputLock(for: [folder.path("x.srt")]) }
        #expect(folder.text("mine") == "17\n")
    }

    @Test("the lock file of a process that was killed is taken over", arguments: ["", "4194305\n", "41943"])
    func stale(content: String) throws {
        try folder.create(".x.srt.lock", content)
        let lock = try OutputLock(for: [folder.path("x.srt")])
        #expect(folder.text(".x.srt.lock") == "\(getpid())\n")
        lock.release()
        #expect(try folder.names == [])
    }

    @Test("a file that has replaced the lock file is not removed")
    func replaced() throws {
        let lock = try OutputLock(for: [folder.path("x.srt")])
        try FileManager.default.removeItem(atPath: folder.path(".x.srt.lock").description)
        try folder.create(".x.srt.lock", "mine")
        lock.release()
        #expect(folder.text(".x.srt.lock") == "mine")
    }

    @Test("long names have distinct locks")
    func longNames() throws {
        let stem = String(repeating: "n", count: 250)
        let lock = try OutputLock(for: [folder.path(stem + "1.srt")])
        try OutputLock(for: [folder.path(stem + "2.srt")]).release()
        #expect(throws: OutputError.busy(folder.path(stem + "1.srt"), process: Int(getpid()))) {
            try OutputLock(for: [folder.path(stem + "1.srt")])
        }
        lock.release()
        #expect(try folder.names == [])
    }

    @Test("concurrent locks on one file exclude each other")
    func contention() async throws {
        let path = folder.path("x.srt")
        let inside = SharedCount(0)
        let overlaps = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var overlaps = 0
                    for _ in 0..<1000 {
                        guard let lock = try? OutputLock(for: [path]) else { continue }
                        overlaps += inside.add(1) - 1
                        usleep(1)
                        _ = inside.add(-1)
                        lock.release()
                    }
                    return overlaps
                }
            }
            return await group.reduce(0, +)
        }
        #expect(overlaps == 0)
        #expect(try folder.names == [])
    }
}
