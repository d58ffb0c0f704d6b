import Synchronization
import Testing

@Suite("Capture loop")
struct CaptureLoopTests {
    typealias Step = ScriptedDevice.Step
    let world = ScriptedDevice.World()

    /// Runs the loop to its end; each time the device is opened, the next of `openings` is used.
    ///
    /// - Returns: the events, samples as their number.
    func run(
        names: [String] = ["mic"], _ openings: [Result<ScriptedDevice, CaptureError>],
        sleeping: @escaping @Sendable (CaptureChannel) -> Void = { _ in }
    ) -> [String] {
        var openings = openings
        let loop = CaptureLoop(world.channel, names: names, clock: world.captureClock(sleeping: sleeping)) {
            [world] name throws(CaptureError) in
            world.note("open \(name) at \(world.time / .seconds(1))")
            guard !openings.isEmpty else { throw .unknownDevice(name, known: []) }
            return try openings.removeFirst().get()
        }
        loop.run()
        return events()
    }

    func events() -> [String] {
        var events: [String] = []
        while let event = world.channel.next(minSamples: 1) {
            if case .samples(let samples) = event {
                events.append("\(samples.count)")
            } else {
                events.append("\(event)")
            }
        }
        return events
    }

    func device(_ steps: Step..., resumes: [CaptureFault?] = []) -> Result<ScriptedDevice, CaptureError> {
        .success(ScriptedDevice("mic", world, steps: steps, resumes: resumes))
    }

    var openings: [String] { world.calls.filter { $0.hasPrefix("open") } }

    @Test("available samples are read, and the device is closed at the end")
    func plain() {
        #expect(run([device(.samples(320), .samples(1000), .samples(7))]) == ["1327"])
        #expect(world.calls == ["open mic at 0.0", "start", "close"])
        #expect(world.channel.ending == .stopped)
        #expect(world.channel.device == "mic")
    }

    @Test("stop reads what the device has buffered")
    func drain() {
        #expect(run([device(.samples(320), .act { $0.control.stop() }, .samples(5))]) == ["320"])
        let other = ScriptedDevice.World()
        let device = ScriptedDevice("mic", other, steps: [.samples(2000)])
        let loop = CaptureLoop(other.channel, names: ["mic"], clock: other.captureClock()) { _ in device }
        // Stopped while the first 320 samples are being read.
        _ = try? device.wait(milliseconds: 0)
        other.channel.control.stop()
        loop.run()
        #expect(other.channel.ring.written == 2000)
    }

    @Test("capture continues after an overrun, and the time without samples is reported as lost")
    func overrun() {
        let steps = device(.samples(320), .absence(.milliseconds(1500)), .fault(.overrun), .samples(640))
        #expect(run([steps]) == ["320", "overrun(lostSamples: 24000)", "640"])
        #expect(world.calls == ["open mic at 0.0", "start", "prepare", "start", "close"])
    }

    @Test("the device is resumed after a system suspend", arguments: [0, 1, 7])
    func suspended(refusals: Int) {
        let resumes = Array(repeating: CaptureFault.again as CaptureFault?, count: refusals)
        let steps = device(
            .samples(320), .absence(.seconds(60)), .fault(.suspended), .samples(320), resumes: resumes)
        let lost = 16_000 * 60 + refusals * 1600
        #expect(run([steps]) == ["320", "overrun(lostSamples: \(lost))", "320"])
        #expect(world.calls.filter { $0 == "resume" }.count == refusals + 1)
        #expect(!world.calls.contains("prepare"))
    }

    @Test("a device that cannot resume is prepared again")
    func resumeFails() {
        let steps = device(.samples(320), .fault(.suspended), .samples(320), resumes: [.gone(code: 38)])
        #expect(run([steps]) == ["320", "overrun(lostSamples: 0)", "320"])
        #expect(world.calls == ["open mic at 0.0", "start", "resume", "prepare", "start", "close"])
    }

    @Test("a lost device is in use within half a second of its return")
    func lost() {
        let failures = Array(
            repeating: Result<ScriptedDevice, CaptureError>.failure(.unknownDevice("mic", known: [])), count: 5)
        let events = run([device(.samples(320), .fault(.gone(code: 5)))] + failures + [device(.samples(640))])
        #expect(events == ["320", "deviceLost(reason: \"went away\")", "deviceBack", "640"])
        let start = 0.02
        let times = [0, 0.5, 1, 1.5, 2, 2.5, 3].map { $0 == 0 ? 0 : $0 + start }
        #expect(openings == times.map { "open mic at \($0)" })
    }

    @Test("a device that does not return within 30 s is lost for good")
    func lostForGood() {
        #expect(run([device(.fault(.gone(code: 5)))]) == ["deviceLost(reason: \"went away\")"])
        #expect(world.channel.ending == .failed(.lost("mic", reason: "went away", seconds: 30)))
        #expect(openings.last == "open mic at 30.0")
    }

    @Test("capture can be stopped while the device is lost")
    func stopWhileLost() {
        let events = run([device(.samples(320), .fault(.gone(code: 5)))]) { $0.control.stop() }
        #expect(events == ["320", "deviceLost(reason: \"went away\")"])
        #expect(world.channel.ending == .stopped)
        #expect(openings.count == 1)
    }

    @Test("2 s without samples are reported once, until samples arrive again")
    func stalled() {
        let quiet = Array(repeating: Step.quiet, count: 9)
        let steps =
            [.samples(320)] + Array(repeating: Step.quiet, count: 3) + [.samples(320)] + quiet + [.samples(320)] + quiet
        let events = run([.success(ScriptedDevice("mic", world, steps: steps))])
        #expect(events == ["640", "stalled", "320", "stalled"])
        #expect(openings.count == 1)
    }

    @Test("the device is reopened after 10 s without samples, without a report if that succeeds")
    func reopened() {
        let quiet = ScriptedDevice("mic", world, steps: Array(repeating: .quiet, count: 40))
        #expect(
            run([.success(quiet), device(.quiet, .quiet, .quiet, .quiet, .quiet, .samples(320))]) == ["stalled", "320"])
        #expect(openings == ["open mic at 0.0", "open mic at 10.0"])
    }

    @Test("a silent device that cannot be reopened is lost")
    func silentAndGone() {
        let quiet = ScriptedDevice("mic", world, steps: Array(repeating: .quiet, count: 40))
        let events = run([.success(quiet), .failure(.failed("mic", detail: "")), device(.samples(320))])
        #expect(events == ["stalled", "deviceLost(reason: \"delivers no audio\")", "deviceBack", "320"])
    }

    @Test("time in which the process was stopped does not count as silence")
    func stoppedProcess() {
        #expect(run([device(.samples(320), .absence(.seconds(60)), .quiet, .samples(320))]) == ["640"])
    }

    @Test("samples that the device did not buffer while the process was stopped are reported as lost")
    func stoppedProcessLosesSamples() {
        let after = Array(repeating: Step.samples(320), count: 20)
        let steps = [.samples(320), .absence(.seconds(3))] + after
        let events = run([.success(ScriptedDevice("mic", world, steps: steps))])
        // It takes a quarter of a second to see that the samples do not arrive.
        #expect(events == ["4480", "overrun(lostSamples: 48000)", "2240"])
    }

    @Test("samples buffered while the process was stopped are not reported as lost", arguments: [48_000, 41_000])
    func stoppedProcessKeepsSamples(kept: Int) {
        let after = Array(repeating: Step.samples(320), count: 40)
        let steps = [.samples(320), .absence(.seconds(3)), .buffered(kept)] + after
        let events = run([.success(ScriptedDevice("mic", world, steps: steps))])
        #expect(events == ["\(320 + kept + 40 * 320)"])
    }

    @Test("pause stops the device and keeps the samples before it")
    func pause() {
        let turns = Mutex(0)
        let steps = device(
            .samples(320), .act { $0.control.pause() }, .samples(320))
        let events = run([steps]) { channel in
            turns.withLock { $0 += 1 }
            if turns.withLock({ $0 }) == 100 { channel.control.resume() }
        }
        #expect(events == ["640"])
        #expect(world.calls == ["open mic at 0.0", "start", "drop", "prepare", "start", "close"])
        #expect(turns.withLock { $0 } == 100)
    }

    @Test("a device that only overruns is lost")
    func onlyOverruns() {
        let steps = Array(repeating: Step.fault(.overrun), count: 50)
        let events = run([.success(ScriptedDevice("mic", world, steps: steps)), device(.samples(320))])
        #expect(events == ["deviceLost(reason: \"went away\")", "deviceBack", "320"])
        #expect(world.calls.filter { $0 == "prepare" }.count == 20)
    }

    @Test("samples that do not fit into the ring buffer stay in the device")
    func fullRing() {
        let received = Mutex<[Float]>([])
        let steps = Array(repeating: Step.samples(320), count: 1000)
        _ = run([.success(ScriptedDevice("mic", world, steps: steps))]) { channel in
            guard case .samples(let samples)? = channel.next(minSamples: 1) else { return }
            received.withLock { $0 += samples }
        }
        let count = received.withLock { $0.count }
        #expect(count >= 320_000 - 65_536)
        #expect(received.withLock { $0 } == (0..<count).map { Float(Int16(truncatingIfNeeded: $0)) / 32_768 })
    }

    @Test("the default devices are tried in order")
    func defaultDevices() {
        let names = ["default", "pulse", "pipewire"]
        let events = run(
            names: names,
            [
                .failure(.unknownDevice("default", known: [])), .failure(.serverNotRunning("pulse", seconds: 0)),
                device(.samples(1)),
            ])
        #expect(events == ["1"])
        #expect(openings == names.map { "open \($0) at 0.0" })
    }

    @Test("without any device, the error names all that were tried")
    func none() {
        _ = run(names: ["default", "pulse"], [])
        #expect(world.channel.ending == .failed(.noMicrophone(tried: ["default", "pulse"])))
    }

    @Test(
        "a busy or forbidden device is reported at once",
        arguments: [CaptureError.busy("default"), .notPermitted("default")])
    func refused(error: CaptureError) {
        _ = run(names: ["default", "pulse"], [.failure(error)])
        #expect(world.channel.ending == .failed(error))
        #expect(openings.count == 1)
    }

    @Test("capture waits up to 10 s for a named sound server to start")
    func server() {
        let failure = Result<ScriptedDevice, CaptureError>.failure(.serverNotRunning("pulse", seconds: 0))
        let events = run(names: ["pulse"], Array(repeating: failure, count: 5) + [device(.samples(320))])
        #expect(events == ["320"])
        let other = CaptureLoopTests()
        _ = other.run(names: ["pulse"], Array(repeating: failure, count: 100))
        #expect(other.world.channel.ending == .failed(.serverNotRunning("pulse", seconds: 10)))
    }
}
