import Synchronization

/// A capture device that follows a script, with a simulated clock.
final class ScriptedDevice: CaptureDevice {
    enum Step {
        /// Delivers samples in real time.
        case samples(Int)
        /// Delivers buffered samples at once.
        case buffered(Int)
        /// Waits until the timeout, without samples.
        case quiet
        /// Lets time pass in which the device is not read.
        case absence(Duration)
        case fault(CaptureFault)
        case act(@Sendable (CaptureChannel) -> Void)
    }

    /// The state that outlives a device: the time, the calls made, and the number of the next sample.
    final class World: Sendable {
        struct State {
            var time = Duration.zero
            var calls: [String] = []
            var nextSample = 0
        }
        let state = Mutex(State())
        let channel = CaptureChannel()

        var calls: [String] { state.withLock(\.calls) }
        var time: Duration { state.withLock(\.time) }
        func pass(_ duration: Duration) { state.withLock { $0.time += duration } }
        func note(_ call: String) { state.withLock { $0.calls.append(call) } }

        /// - Parameter sleeping: called when the thread sleeps.
        func captureClock(sleeping: @escaping @Sendable (CaptureChannel) -> Void = { _ in }) -> CaptureClock {
            CaptureClock(
                now: { [self] in time },
                sleep: { [self] duration in
                    pass(duration)
                    sleeping(channel)
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

    /// Stops capturing at the end of the script.
    func wait(milliseconds: Int32) throws(CaptureFault) -> Bool {
        while pending == 0 {
            guard !steps.isEmpty else {
                world.channel.control.stop()
                return false
            }
            switch steps.removeFirst() {
            case .samples(let count):
                world.pass(.seconds(1) * count / 16_000)
                pending = count
            case .buffered(let count): pending = count
            case .quiet:
                world.pass(.milliseconds(Int(milliseconds)))
                return false
            case .absence(let time): world.pass(time)
            case .fault(let fault): throw fault
            case .act(let action):
                action(world.channel)
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

}
