import EngineAudio

/// The frames of the segmentation network on the time line of the recording.
enum FrameGrid {
    static let sampleRate = Double(AudioChunk.sampleRate)
    /// Seconds from one frame to the next.
    static let step = Double(SegmentationNetwork.hop) / sampleRate
    /// By how many seconds the network reports the start and end of speech too early. Turns were 24 ms early at both
    /// ends on conversations simulated from LibriSpeech; shifts of 15 to 25 ms give the same error rate
    /// (docs/speakers.md).
    private static let delay = 0.02
    /// The middle of the samples that frame 0 depends on, and the delay.
    private static let firstCenter = 495 / sampleRate + delay

    /// The middle of a frame in seconds.
    static func center(_ frame: Int) -> Double { Double(frame * SegmentationNetwork.hop) / sampleRate + firstCenter }

    /// The start of a frame in seconds, at most the length of the recording; frame 0 begins with the recording.
    static func start(_ frame: Int, duration: Double) -> Double {
        frame == 0 ? 0 : min(duration, center(frame) - step / 2)
    }

    /// The first frame whose middle is not before `time`.
    static func firstFrame(from time: Double) -> Int {
        var frame = max(0, Int((time - firstCenter) / step) - 1)
        while center(frame) < time { frame += 1 }
        return frame
    }
}
