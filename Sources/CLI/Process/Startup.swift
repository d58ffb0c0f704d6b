import CMalloc
import WhisperEngine

/// What happens before the first command-line argument is read.
enum Startup {
    /// Tunes the C library's heap so that blocks of 256 KiB and more go back to the system as soon as they are freed.
    ///
    /// By default the heap raises that limit with the first window's buffers, keeps them, and fragments: on a recording
    /// of 25 minutes the resident size grew by 15 to 50 MB; with a fixed limit it grew by 4 MB.
    static func configureHeap() {
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
        // Each thread's heap reserves 64 MiB; if the system refuses that, every block takes a whole page.
        if SystemMemory.addressSpaceLeft != nil { mallopt(M_ARENA_MAX, 1) }
    }

    /// Address space for the stacks and heaps of the runtime's first threads; with less it would hang.
    private static let minimumAddressSpace = 48 << 20

    /// Of the stacks of all threads; with 64 KiB, recognition crashes.
    private static let minimumStack = 256 << 10

    /// Files that a command may have open at the same time: recordings, models, libraries, a database with its journal, and
    /// what the runtime opens.
    private static let minimumFiles = 16

    /// Checks what all commands need, except those that only print a text.
    static func checkFilesAndClock() throws(ErrorReport) {
        if let seconds = WallTime.clockOutOfRange {
            throw ErrorReport(
                .tryAgain, "the system clock is wrong: \(seconds) seconds after 1970 is not in the years 1 to 9998",
                advice: "set the clock (timedatectl set-time)")
        }
        guard StandardStreams.hasFreeDescriptors(minimumFiles) else {
            throw ErrorReport(
                .tryAgain, "the limit on open files is too low: at least \(minimumFiles) more are needed",
                advice: "raise the limit (ulimit -n), or close other programs")
        }
    }

    /// Checks the resources that the Swift runtime needs, because it hangs or traps without saying what is missing.
    static func checkResources() throws(ErrorReport) {
        guard StandardStreams.hasFreeDescriptors(4) else {
            throw ErrorReport(
                .tryAgain, "no free file descriptors", advice: "close other programs, or raise the limit (ulimit -n)")
        }
        if let stack = SystemMemory.stackLimit, stack < minimumStack {
            throw ErrorReport(
                .tryAgain,
                "the limit on the stack size is too low: \(stack >> 10) KiB, at least \(minimumStack >> 10) are needed",
                advice: "raise the limit (ulimit -s)")
        }
        if let available = SystemMemory.addressSpaceLeft, available < minimumAddressSpace {
            throw ErrorReport(
                .tryAgain, "not enough memory to start: only \(available >> 20) MiB of address space left",
                advice: "raise the limit (ulimit -v)")
        }
        // The runtime reads it at some point to examine its threads, and traps if it is missing.
        if case .failure = FileSystem.contents(of: FilePath("/proc/self/stat"), atMost: 1 << 16) {
            throw ErrorReport(
                .tryAgain, "/proc is not mounted, and the Swift runtime requires it",
                advice: "mount it (mount -t proc proc /proc)")
        }
    }
}
