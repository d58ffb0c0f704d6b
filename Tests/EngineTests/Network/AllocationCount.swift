import Glibc
import Synchronization

/// Objects of Swift's heap made while a body runs, by any thread: arrays' storage, closures' contexts, boxes, classes.
///
/// The runtime makes all of them by a function that its library lets a tool replace.
enum AllocationCount {
    private typealias Allocate = @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

    private static let count = Atomic<Int>(0)
    nonisolated(unsafe) private static var original: Allocate?

    /// - Returns: `nil` where the runtime lacks that place.
    static func during(_ body: () throws -> Void) rethrows -> Int? {
        guard let place = unsafe dlsym(nil, "_swift_allocObject"),
            let flag = unsafe dlsym(nil, "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly")
        else { return nil }
        let function = unsafe place.assumingMemoryBound(to: Allocate.self)
        let isEnabled = unsafe flag.assumingMemoryBound(to: Bool.self)
        unsafe original = unsafe function.pointee
        count.store(0, ordering: .sequentiallyConsistent)
        unsafe function.pointee = { metadata, size, alignment in
            AllocationCount.count.add(1, ordering: .relaxed)
            return unsafe AllocationCount.original?(metadata, size, alignment)
        }
        unsafe isEnabled.pointee = true
        defer {
            unsafe isEnabled.pointee = false
            if let original = unsafe original { unsafe function.pointee = unsafe original }
        }
        try body()
        return count.load(ordering: .sequentiallyConsistent)
    }
}
