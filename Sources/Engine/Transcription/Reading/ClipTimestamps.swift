/// The stretches of a recording that are recognized, and the walk through them.
package struct ClipTimestamps: Hashable, Sendable {
    /// Frames of 10 ms, the end not included; one that ends at its start or before is empty.
    package struct Clip: Hashable, Sendable {
        package let start: Int
        package let end: Int
    }

    /// In the order given; they may overlap, be empty and go back.
    package let clips: [Clip]
    private var index = 0

    /// - Parameters:
    ///   - seconds: start, end, start, end …; none is the whole recording, a last start without an end runs to the
    ///     end of the recording. Numbers outside the recording are limited to it; the reference would decode for ever
    ///     behind its end.
    ///   - contentFrames: frames of the recording.
    package init(_ seconds: [Double], contentFrames: Int) {
        var points = seconds.map { min(max(TimeRounding.frame(at: $0), 0), contentFrames) }
        if points.isEmpty { points = [0] }
        if points.count % 2 == 1 { points.append(contentFrames) }
        clips = stride(from: 0, to: points.count, by: 2).map { Clip(start: points[$0], end: points[$0 + 1]) }
    }

    /// Where the first clip starts.
    package var start: Int { clips[0].start }

    /// The end of the clip that the position is in; `nil` behind the last.
    ///
    /// - Parameter position: moved to the start of the next clip where the current one is over, also backwards.
    package mutating func end(from position: inout Int) -> Int? {
        while index < clips.count {
            position = max(position, clips[index].start)
            if position < clips[index].end { return clips[index].end }
            index += 1
            if index < clips.count { position = clips[index].start }
        }
        return nil
    }
}
