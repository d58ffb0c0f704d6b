import Glibc

/// The memory still available to this process.
package enum SystemMemory {
    /// Available bytes: the minimum of what the address space limit (`ulimit -v`), the control groups and the machine
    /// allow; `nil` if none of them is known.
    ///
    /// - Parameter threads: the number of computing threads; each needs `addressSpacePerThread` of a limited address
    ///   space.
    package static func available(threads: Int) -> Int? {
        [
            addressSpaceLeft.map { max(0, $0 - threads * addressSpacePerThread) }, controlGroups,
            text(of: "/proc/meminfo").flatMap(machine),
        ].compactMap(\.self).min()
    }

    /// Bytes that a computing thread maps without touching them: OpenBLAS's buffer (128 MiB), allocator arena and
    /// stack. OpenBLAS hangs if it cannot map its buffer.
    package static let addressSpacePerThread = 256 << 20

    /// Bytes that can still be mapped; `nil` if unlimited.
    package static var addressSpaceLeft: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < Int.max,
            let used = text(of: "/proc/self/statm")?.split(separator: " ").first.flatMap({ Int($0) })
        else { return nil }
        return max(0, Int(limit.rlim_cur) - used * Int(sysconf(Int32(_SC_PAGESIZE))))
    }

    /// The limit of the main thread's stack and, unless they choose another, of all others, in bytes; `nil` if unlimited.
    package static var stackLimit: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &limit) == 0, limit.rlim_cur < Int.max else {
            return nil
        }
        return Int(limit.rlim_cur)
    }

    /// The minimum over this process's control group and its ancestors.
    private static var controlGroups: Int? {
        guard let own = text(of: "/proc/self/cgroup").flatMap(controlGroup) else { return nil }
        var folder = own
        var minimum: Int?
        while true {
            let root = "/sys/fs/cgroup" + folder
            if let limit = text(of: root + "/memory.max"), let used = text(of: root + "/memory.current"),
                let left = left(limit: limit, used: used, statistics: text(of: root + "/memory.stat") ?? "")
            {
                minimum = min(minimum ?? left, left)
            }
            guard let slash = folder.lastIndex(of: "/") else { return minimum }
            folder = String(folder[..<slash])
        }
    }

    /// Free and reclaimable memory including swap, in bytes, from the text of `/proc/meminfo`.
    package static func machine(_ text: String) -> Int? {
        guard let memory = kibibytes("MemAvailable", in: text), memory < Int.max >> 12 else { return nil }
        return (memory + min(kibibytes("SwapFree", in: text) ?? 0, Int.max >> 12)) * 1024
    }

    /// The machine's memory, and what is available of it without swapping, in bytes.
    package static var ofMachine: (total: Int, available: Int)? {
        guard let text = text(of: "/proc/meminfo"), let total = kibibytes("MemTotal", in: text),
            let available = kibibytes("MemAvailable", in: text)
        else { return nil }
        return (total * 1024, available * 1024)
    }

    private static func kibibytes(_ name: String, in text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(separator: " ").dropFirst().first
            .flatMap { Int($0) }
    }

    /// The control group's path from the text of `/proc/self/cgroup` (version 2: the line `0::/path`), without a
    /// trailing slash.
    package static func controlGroup(_ text: String) -> String? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        let path = line.dropFirst(3)
        return path == "/" ? "" : String(path)
    }

    /// Available bytes in a control group; `nil` if it has no limit. Page cache is counted as used by the kernel but
    /// reclaimed on demand.
    package static func left(limit: String, used: String, statistics: String) -> Int? {
        func number(_ text: some StringProtocol) -> Int? { text.split(separator: "\n").first.flatMap { Int($0) } }
        guard let limit = number(limit), let used = number(used) else { return nil }
        let files = statistics.split(separator: "\n").first { $0.hasPrefix("file ") }.flatMap {
            number($0.dropFirst(5))
        }
        return max(0, limit - max(0, used - (files ?? 0)))
    }

    /// The text of a file in `/proc` or `/sys`, whose size is unknown before it is read; at most 64 KiB.
    package static func text(of path: String) -> String? {
        (try? DiskAccess.contents(of: FilePath(path), atMost: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The memory used by this process.
package enum ProcessMemory {
    /// The peak resident size.
    package static var peakBytes: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    /// The current resident size; 0 if unknown.
    package static var residentBytes: Int {
        let pages = SystemMemory.text(of: "/proc/self/statm")?.split(separator: " ").dropFirst().first
        return pages.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } ?? 0
    }
}
