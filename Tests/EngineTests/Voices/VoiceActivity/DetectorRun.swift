/// The events of a detector for a recording.
struct DetectorRun {
    let events: [VoiceActivityEvent]

    init(events: [VoiceActivityEvent]) { self.events = events }

    /// - Parameter blocks: sizes of the blocks in which the samples are fed, repeated.
    init(_ detector: some VoiceActivityDetector, _ samples: [Float], blocks: [Int]) {
        var detector = detector
        var events: [VoiceActivityEvent] = []
        var (position, turn) = (0, 0)
        while position < samples.count {
            let end = min(samples.count, position + blocks[turn % blocks.count])
            events += detector.feed(Array(samples[position..<end]))
            (position, turn) = (end, turn + 1)
        }
        self.events = events + detector.finish()
    }

    /// The ranges from each opening to the following closing.
    var segments: [Range<Int>] {
        var start: Int?
        return events.compactMap { event -> Range<Int>? in
            switch event {
            case .opened(let at):
                start = at
                return nil
            case .voiced: return nil
            case .closed(let at):
                defer { start = nil }
                return start.map { $0..<at }
            }
        }
    }

    var voiced: [Range<Int>] {
        events.compactMap { if case .voiced(let range) = $0 { range } else { nil } }
    }
}
