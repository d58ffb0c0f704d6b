/// A scaled log-mel spectrogram whose windows are computed on demand.
package protocol WindowSpectrogram: AnyObject {
    /// The number of frames with audio.
    var contentFrames: Int { get }

    /// Returns the scaled log-mel spectrogram of `frames` as `[frames, bands]`; frames after the end are silence.
    func logMel(_ frames: Range<Int>) throws -> [Float]
}
