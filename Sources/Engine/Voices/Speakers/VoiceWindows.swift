import EngineAudio

/// Short windows over the speech of a recording, from each of which a voice vector is computed.
package struct VoiceWindows: Sendable {
    /// A stretch in which someone talks, and its windows.
    struct Region: Sendable {
        let start: Double
        let end: Double
        /// Indices of its windows.
        let windows: Range<Int>
    }

    /// Seconds.
    package struct Window: Sendable, Equatable {
        package let start: Double
        package let end: Double
        package var middle: Double { (start + end) / 2 }
    }

    private(set) var regions: [Region] = []
    package private(set) var windows: [Window] = []

    /// Length of a window and maximum distance between windows, in seconds (chosen on simulated conversations).
    private static let length = 1.2
    private static let step = 0.6
    /// Shorter gaps are closed, shorter regions dropped; seconds.
    private static let minGap = 0.2
    private static let minLength = 0.2

    /// Where the windows of a region lie.
    package enum Layout {
        /// At equal distances.
        case even
        /// The first and the last at its ends, the others at multiples of their distance from `origin`, seconds: they stay
        /// where they are while the region grows.
        case grid(origin: Double)
    }

    /// - Parameters:
    ///   - people: how many talk in each frame.
    ///   - duration: seconds of sound.
    package init(people: [UInt8], duration: Double) { self.init(people: people, duration: duration, layout: .even) }

    package init(people: [UInt8], duration: Double, layout: Layout) {
        var spans: [(start: Double, end: Double)] = [], frame = 0
        while frame < people.count {
            guard people[frame] > 0 else {
                frame += 1
                continue
            }
            let first = frame
            while frame < people.count, people[frame] > 0 { frame += 1 }
            let start = FrameGrid.start(first, duration: duration), end = FrameGrid.start(frame, duration: duration)
            if let last = spans.last, start - last.end < Self.minGap {
                spans[spans.count - 1].end = end
            } else {
                spans.append((start, end))
            }
        }
        for span in spans where span.end - span.start >= Self.minLength {
            let first = windows.count
            switch layout {
            case .even: windows += Self.windows(from: span.start, to: span.end)
            case .grid(let origin): windows += Self.windows(from: span.start, to: span.end, origin: origin)
            }
            regions.append(Region(start: span.start, end: span.end, windows: first..<windows.count))
        }
    }

    /// Evenly spread windows of equal length; a short region is one window.
    private static func windows(from start: Double, to end: Double) -> [Window] {
        let rest = end - start - length
        guard rest > 0 else { return [Window(start: start, end: end)] }
        let count = (rest / step).rounded(.up)
        return (0...Int(count)).map { index in
            let first = start + rest * Double(index) / count
            return Window(start: first, end: first + length)
        }
    }

    /// Windows on the grid, and one at each end of the region. A short region is one window.
    private static func windows(from start: Double, to end: Double, origin: Double) -> [Window] {
        let last = end - length
        guard last > start else { return [Window(start: start, end: end)] }
        // Those on the grid keep a third of the distance from the ends.
        let margin = step / 3
        var starts = [start], index = ((start + margin - origin) / step).rounded(.up)
        while origin + index * step <= last - margin {
            starts.append(origin + index * step)
            index += 1
        }
        return (starts + [last]).map { Window(start: $0, end: $0 + length) }
    }
}

extension VoiceWindows.Window {
    /// Fewer frames say nothing about a voice.
    private static let minFrames = 20

    /// The samples of the window on the grid of feature frames, within a recording followed by a second of silence.
    package func samples(of count: Int) -> Range<Int> {
        let all = KaldiFeatures.frames(samples: count + AudioChunk.sampleRate)
        let frames = max(
            Self.minFrames, Int(((end - start) * 100).rounded(.toNearestOrEven)) - 2)
        let first = max(0, min(Int((start * 100).rounded(.toNearestOrEven)), all - frames))
        let offset = first * KaldiFeatures.hop
        return offset..<(offset + (frames - 1) * KaldiFeatures.hop + KaldiFeatures.frameSamples)
    }
}
