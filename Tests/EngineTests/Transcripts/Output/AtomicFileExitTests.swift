import Foundation
import Testing

// The tests of Swift 6.2 cannot hand a value to the other process.
#if compiler(>=6.3)
    /// Cases that need a separate process: resource limits and crashes.
    @Suite("Atomic files of crashing and limited processes")
    struct AtomicFileExitTests {
        @Test("exceeding the file size limit leaves the old file intact and no temporary file")
        func fileSizeLimit() async throws {
            let folder = try TemporaryFolder()
            try folder.create("x")
            await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
                guard unsafe setrlimit(__rlimit_resource_t(1), &limit) == 0 else { exit(3) }  // RLIMIT_FSIZE
                do throws(OutputError) {
                    try AtomicFile.write([UInt8](repeating: 65, count: 300_000), to: FilePath(path + "/x"))
                    exit(4)
                } catch {
                    exit(error == .noSpace(FilePath(path)) ? 0 : 5)
                }
            }
            #expect(folder.text("x") == "old")
            #expect(try folder.names == ["x"])
        }

        @Test("running out of descriptors is a temporary error")
        func descriptors() async throws {
            let folder = try TemporaryFolder()
            try folder.create("x")
            await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
                while unsafe open("/dev/null", O_RDONLY) >= 0 {}
                do throws(OutputError) {
                    try AtomicFile.write([65], to: FilePath(path + "/x"))
                    exit(4)
                } catch {
                    exit(error == .outOfResources(FilePath(path + "/x")) ? 0 : 5)
                }
            }
            #expect(folder.text("x") == "old")
            #expect(try folder.names == ["x"])
        }

        @Test("another user's file is not replaced")
        func owner() async {
            await #expect(processExitsWith: .success) {
                if geteuid() == 0, setuid(65534) != 0 { exit(3) }
                do throws(OutputError) {
                    try AtomicFile.write([65], to: FilePath("/etc/passwd"))
                    exit(4)
                } catch {
                    exit(error == .ownerWouldChange(FilePath("/etc/passwd")) ? 0 : 5)
                }
            }
        }

        @Test("a kill during writing leaves a complete file, and the next run cleans up", arguments: 1...6)
        func kill(round: Int) async throws {
            let folder = try TemporaryFolder()
            try folder.create("x", String(repeating: "0", count: 16_000_000))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = folder.url.path as String, round = round as Int] in
                Thread.detachNewThread {
                    usleep(UInt32(50_000 + 23_000 * round))
                    Glibc.kill(getpid(), SIGKILL)
                }
                var digit: UInt8 = 0
                while true {
                    digit = (digit + 1) % 10
                    try AtomicFile.write([UInt8](repeating: 48 + digit, count: 16_000_000), to: FilePath(path + "/x"))
                }
            }
            let text = Array((folder.text("x") ?? "").utf8)
            #expect(text.count == 16_000_000 && text == [UInt8](repeating: text.first ?? 0, count: text.count))
            AtomicFile.removeStaleTemporaries(for: [folder.path("x")])
            #expect(try folder.names == ["x"])
        }

        @Test("leftover files can be removed before an immediate exit")
        func leftovers() async throws {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .exitCode(130)) { [path = folder.url.path as String] in
                let lock = try OutputLock(for: [FilePath(path + "/x.srt"), FilePath(path + "/x.txt")])
                guard FileManager.default.fileExists(atPath: path + "/.x.srt.lock") else { exit(3) }
                AtomicFile.removeLeftovers()
                withExtendedLifetime(lock) { _exit(130) }
            }
            #expect(try folder.names == [])
        }

        @Test("a lock is released when its process is killed")
        func lockOfDeadProcess() async throws {
            let folder = try TemporaryFolder()
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = folder.url.path as String] in
                let lock = try OutputLock(for: [FilePath(path + "/x.srt")])
                withExtendedLifetime(lock) { _ = Glibc.kill(getpid(), SIGKILL) }
            }
            #expect(try folder.names == [".x.srt.lock"])
            try OutputLock(for: [folder.path("x.srt")]).release()
            #expect(try folder.names == [])
        }

        @Test("a locked file is reported with the process that writes it")
        func lockOfOtherProcess() async throws {
            let folder = try TemporaryFolder()
            let lock = try OutputLock(for: [folder.path("x.srt")])
            await #expect(processExitsWith: .success) {
                [path = folder.url.path as String, parent = Int(getpid()) as Int] in
                do throws(OutputError) {
                    _ = try OutputLock(for: [FilePath(path + "/a.txt"), FilePath(path + "/x.srt")])
                    exit(4)
                } catch {
                    exit(error == .busy(FilePath(path + "/x.srt"), process: parent) ? 0 : 5)
                }
            }
            #expect(try folder.names == [".x.srt.lock"])
            lock.release()
            #expect(try folder.names == [])
        }
    }
#endif
