import WhisperEngine

/// Whether a model fits into the memory that this process may take, told before it is loaded: Swift cannot go on when
/// memory runs out.
enum MemoryCheck {
    /// A process without a model: threads, buffers, the libraries' own.
    private static let basis = 128 << 20

    /// Stacks and arenas of the runtime's first threads, without which it would wait for ever.
    private static let start = 48 << 20

    /// - Throws: where there is too little address space for the program itself.
    static func checkStart() throws(ErrorReport) {
        guard let room = addressSpace, room < start else { return }
        throw ErrorReport(
            .tryAgain, "not enough memory to start: \(max(0, room) >> 20) MiB are left of the address space",
            cure: "raise the limit (ulimit -v)")
    }

    /// - Throws: what is needed and what there is, where a limit is clearly too small. Weights of 16 bits are unpacked
    ///   to 32; the bytes of the file may stand beside them meanwhile.
    static func check(_ model: FilePath, name: String) throws(ErrorReport) {
        guard case .success(let status) = FileSystem.status(model) else { return }
        let unpacked = 2 * status.size + basis
        if let room = addressSpace, room < unpacked + status.size {
            throw report(
                name, needed: unpacked + status.size, room: room, limit: "the limit of address space (ulimit -v)")
        }
        if let room = controlGroup, room < unpacked {
            throw report(name, needed: unpacked, room: room, limit: "the container's memory limit")
        }
    }

    private static func report(_ name: String, needed: Int, room: Int, limit: String) -> ErrorReport {
        ErrorReport(
            .tryAgain,
            "not enough memory for model \(name): it needs about \(needed >> 20) MiB, \(max(0, room) >> 20) MiB are left",
            cure: "a smaller model, or raise \(limit)")
    }

    /// Bytes that may still be mapped; `nil` without a limit.
    private static var addressSpace: Int? {
        guard let line = Machine.value(of: "Max address space", in: "/proc/self/limits", behind: "space"),
            let limit = line.split(separator: " ").first.flatMap({ Int($0) }),
            let used = Machine.kibibytes("VmSize", in: "/proc/self/status")
        else { return nil }
        return limit - used * 1024
    }

    /// Bytes that the control group may still take; `nil` without a limit.
    private static var controlGroup: Int? {
        guard let limit = number(in: "/sys/fs/cgroup/memory.max"),
            let used = number(in: "/sys/fs/cgroup/memory.current")
        else { return nil }
        // Cached file pages are given up when memory is asked for.
        let cached = Machine.value(of: "file ", in: "/sys/fs/cgroup/memory.stat", behind: "file").flatMap { Int($0) }
        return limit - used + (cached ?? 0)
    }

    private static func number(in file: String) -> Int? {
        guard case .success(let bytes) = FileSystem.contents(of: FilePath(file), atMost: 64) else { return nil }
        return NumberSyntax.integer(Array(bytes.prefix { $0 != UInt8(ascii: "\n") }))
    }
}
