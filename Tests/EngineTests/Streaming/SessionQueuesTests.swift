import Synchronization
import Testing

@Suite("Session queues")
struct SessionQueuesTests {
    @Test("the sample queue returns samples in order, from memory and from disk")
    func samples() throws {
        for seed in 0..<UInt64(1_000) {
            var random = SplitMix64(seed: seed)
            var queue = SampleQueue(
                folders: [FilePath("/tmp")], memorySamples: Int.random(in: 0...2_000, using: &random),
                fileBytes: 1 << 20)
            var written = 0, read = 0
            var wasOnDisk = false
            while read < 20_000 {
                if Bool.random(using: &random), written < 20_000 {
                    let count = Int.random(in: 0...3_000, using: &random)
                    try queue.append(Self.ramp(written, count))
                    written += count
                } else if written > read || written >= 20_000 {
                    let samples = try queue.removeFirst(upTo: Int.random(in: 1...2_500, using: &random))
                    #expect(samples == Self.ramp(read, samples.count))
                    #expect(!samples.isEmpty || written == read)
                    read += samples.count
                    if samples.isEmpty { break }
                }
                wasOnDisk = wasOnDisk || queue.isOnDisk
                #expect(queue.count == written - read)
            }
            #expect(wasOnDisk && (queue.count > 0 || !queue.isOnDisk), "seed \(seed)")
        }
    }

    @Test("samples beyond the file size limit are rejected, and accepted ones are kept")
    func full() throws {
        var queue = SampleQueue(folders: [FilePath("/tmp")], memorySamples: 100, fileBytes: 400)
        try queue.append([Float](repeating: 0.5, count: 100))
        try queue.append([Float](repeating: 0.25, count: 200))
        #expect(throws: SampleStoreError.diskFull(FilePath("/tmp"))) { try queue.append([0]) }
        #expect(try queue.removeFirst(upTo: 1_000) == [Float](repeating: 0.5, count: 100))
        #expect(try queue.removeFirst(upTo: 1_000) == [Float](repeating: 0.25, count: 200))
        var nowhere = SampleQueue(folders: [FilePath("/nowhere/at/all")], memorySamples: 10, fileBytes: 400)
        #expect(throws: SampleStoreError.writeFailed(FilePath("/nowhere/at/all"))) {
            try nowhere.append([Float](repeating: 0, count: 11))
        }
    }

    @Test("a slow reader gets every final in order and only the newest volatile text")
    func updates() async throws {
        for seed in 0..<UInt64(1_000) {
            var random = SplitMix64(seed: seed)
            let queue = UpdateQueue()
            var state = TranscriptState()
            var finals = 0
            var newest: String?
            func read() async throws {
                guard let update = try await queue.next() else { return }
                try state.apply(update)
            }
            for turn in 0..<40 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    queue.add(.final(TranscriptSegment.planted(id: finals, isFinal: true)))
                    finals += 1
                    newest = nil
                case 2, 3:
                    var segment = TranscriptSegment.planted(id: finals, isFinal: false)
                    segment.text = " v\(turn)"
                    queue.add(.volatile(segment))
                    newest = segment.text
                case 4:
                    queue.add(.status(SessionStatus(state: .listening, clock: Double(turn), decoded: 0, lag: 0)))
                default:
                    queue.add(.volatile(nil))
                    newest = nil
                    // The reader often does not read for a while.
                    if Bool.random(using: &random) { try await read() }
                }
            }
            queue.finish(.success(()))
            while let update = try await queue.next() { try state.apply(update) }
            #expect(state.finalized.map(\.id) == Array(0..<finals), "seed \(seed)")
            #expect(state.volatile?.text == newest)
        }
        print("live updates, a slow reader: 1000 cases")
    }

    @Test("a final is stored before it is published, even if the journal often fails")
    func durable() async throws {
        var failures = 0
        for seed in 0..<UInt64(1_000) {
            var random = SplitMix64(seed: seed)
            let journal = FlakyJournal(seed: seed)
            let queue = UpdateQueue()
            let clock = TestClock()
            let publisher = UpdatePublisher(
                journal: journal, queue: queue, showsUnsaved: false, now: { clock.now })
            var published: [Int] = []
            var id = 0
            func read() async throws {
                queue.add(.status(SessionStatus(state: .listening, clock: 0, decoded: 0, lag: 0)))
                while let update = try await queue.next() {
                    if case .final(let segment) = update { published.append(segment.id) }
                    if case .status = update { break }
                }
                #expect(published.allSatisfy { journal.ids.contains($0) }, "seed \(seed)")
            }
            for _ in 0..<20 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    let count = Int.random(in: 1...3, using: &random)
                    publisher.publish(
                        .finals((id..<(id + count)).map { TranscriptSegment.planted(id: $0, isFinal: true) }))
                    id += count
                case 1: publisher.publish(.volatile(TranscriptSegment.planted(id: id, isFinal: false)))
                case 2: publisher.record(.pause, at: id * 16_000)
                default:
                    clock.advance(by: .seconds(Double.random(in: 0...2, using: &random)))
                    publisher.flush()
                }
                try await read()
            }
            failures += journal.failures
            journal.isReliable = true
            publisher.finish(isCancelled: false, clock: id * 16_000)
            try await read()
            #expect(published == Array(0..<id) && journal.ids == published && publisher.failure == nil)
            #expect(journal.texts.allSatisfy { !$0.contains("?") } && journal.isClosed)
        }
        print("live rule 7: 1000 cases, \(failures) failed writes")
    }

    private static func ramp(_ first: Int, _ count: Int) -> [Float] {
        (first..<(first + count)).map { Float($0 % 60_000 - 30_000) / 32_768 }
    }
}

/// A journal that fails at random.
final class FlakyJournal: SessionJournal {
    struct Full: Error {}
    private struct State {
        var random: SplitMix64
        var rows: [TranscriptSegment] = []
        var events: [ClockEvent] = []
        var positions: [Int] = []
        var isReliable = false
        var isClosed = false
        var failures = 0
    }
    private let state: Mutex<State>

    init(seed: UInt64, isReliable: Bool = false) {
        state = Mutex(State(random: SplitMix64(seed: seed), isReliable: isReliable))
    }

    var ids: [Int] { state.withLock { $0.rows.map(\.id) } }
    var texts: [String] { state.withLock { $0.rows.map(\.text) } }
    var rows: [TranscriptSegment] { state.withLock { $0.rows } }
    var events: [ClockEvent] { state.withLock { $0.events } }
    /// The samples at which the events occurred.
    var positions: [Int] { state.withLock { $0.positions } }
    var failures: Int { state.withLock { $0.failures } }
    var isClosed: Bool { state.withLock { $0.isClosed } }
    var isReliable: Bool {
        get { state.withLock { $0.isReliable } }
        set { state.withLock { $0.isReliable = newValue } }
    }

    func append(_ finals: [TranscriptSegment], clock: Int) throws {
        try state.withLock { state in
            if !state.isReliable, Bool.random(using: &state.random) {
                state.failures += 1
                throw Full()
            }
            state.rows += finals
        }
    }

    func record(_ event: ClockEvent, at position: Int, lostSamples: Int) throws {
        state.withLock { state in
            state.events.append(event)
            state.positions.append(position)
        }
    }

    func close(cancelled: Bool, clock: Int) throws { state.withLock { $0.isClosed = true } }
}

/// A clock that the test advances.
final class TestClock {
    private(set) var now = ContinuousClock.now
    func advance(by duration: Duration) { now += duration }
}
