import Synchronization
import WhisperEngine

/// A device that does what it is told to, and the time that it does it in.
final class ScriptedDevice: CaptureDevice {
    enum Step {
        /// So many samples take the time that they last.
        case sound(Int)
        /// So many, at once.
        case kept(Int)
        /// Half a second without any.
        case quiet
        /// Time that passes before the next step without anybody asking.
        case absence(Duration)
        case fault(CaptureFault)
        case act(@Sendable (CaptureChannel) -> Void)
    }

    /// What outlives a device: the time, what was called, and the number of the next sample.
    final class World: Sendable {
        struct State {
            var time = Duration.zero
            var calls: [String] = []
            var nextSample = 0
        }
        let state = Mutex(State())
        let link = CaptureChannel()

        var calls: [String] { state.withLock(\.calls) }
        var time: Duration { state.withLock(\.time) }
        func pass(_ duration: Duration) { state.withLock { $0.time += duration } }
        func note(_ call: String) { state.withLock { $0.calls.append(call) } }

        /// - Parameter sleeping: what happens when the thread sleeps.
        func captureClock(sleeping: @escaping @Sendable (CaptureChannel) -> Void = { _ in }) -> CaptureClock {
            CaptureClock(
                now: { [self] in time },
                sleep: { [self] duration in
                    pass(duration)
                    sleeping(link)
                })
        }
    }

    let name: String
    private let world: World
    private var steps: [Step]
    private var resumes: [CaptureFault?]
    private var pending = 0

    init(_ name: String, _ world: World, steps: [Step], resumes: [CaptureFault?] = []) {
        (self.name, self.world, self.steps, self.resumes) = (name, world, steps, resumes)
    }

    func start() { world.note("start") }
    func prepare() { world.note("prepare") }
    func close() { world.note("close") }

    func drop() {
        pending = 0
        world.note("drop")
    }

    func resume() throws(CaptureFault) {
        world.note("resume")
        if !resumes.isEmpty, let fault = resumes.removeFirst() { throw fault }
    }

    /// Stops when the script has ended.
    func wait(milliseconds: Int32) throws(CaptureFault) -> Bool {
        while pending == 0 {
            guard !steps.isEmpty else {
                world.link.control.stop()
                return false
            }
            switch steps.removeFirst() {
            case .sound(let count):
                world.pass(.seconds(1) * count / 16_000)
                pending = count
            case .kept(let count): pending = count
            case .quiet:
                world.pass(.milliseconds(Int(milliseconds)))
                return false
            case .absence(let time): world.pass(time)
            case .fault(let fault): throw fault
            case .act(let action):
                action(world.link)
                return false
            }
        }
        return true
    }

    func read(into buffer: inout [Int16]) throws(CaptureFault) -> Int {
        guard pending > 0 else { throw .again }
        let count = min(buffer.count, pending)
        pending -= count
        world.state.withLock { state in
            for index in 0..<count { buffer[index] = Int16(truncatingIfNeeded: state.nextSample + index) }
            state.nextSample += count
        }
        return count
    }

    var delay: Int { pending }
}
