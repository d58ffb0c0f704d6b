import Testing

@Suite("System memory")
struct SystemMemoryTests {
    @Test("available memory is known and plausible")
    func here() throws {
        let available = try #require(SystemMemory.available(threads: 2))
        #expect(available > 1 << 24 && available < 1 << 50)
    }

    @Test("available memory of the machine includes reclaimable memory and swap")
    func machine() {
        let text = "MemTotal: 100 kB\nMemFree:   10 kB\nMemAvailable:   30 kB\nSwapFree: 5 kB\n"
        #expect(SystemMemory.machine(text) == 35 * 1024)
        #expect(SystemMemory.machine("MemAvailable: 7 kB\n") == 7 * 1024)
        #expect(SystemMemory.machine("MemTotal: 7 kB\n") == nil)
        #expect(SystemMemory.machine("MemAvailable: x kB\n") == nil)
    }

    @Test("available memory of a control group is its limit minus usage, not counting page cache")
    func group() {
        let statistics = "anon 600\nfile 250\nfile_mapped 3\n"
        #expect(SystemMemory.left(limit: "1000\n", used: "900\n", statistics: statistics) == 350)
        #expect(SystemMemory.left(limit: "1000\n", used: "900\n", statistics: "") == 100)
        #expect(SystemMemory.left(limit: "1000\n", used: "1100\n", statistics: "") == 0)
        #expect(SystemMemory.left(limit: "1000\n", used: "100\n", statistics: statistics) == 1000)
        #expect(SystemMemory.left(limit: "max\n", used: "900\n", statistics: statistics) == nil)
    }

    @Test("the path of the process's control group is parsed")
    func path() {
        #expect(SystemMemory.controlGroup("0::/user.slice/a.scope\n") == "/user.slice/a.scope")
        #expect(SystemMemory.controlGroup("1:name=systemd:/x\n0::/\n") == "")
        #expect(SystemMemory.controlGroup("4:memory:/docker/1\n") == nil)
    }
}
