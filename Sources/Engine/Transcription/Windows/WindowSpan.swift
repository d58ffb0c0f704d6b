/// Where a window lies in its recording.
package struct WindowSpan: Hashable, Sendable {
    /// Frames of 10 ms of a full window: 30 s.
    package static let fullFrames = 3000

    /// First frame.
    package let seek: Int
    /// Frames of sound in it.
    package let frames: Int
    /// Frames of the recording.
    package let contentFrames: Int

    package init(seek: Int, frames: Int, contentFrames: Int) {
        self.seek = seek
        self.frames = frames
        self.contentFrames = contentFrames
    }

    /// Seconds.
    package var start: Double { Double(seek) / 100 }
    package var duration: Double { Double(frames) / 100 }
    /// Where a full window would end, whatever it holds.
    package var fullEnd: Double { Double(seek + Self.fullFrames) / 100 }
    package var contentDuration: Double { Double(contentFrames) / 100 }
}
