import Glibc

/// How much memory this process may still take.
package enum SystemMemory {
    /// Bytes: the least of what the address space limit (`ulimit -v`), the control groups and the machine leave;
    /// `nil` where none of them says.
    ///
    /// - Parameter threads: that will compute; each needs `addressSpacePerThread` of a limited address space.
    package static func available(threads: Int) -> Int? {
        [
            addressSpaceLeft.map { max(0, $0 - threads * addressSpacePerThread) }, controlGroups,
            text(of: "/proc/meminfo").flatMap(machine),
        ].compactMap(\.self).min()
    }

    /// Bytes that a computing thread maps without filling them: OpenBLAS's buffer (128 MiB), allocator and stack.
    /// OpenBLAS waits for ever where it is refused its buffer.
    package static let addressSpacePerThread = 256 << 20

    /// Bytes that may still be mapped; `nil` without a limit.
    package static var addressSpaceLeft: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < Int.max,
            let used = text(of: "/proc/self/statm")?.split(separator: " ").first.flatMap({ Int($0) })
        else { return nil }
        return max(0, Int(limit.rlim_cur) - used * Int(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// The tightest of this process's control group and those around it.
    private static var controlGroups: Int? {
        guard let own = text(of: "/proc/self/cgroup").flatMap(controlGroup) else { return nil }
        var folder = own
        var least: Int?
        while true {
            let root = "/sys/fs/cgroup" + folder
            if let limit = text(of: root + "/memory.max"), let used = text(of: root + "/memory.current"),
                let left = left(limit: limit, used: used, statistics: text(of: root + "/memory.stat") ?? "")
            {
                least = min(least ?? left, left)
            }
            guard let slash = folder.lastIndex(of: "/") else { return least }
            folder = String(folder[..<slash])
        }
    }

    /// Free memory and what the system can make free, swap space included, from `/proc/meminfo`.
    package static func machine(_ text: String) -> Int? {
        func kibibytes(_ name: String) -> Int? {
            text.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(separator: " ").dropFirst().first
                .flatMap { Int($0) }
        }
        guard let memory = kibibytes("MemAvailable"), memory < Int.max >> 12 else { return nil }
        return (memory + min(kibibytes("SwapFree") ?? 0, Int.max >> 12)) * 1024
    }

    /// The group's path from `/proc/self/cgroup` (version 2: the line `0::/path`), without a slash at its end.
    package static func controlGroup(_ text: String) -> String? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        let path = line.dropFirst(3)
        return path == "/" ? "" : String(path)
    }

    /// What a control group leaves: pages of files count as used but are given up when memory is wanted. `nil` where
    /// there is no limit.
    package static func left(limit: String, used: String, statistics: String) -> Int? {
        func number(_ text: some StringProtocol) -> Int? { text.split(separator: "\n").first.flatMap { Int($0) } }
        guard let limit = number(limit), let used = number(used) else { return nil }
        let files = statistics.split(separator: "\n").first { $0.hasPrefix("file ") }.flatMap {
            number($0.dropFirst(5))
        }
        return max(0, limit - max(0, used - (files ?? 0)))
    }

    /// A file of the system, whose size is not known before it is read.
    static func text(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 16 {
            let got = unsafe read(descriptor, &part, part.count)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            bytes += part[..<got]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
