import Foundation
import Synchronization
import Testing

@Suite("Worker pool")
struct WorkerPoolTests {
    @Test("each part of many short jobs runs exactly once", arguments: [1, 2, 3, 5])
    func everyPart(threads: Int) {
        let pool = WorkerPool(threads: threads)
        for job in 0..<5000 {
            let parts = job % 11
            let done = Mutex([Int](repeating: 0, count: parts))
            pool.run(parts: parts) { part in done.withLock { $0[part] += 1 } }
            #expect(done.withLock { $0.allSatisfy { $0 == 1 } })
        }
    }

    @Test("the caller sees the parts' writes without locking")
    func visibility() throws {
        let pool = WorkerPool(threads: 2)
        let numbers = try Tensor(count: 64)
        for job in 0..<20_000 {
            pool.run(parts: 4) { part in numbers.fill((part * 16)..<(part * 16 + 16), with: Float(job)) }
            if numbers.values(0..<64) != [Float](repeating: Float(job), count: 64) { Issue.record("job \(job)") }
        }
    }

    @Test("several threads can use the pool at once")
    func severalCallers() {
        let pool = WorkerPool(threads: 2)
        let total = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: 4) { caller in
            for job in 0..<2000 {
                let sum = Atomic<Int>(0)
                pool.run(parts: 2 + job % 5) { part in sum.add(part + 1, ordering: .relaxed) }
                let parts = 2 + job % 5
                if sum.load(ordering: .relaxed) != parts * (parts + 1) / 2 {
                    Issue.record("caller \(caller), job \(job)")
                }
                total.add(1, ordering: .relaxed)
            }
        }
        #expect(total.load(ordering: .relaxed) == 8000)
    }

    @Test("sleeping workers are woken")
    func sleep() {
        let pool = WorkerPool(threads: 3)
        for job in 0..<200 {
            // Shorter and longer than the workers spin before they sleep.
            usleep(UInt32(job % 20) * 100)
            let sum = Atomic<Int>(0)
            pool.run(parts: 6) { part in sum.add(1 << part, ordering: .relaxed) }
            #expect(sum.load(ordering: .relaxed) == 63)
        }
    }

    @Test("both threads run parts")
    func bothWork() {
        let pool = WorkerPool(threads: 2, recognitions: { 1 })
        let seen = Mutex(Set<UInt>())
        for _ in 0..<200 where seen.withLock({ $0.count }) < 2 {
            pool.run(parts: 8) { _ in
                usleep(200)
                seen.withLock { _ = $0.insert(pthread_self()) }
            }
        }
        #expect(seen.withLock { $0.count } == 2)
    }

    @Test("as many recognitions as threads stay on their own threads")
    func ownThreads() {
        let pool = WorkerPool(threads: 2, recognitions: { 2 })
        let caller = pthread_self()
        for _ in 0..<50 {
            pool.run(parts: 8) { _ in
                usleep(20)
                #expect(pthread_self() == caller)
            }
        }
    }

    @Test("two recognitions on four threads get two each")
    func groups() {
        let pool = WorkerPool(threads: 4, recognitions: { 2 })
        let counts = Mutex([Int]())
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            for _ in 0..<50 {
                let seen = Mutex(Set<UInt>())
                pool.run(parts: 8) { _ in
                    usleep(50)
                    seen.withLock { _ = $0.insert(pthread_self()) }
                }
                counts.withLock { $0.append(seen.withLock(\.count)) }
            }
        }
        #expect(counts.withLock { $0.max() ?? 0 } <= 2)
    }

    @Test("recognitions may begin and end at any time")
    func changingGroups() {
        let recognitions = Atomic<Int>(1)
        let pool = WorkerPool(threads: 3, recognitions: { recognitions.load(ordering: .relaxed) })
        DispatchQueue.concurrentPerform(iterations: 3) { caller in
            for job in 0..<1000 {
                recognitions.store(1 + (job / 7 + caller) % 4, ordering: .relaxed)
                if job % 100 == 99 { usleep(1000) }
                let sum = Atomic<Int>(0)
                pool.run(parts: 6) { part in sum.add(1 << part, ordering: .relaxed) }
                if sum.load(ordering: .relaxed) != 63 { Issue.record("caller \(caller), job \(job)") }
            }
        }
    }

    @Test("deallocating the pool ends its threads, whether spinning or sleeping")
    func end() async {
        await #expect(processExitsWith: .success) {
            func threads() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            }
            let before = threads()
            for round in 0..<300 {
                let pool = WorkerPool(threads: 4)
                if round % 3 > 0 { pool.run(parts: 4) { _ in } }
                if round % 3 > 1 { usleep(1000) }
            }
            exit(threads() <= before ? 0 : 1)
        }
    }
}
