import EngineTranscripts

/// The clips of a recording that are transcribed, and the current one among them.
package struct ClipTimestamps: Hashable, Sendable {
    /// 10 ms frames, excluding the end; a clip that ends at or before its start is empty.
    package struct Clip: Hashable, Sendable {
        package let start: Int
        package let end: Int
    }

    /// Number of samples in a frame.
    package static let frameSamples = 160

    /// In the given order; clips may overlap, be empty and go backwards.
    package let clips: [Clip]
    private var index = 0

    /// - Parameters:
    ///   - seconds: start, end, start, end …; an empty list is the whole recording, and a last start without an end
    ///     extends to the end of the recording. Times are limited to the recording; the reference would decode forever
    ///     after its end.
    ///   - contentFrames: frames of the recording.
    package init(_ seconds: [Double], contentFrames: Int) {
        var points = seconds.map { min(max(TimeRounding.frame(at: $0), 0), contentFrames) }
        if points.isEmpty { points = [0] }
        if points.count % 2 == 1 { points.append(contentFrames) }
        clips = stride(from: 0, to: points.count, by: 2).map { Clip(start: points[$0], end: points[$0 + 1]) }
    }

    /// The same clips in order of their start, without what an earlier one contains.
    ///
    /// - Parameter seconds: start, end, start …, as for `init`.
    package static func inOrder(_ seconds: [Double]) -> [Double] {
        let clips = stride(from: 0, to: seconds.count, by: 2).map { index -> (start: Double, end: Double) in
            let end = index + 1 < seconds.count ? seconds[index + 1] : .infinity
            return (seconds[index], end)
        }
        var ordered: [Double] = []
        for clip in clips.sorted(by: { $0.start < $1.start }) {
            let start = max(clip.start, ordered.last ?? clip.start)
            ordered += [start, max(start, clip.end)]
        }
        return ordered
    }

    /// What follows a time of clips in order of their start.
    ///
    /// - Parameter seconds: start, end, start …, as for `init`.
    package static func rest(of seconds: [Double], from time: Double) -> [Double] {
        if seconds.isEmpty { return [time] }
        let rest = stride(from: 0, to: seconds.count, by: 2).flatMap { index -> [Double] in
            guard index + 1 < seconds.count else { return [max(time, seconds[index])] }
            return seconds[index + 1] > time ? [max(time, seconds[index]), seconds[index + 1]] : []
        }
        return rest.isEmpty ? [time, time] : rest
    }

    /// Start of the first clip.
    package var start: Int { clips[0].start }

    /// Returns the end of the clip that contains the position, or `nil` after the last clip.
    ///
    /// - Parameter position: moved to the start of the next clip, forwards or backwards, when the current one is done.
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
