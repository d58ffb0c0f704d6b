import Glibc

/// Memory of this process.
public enum ProcessMemory {
    /// Greatest resident size so far.
    public static var peakBytes: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }
}
