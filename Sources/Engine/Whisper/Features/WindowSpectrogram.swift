/// A scaled log-mel spectrogram whose windows are computed on demand.
package protocol WindowSpectrogram: AnyObject {
    /// Number of 10 ms frames of audio.
    var contentFrames: Int { get }

    /// Returns the scaled log-mel spectrogram of `frames` as `[frames, bands]`; frames after the end are silence.
    func logMel(_ frames: Range<Int>) throws -> [Float]
}
