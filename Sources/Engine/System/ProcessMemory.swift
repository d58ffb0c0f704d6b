import Glibc

/// Memory of this process.
public enum ProcessMemory {
    /// Greatest resident size so far.
    public static var peakBytes: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    /// Resident size now; 0 where the system does not tell it.
    public static var residentBytes: Int {
        let pages = SystemMemory.text(of: "/proc/self/statm")?.split(separator: " ").dropFirst().first
        return pages.flatMap { Int($0) }.map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) } ?? 0
    }
}
