import CMalloc
import WhisperEngine

/// How this program uses the C library's heap.
enum MemoryPolicy {
    /// Blocks of 256 KiB and more go back to the system as soon as they are freed.
    ///
    /// Left to itself the heap raises that limit with the first window's buffers, keeps them, and fragments: on a
    /// recording of 25 minutes the resident size grew by 15 to 50 MB, with the fixed limit by 4.
    static func apply() {
        mallopt(M_MMAP_THRESHOLD, 256 << 10)
        // A heap for each thread reserves 64 MiB at once; where that is refused each block takes a page of its own.
        if SystemMemory.addressSpaceLeft != nil { mallopt(M_ARENA_MAX, 1) }
    }
}
