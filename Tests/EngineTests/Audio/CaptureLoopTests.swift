import Synchronization
import Testing
import WhisperEngine

@Suite("Capture loop")
struct CaptureLoopTests {
    typealias Step = ScriptedDevice.Step
    let world = ScriptedDevice.World()

    /// Runs the loop to its end, each opening giving the next of these.
    ///
    /// - Returns: what was told, samples as their count.
    func run(
        names: [String] = ["mic"], _ openings: [Result<ScriptedDevice, CaptureError>],
        sleeping: @escaping @Sendable (CaptureChannel) -> Void = { _ in }
    ) -> [String] {
        var openings = openings
        let loop = CaptureLoop(world.link, names: names, time: world.captureClock(sleeping: sleeping)) {
            [world] name throws(CaptureError) in
            world.note("open \(name) at \(world.time / .seconds(1))")
            guard !openings.isEmpty else { throw .unknownDevice(name, known: []) }
            return try openings.removeFirst().get()
        }
        loop.run()
        return told()
    }

    func told() -> [String] {
        var told: [String] = []
        while let event = world.link.next(least: 1) {
            if case .samples(let samples) = event { told.append("\(samples.count)") } else { told.append("\(event)") }
        }
        return told
    }

    func device(_ steps: Step..., resumes: [CaptureFault?] = []) -> Result<ScriptedDevice, CaptureError> {
        .success(ScriptedDevice("mic", world, steps: steps, resumes: resumes))
    }

    var openings: [String] { world.calls.filter { $0.hasPrefix("open") } }

    @Test("what is there is read, and the device is closed at the end")
    func plain() {
        #expect(run([device(.sound(320), .sound(1000), .sound(7))]) == ["1327"])
        #expect(world.calls == ["open mic at 0.0", "start", "close"])
        #expect(world.link.ending == .stopped)
        #expect(world.link.device == "mic")
    }

    @Test("stop reads what the device still holds")
    func drain() {
        #expect(run([device(.sound(320), .act { $0.control.stop() }, .sound(5))]) == ["320"])
        let other = ScriptedDevice.World()
        let device = ScriptedDevice("mic", other, steps: [.sound(2000)])
        let loop = CaptureLoop(other.link, names: ["mic"], time: other.captureClock()) { _ in device }
        // Stopped while the first 320 samples are being read.
        _ = try? device.wait(milliseconds: 0)
        other.link.control.stop()
        loop.run()
        #expect(other.link.ring.written == 2000)
    }

    @Test("after an overrun it goes on, and the time without sound is told as lost")
    func overrun() {
        let steps = device(.sound(320), .absence(.milliseconds(1500)), .fault(.overrun), .sound(640))
        #expect(run([steps]) == ["320", "overrun(lostSamples: 24000)", "640"])
        #expect(world.calls == ["open mic at 0.0", "start", "prepare", "start", "close"])
    }

    @Test("after a machine's sleep the device is resumed", arguments: [0, 1, 7])
    func suspended(refusals: Int) {
        let resumes = Array(repeating: CaptureFault.again as CaptureFault?, count: refusals)
        let steps = device(
            .sound(320), .absence(.seconds(60)), .fault(.suspended), .sound(320), resumes: resumes)
        let lost = 16_000 * 60 + refusals * 1600
        #expect(run([steps]) == ["320", "overrun(lostSamples: \(lost))", "320"])
        #expect(world.calls.filter { $0 == "resume" }.count == refusals + 1)
        #expect(!world.calls.contains("prepare"))
    }

    @Test("a device that cannot resume is prepared anew")
    func resumeFails() {
        let steps = device(.sound(320), .fault(.suspended), .sound(320), resumes: [.gone(code: 38)])
        #expect(run([steps]) == ["320", "overrun(lostSamples: 0)", "320"])
        #expect(world.calls == ["open mic at 0.0", "start", "resume", "prepare", "start", "close"])
    }

    @Test("a lost device is opened again after pauses that double up to 8 s, and the clock stands still")
    func lost() {
        let failures = Array(
            repeating: Result<ScriptedDevice, CaptureError>.failure(.unknownDevice("mic", known: [])), count: 5)
        let told = run([device(.sound(320), .fault(.gone(code: 5)))] + failures + [device(.sound(640))])
        #expect(told == ["320", "deviceLost(reason: \"went away\")", "deviceBack", "640"])
        let start = 0.02
        let times = [0, 0.5, 1.5, 3.5, 7.5, 15.5, 23.5].map { $0 == 0 ? 0 : $0 + start }
        #expect(openings == times.map { "open mic at \($0)" })
    }

    @Test("one that does not come back within 30 s is lost for good")
    func lostForGood() {
        #expect(run([device(.fault(.gone(code: 5)))]) == ["deviceLost(reason: \"went away\")"])
        #expect(world.link.ending == .failed(.lost("mic", reason: "went away", seconds: 30)))
        #expect(openings.last == "open mic at 30.0")
    }

    @Test("a loss can be stopped")
    func stopWhileLost() {
        let told = run([device(.sound(320), .fault(.gone(code: 5)))]) { $0.control.stop() }
        #expect(told == ["320", "deviceLost(reason: \"went away\")"])
        #expect(world.link.ending == .stopped)
        #expect(openings.count == 1)
    }

    @Test("no sound for 2 s is told once, until there was some again")
    func stalled() {
        let quiet = Array(repeating: Step.quiet, count: 9)
        let steps =
            [.sound(320)] + Array(repeating: Step.quiet, count: 3) + [.sound(320)] + quiet + [.sound(320)] + quiet
        let told = run([.success(ScriptedDevice("mic", world, steps: steps))])
        #expect(told == ["640", "stalled", "320", "stalled"])
        #expect(openings.count == 1)
    }

    @Test("no sound for 10 s opens the device anew, without a word when that works")
    func reopened() {
        let quiet = ScriptedDevice("mic", world, steps: Array(repeating: .quiet, count: 40))
        #expect(
            run([.success(quiet), device(.quiet, .quiet, .quiet, .quiet, .quiet, .sound(320))]) == ["stalled", "320"])
        #expect(openings == ["open mic at 0.0", "open mic at 10.0"])
    }

    @Test("where the silent device cannot be opened it is lost")
    func silentAndGone() {
        let quiet = ScriptedDevice("mic", world, steps: Array(repeating: .quiet, count: 40))
        let told = run([.success(quiet), .failure(.failed("mic", detail: "")), device(.sound(320))])
        #expect(told == ["stalled", "deviceLost(reason: \"gives no sound\")", "deviceBack", "320"])
    }

    @Test("a program that was put aside for a minute has not heard a minute of silence")
    func putAside() {
        #expect(run([device(.sound(320), .absence(.seconds(60)), .quiet, .sound(320))]) == ["640"])
    }

    @Test("sound that a device did not keep while the program was put aside is told as lost")
    func putAsideAndLost() {
        let after = Array(repeating: Step.sound(320), count: 20)
        let steps = [.sound(320), .absence(.seconds(3))] + after
        let told = run([.success(ScriptedDevice("mic", world, steps: steps))])
        // A quarter of a second of sound tells that it does not come any more.
        #expect(told == ["4480", "overrun(lostSamples: 48000)", "2240"])
    }

    @Test("sound that it did keep is not", arguments: [48_000, 41_000])
    func putAsideAndKept(kept: Int) {
        let after = Array(repeating: Step.sound(320), count: 40)
        let steps = [.sound(320), .absence(.seconds(3)), .kept(kept)] + after
        let told = run([.success(ScriptedDevice("mic", world, steps: steps))])
        #expect(told == ["\(320 + kept + 40 * 320)"])
    }

    @Test("a pause stops the device; what is said meanwhile is gone, what was said before is not")
    func pause() {
        let turns = Mutex(0)
        let steps = device(
            .sound(320), .act { $0.control.pause() }, .sound(320))
        let told = run([steps]) { link in
            turns.withLock { $0 += 1 }
            if turns.withLock({ $0 }) == 100 { link.control.resume() }
        }
        #expect(told == ["640"])
        #expect(world.calls == ["open mic at 0.0", "start", "drop", "prepare", "start", "close"])
        #expect(turns.withLock { $0 } == 100)
    }

    @Test("a device that only overruns is lost")
    func onlyOverruns() {
        let steps = Array(repeating: Step.fault(.overrun), count: 50)
        let told = run([.success(ScriptedDevice("mic", world, steps: steps)), device(.sound(320))])
        #expect(told == ["deviceLost(reason: \"went away\")", "deviceBack", "320"])
        #expect(world.calls.filter { $0 == "prepare" }.count == 20)
    }

    @Test("when nobody listens, what does not fit stays with the device")
    func fullRing() {
        let heard = Mutex<[Float]>([])
        let steps = Array(repeating: Step.sound(320), count: 1000)
        _ = run([.success(ScriptedDevice("mic", world, steps: steps))]) { link in
            guard case .samples(let samples)? = link.next(least: 1) else { return }
            heard.withLock { $0 += samples }
        }
        let count = heard.withLock { $0.count }
        #expect(count >= 320_000 - 65_536)
        #expect(heard.withLock { $0 } == (0..<count).map { Float(Int16(truncatingIfNeeded: $0)) / 32_768 })
    }

    @Test("the usual devices are tried in their order")
    func usual() {
        let names = ["default", "pulse", "pipewire"]
        let told = run(
            names: names,
            [
                .failure(.unknownDevice("default", known: [])), .failure(.serverNotRunning("pulse", seconds: 0)),
                device(.sound(1)),
            ])
        #expect(told == ["1"])
        #expect(openings == names.map { "open \($0) at 0.0" })
    }

    @Test("where none is there, all that were looked for are named")
    func none() {
        _ = run(names: ["default", "pulse"], [])
        #expect(world.link.ending == .failed(.noMicrophone(tried: ["default", "pulse"])))
    }

    @Test(
        "one that is busy or closed is told at once",
        arguments: [CaptureError.busy("default"), .notPermitted("default")])
    func refused(error: CaptureError) {
        _ = run(names: ["default", "pulse"], [.failure(error)])
        #expect(world.link.ending == .failed(error))
        #expect(openings.count == 1)
    }

    @Test("a named sound server that starts is waited for, 10 s at most")
    func server() {
        let failure = Result<ScriptedDevice, CaptureError>.failure(.serverNotRunning("pulse", seconds: 0))
        let told = run(names: ["pulse"], Array(repeating: failure, count: 5) + [device(.sound(320))])
        #expect(told == ["320"])
        let other = CaptureLoopTests()
        _ = other.run(names: ["pulse"], Array(repeating: failure, count: 100))
        #expect(other.world.link.ending == .failed(.serverNotRunning("pulse", seconds: 10)))
    }
}
