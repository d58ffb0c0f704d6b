/// Detects speech by its level above the noise floor, in 20 ms frames. All arithmetic is in double precision.
package struct EnergyDetector: VoiceActivityDetector {
    /// A frame starts speech at this many decibels above the noise floor, and at this level at least.
    private static let onset = (aboveNoise: 6.0, minimum: -55.0)
    /// Lower thresholds within speech (hysteresis), so that the quiet end of a word does not end it.
    private static let hold = (aboveNoise: 3.0, minimum: -58.0)
    /// Speech opens with three voiced frames out of five.
    private static let (recentFrames, requiredFrames) = (5, 3)
    /// A frame may be reported as voiced this many frames later.
    static let maxDelayFrames = recentFrames - 1
    /// Pre-roll before the first voiced frame: 300 ms.
    private static let preRollFrames = 15
    /// At most 200 ms of the silence that ends speech are kept.
    private static let maxPadFrames = 10

    private var meter = FrameLevelMeter()
    private var noise = NoiseFloor()
    /// Whether each of the last frames exceeded the onset threshold, oldest first.
    private var recent: [Bool] = []
    private var frames = 0
    private var samples = 0
    /// The sample at which the last speech ended.
    private var lastEnd = 0
    private var lastVoicedFrame = 0
    private var silentFrames = 0
    /// Speech closes after this many frames that are not voiced, by default after 500 ms.
    private var hangoverFrames = 25

    package private(set) var isSpeech = false
    /// The noise floor of the last frame, in dB relative to full scale.
    private(set) var noiseFloor = -Double.infinity

    package init() {}

    package mutating func feed(_ samples: [Float]) -> [VoiceActivityEvent] {
        var events: [VoiceActivityEvent] = []
        var position = 0
        while let level = meter.nextFrame(of: samples, from: &position) {
            process(level, events: &events)
            frames += 1
        }
        self.samples += samples.count
        return events
    }

    package mutating func finish() -> [VoiceActivityEvent] {
        guard isSpeech else { return [] }
        return [close(at: samples)]
    }

    /// Open speech stays open.
    package mutating func reset() {
        meter.reset()
        noise = NoiseFloor()
        recent = []
    }

    package mutating func setEndSilence(_ samples: Int) {
        hangoverFrames = max(1, (samples + FrameLevelMeter.frameSamples / 2) / FrameLevelMeter.frameSamples)
    }

    package mutating func setThreshold(_ probability: Float) {}

    private mutating func process(_ level: Double, events: inout [VoiceActivityEvent]) {
        let noise = noise.update(with: level)
        noiseFloor = noise
        recent.append(level > max(noise + Self.onset.aboveNoise, Self.onset.minimum))
        if recent.count > Self.recentFrames { recent.removeFirst() }
        if !isSpeech {
            if recent.count(where: \.self) >= Self.requiredFrames { open(events: &events) }
        } else if level > max(noise + Self.hold.aboveNoise, Self.hold.minimum) {
            markVoiced(frames, events: &events)
        } else {
            silentFrames += 1
            if silentFrames >= hangoverFrames {
                let padFrames = min(Self.maxPadFrames, hangoverFrames)
                events.append(close(at: Self.start(of: lastVoicedFrame + 1 + padFrames)))
            }
        }
    }

    private mutating func open(events: inout [VoiceActivityEvent]) {
        isSpeech = true
        let first = frames - (Self.recentFrames - 1) - Self.preRollFrames
        events.append(.opened(at: max(Self.start(of: first), lastEnd)))
        let oldest = frames - recent.count + 1
        for (index, isVoiced) in recent.enumerated() where isVoiced { markVoiced(oldest + index, events: &events) }
    }

    private mutating func markVoiced(_ frame: Int, events: inout [VoiceActivityEvent]) {
        lastVoicedFrame = frame
        silentFrames = 0
        // If speech was closed in mid-frame, the first part of the frame belongs to it.
        events.append(.voiced(max(Self.start(of: frame), lastEnd)..<Self.start(of: frame + 1)))
    }

    private mutating func close(at sample: Int) -> VoiceActivityEvent {
        isSpeech = false
        recent = []
        lastEnd = sample
        return .closed(at: sample)
    }

    private static func start(of frame: Int) -> Int { frame * FrameLevelMeter.frameSamples }
}
