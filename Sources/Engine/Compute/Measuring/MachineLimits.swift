import CKernels
package import EngineBasics

/// How fast this machine can compute and read at best.
package struct MachineLimits: Sendable {
    /// The speed of a format's tile instructions on numbers in registers, in 10⁹ operations per second.
    package struct Peak: Sendable {
        package let kind: TileKind
        /// The name of the instructions.
        package let instructions: String
        package let onOneCore: Double
        package let onAllThreads: Double
    }

    /// 1 if processor time is measured, which adds up that of all threads.
    package let threads: Int
    private let stopwatch: Stopwatch
    /// Of the formats that this processor has instructions for.
    package let peaks: [Peak]
    /// Read from memory, in 10⁹ bytes per second.
    package let memory: (onOneCore: Double, onAllThreads: Double)

    /// Measures them in a few seconds.
    ///
    /// - Throws: `ComputeError.outOfMemory`.
    package init(threads all: Int, _ stopwatch: Stopwatch) throws {
        let threads = stopwatch == .processor ? 1 : all
        self.threads = threads
        self.stopwatch = stopwatch
        let pool = WorkerPool(threads: threads), one = WorkerPool(threads: 1)
        peaks = TileKind.allCases.compactMap { kind in
            TileKernels(kind).map { kernels in
                Peak(
                    kind: kind, instructions: unsafe String(cString: kernels.functions.pointee.instructions),
                    onOneCore: kernels.peakGigaflops(on: one, stopwatch),
                    onAllThreads: kernels.peakGigaflops(on: pool, stopwatch))
            }
        }
        let available = SystemMemory.available(threads: threads) ?? Self.memoryBytes
        let block = try MemoryBlock(count: min(Self.memoryBytes, max(64 << 20, available / 2)))
        memory = (block.readSpeed(on: one, stopwatch), block.readSpeed(on: pool, stopwatch))
    }

    /// More than the caches of most processors keep.
    private static let memoryBytes = 1 << 30

    /// The speed of reading as many bytes again and again, which is higher if they fit in a cache; in 10⁹ bytes per second.
    ///
    /// - Throws: `ComputeError.outOfMemory`.
    package func readSpeed(bytes: Int) throws -> Double {
        if bytes >= Self.memoryBytes { return memory.onAllThreads }
        return try MemoryBlock(count: bytes).readSpeed(on: WorkerPool(threads: threads), stopwatch)
    }

    /// The least time for what operations have to do.
    ///
    /// - Parameter readSpeed: for their bytes.
    package func time(of tally: OperationTally, readSpeed: Double) -> (compute: Duration, read: Duration) {
        let compute = tally.executed.reduce(0.0) { sum, entry in
            let peak = peaks.first { $0.kind == entry.key }?.onAllThreads ?? 0
            return sum + (peak > 0 ? Double(entry.value) / peak : 0)
        }
        return (.nanoseconds(compute), .nanoseconds(readSpeed > 0 ? Double(tally.bytes) / readSpeed : 0))
    }
}

extension MemoryBlock {
    /// The speed of reading this block again and again, divided among the threads, in 10⁹ bytes per second.
    fileprivate func readSpeed(on pool: WorkerPool, _ stopwatch: Stopwatch) -> Double {
        let unit = 512, parts = pool.partsPerRun, size = max(unit, count / parts / unit * unit)
        // Until they are written to, all pages are the same one.
        for page in stride(from: 0, to: count, by: 4096) {
            unsafe base.storeBytes(of: 1, toByteOffset: page, as: UInt8.self)
        }
        // A small block many times, so that waking the threads does not matter.
        let repeats = max(1, Self.bytesPerRun / max(1, parts * size))
        guard parts * size <= count else { return 0 }
        return fastest(in: stopwatch) {
            pool.run(parts: parts) { part in
                for _ in 0..<repeats { unsafe ck_read(base + part * size, size) }
            }
            return Double(repeats * parts * size)
        }
    }

    private static let bytesPerRun = 256 << 20
}

extension TileKernels {
    /// Multiplies and adds in registers, in 10⁹ operations per second.
    fileprivate func peakGigaflops(on pool: WorkerPool, _ stopwatch: Stopwatch) -> Double {
        let rounds = 50_000, operations = unsafe Double(pool.partsPerRun * rounds) * functions.pointee.peak(1)
        return fastest(in: stopwatch) {
            pool.run(parts: pool.partsPerRun) { _ in _ = unsafe functions.pointee.peak(rounds) }
            return operations
        }
    }
}

extension WorkerPool {
    /// Several for each thread, so that threads that wake up late still do their share.
    fileprivate var partsPerRun: Int { threads == 1 ? 1 : 8 * threads }
}
