/// Finds speech by its loudness above the noise, in frames of 20 ms. All arithmetic is in double precision.
public struct EnergyDetector: VoiceActivityDetector {
    /// Decibels above the noise from which a frame counts as voice, and the least level that does.
    private static let onset = (aboveNoise: 6.0, least: -55.0)
    /// The same inside speech, so that the quiet end of a word does not end it.
    private static let hold = (aboveNoise: 3.0, least: -58.0)
    /// Speech opens with three voiced frames among five.
    private static let (recentFrames, neededFrames) = (5, 3)
    /// A frame may be called voiced so many frames later.
    static let lateFrames = recentFrames - 1
    /// Kept before the first of those: 300 ms.
    private static let preRollFrames = 15
    /// Speech closes after 500 ms without voice and keeps 200 ms of them.
    private static let hangFrames = 25
    private static let padFrames = 10

    private var levels = FrameLevels()
    private var noise = NoiseFloor()
    /// Whether the last frames were loud enough to open speech, oldest first.
    private var recent: [Bool] = []
    /// Frames heard.
    private var frames = 0
    /// Samples heard.
    private var samples = 0
    /// Sample where the last speech ended.
    private var lastEnd = 0
    private var lastVoicedFrame = 0
    private var silentFrames = 0

    public private(set) var isSpeech = false

    public init() {}

    public mutating func feed(_ samples: [Float]) -> [VoiceActivityEvent] {
        var events: [VoiceActivityEvent] = []
        var position = 0
        while let level = levels.nextFrame(of: samples, from: &position) {
            hear(level, events: &events)
            frames += 1
        }
        self.samples += samples.count
        return events
    }

    public mutating func finish() -> [VoiceActivityEvent] {
        guard isSpeech else { return [] }
        return [close(at: samples)]
    }

    /// Open speech stays open.
    public mutating func reset() {
        levels.reset()
        noise = NoiseFloor()
        recent = []
    }

    private mutating func hear(_ level: Double, events: inout [VoiceActivityEvent]) {
        let noise = noise.hear(level)
        recent.append(level > max(noise + Self.onset.aboveNoise, Self.onset.least))
        if recent.count > Self.recentFrames { recent.removeFirst() }
        if !isSpeech {
            if recent.count(where: \.self) >= Self.neededFrames { open(events: &events) }
        } else if level > max(noise + Self.hold.aboveNoise, Self.hold.least) {
            hearVoice(in: frames, events: &events)
        } else {
            silentFrames += 1
            if silentFrames >= Self.hangFrames {
                events.append(close(at: Self.start(of: lastVoicedFrame + 1 + Self.padFrames)))
            }
        }
    }

    private mutating func open(events: inout [VoiceActivityEvent]) {
        isSpeech = true
        let first = frames - (Self.recentFrames - 1) - Self.preRollFrames
        events.append(.opened(at: max(Self.start(of: first), lastEnd)))
        let oldest = frames - recent.count + 1
        for (index, isVoiced) in recent.enumerated() where isVoiced { hearVoice(in: oldest + index, events: &events) }
    }

    private mutating func hearVoice(in frame: Int, events: inout [VoiceActivityEvent]) {
        lastVoicedFrame = frame
        silentFrames = 0
        // Speech that was closed in the middle of a frame has the first part of it.
        events.append(.voiced(max(Self.start(of: frame), lastEnd)..<Self.start(of: frame + 1)))
    }

    private mutating func close(at sample: Int) -> VoiceActivityEvent {
        isSpeech = false
        recent = []
        lastEnd = sample
        return .closed(at: sample)
    }

    private static func start(of frame: Int) -> Int { frame * FrameLevels.frameSamples }
}
