import Synchronization
package import EngineTranscripts

/// Merges the updates of separately transcribed channels into one stream in chronological order.
///
/// A final segment is held back until no channel can have an earlier one; segments that start at the same time are in
/// order of their channels.
package final class ChannelMerge: Sendable {
    fileprivate struct Channel {
        let speaker: String
        var language: String
        /// Final segments held back, in order.
        var waiting: ArraySlice<TranscriptSegment> = []
        /// No later segment starts before this, in seconds.
        var position = 0.0
        var duration: Double?
        var isFinished = false
    }

    fileprivate struct State {
        var channels: [Channel]
        var segments: [TranscriptSegment] = []
    }

    private let state: Mutex<State>
    private let updates: @Sendable (TranscriptUpdate) -> Void

    /// - Parameters:
    ///   - speakers: one for each channel.
    ///   - language: `nil` if it will be detected.
    ///   - updates: receives the merged updates. The segments of each channel must arrive in order of time.
    package init(
        speakers: [String], language: String?, updates: @escaping @Sendable (TranscriptUpdate) -> Void
    ) {
        state = Mutex(State(channels: speakers.map { Channel(speaker: $0, language: language ?? "en") }))
        self.updates = updates
    }

    /// Receives the updates of a channel.
    package func updates(of channel: Int) -> @Sendable (TranscriptUpdate) -> Void {
        { [self] update in receive(update, from: channel) }
    }

    /// Adds what an earlier, interrupted transcription had of a channel, before the updates of the rest.
    func add(_ earlier: TranscribedPart, of channel: Int) {
        state.withLock { $0.channels[channel].language = earlier.transcript.language }
        let receive = updates(of: channel)
        for segment in earlier.transcript.segments { receive(.final(segment)) }
        receive(.progress(position: earlier.position, duration: nil))
    }

    /// No more updates of this channel follow.
    package func finish(_ channel: Int) {
        change { state in
            state.channels[channel].isFinished = true
            return [state.progress]
        }
    }

    /// No more updates of any channel follow, as after an error: reports what was held back.
    package func finish() {
        change { state in
            for index in state.channels.indices { state.channels[index].isFinished = true }
            return []
        }
    }

    /// The segments reported so far as one transcript.
    package func transcript(duration: Double) -> Transcript {
        state.withLock { state in
            Transcript(
                text: state.segments.map(\.text).joined(),
                language: state.segments.first?.language ?? state.channels.first?.language ?? "en",
                duration: duration, segments: state.segments)
        }
    }

    /// The speech of all channels in order, each with its speaker; `nil` if it is known of none.
    package func speech(of channels: [[TranscriptSpan]?]) -> [TranscriptSpan]? {
        guard channels.contains(where: { $0 != nil }) else { return nil }
        let speakers = state.withLock { $0.channels.map(\.speaker) }
        return zip(channels, speakers).flatMap { speech, speaker in
            (speech ?? []).map { TranscriptSpan(start: $0.start, end: $0.end, speaker: speaker) }
        }.sorted { $0.start < $1.start }
    }

    // MARK: -

    private func receive(_ update: TranscriptUpdate, from channel: Int) {
        change { state in
            switch update {
            case .final(let segment):
                state.channels[channel].waiting.append(segment)
                return []
            case .progress(let position, let duration):
                state.channels[channel].position = position
                state.channels[channel].duration = duration
                return [state.progress]
            case .language(let code, let probability, _):
                state.channels[channel].language = code
                return [.language(code: code, probability: probability, speaker: state.channels[channel].speaker)]
            case .volatile(let segment):
                return [.volatile(segment.map { state.named($0, channel) })]
            case .event(let event):
                let speaker = state.channels[channel].speaker
                if case .heard(let speech) = event.window {
                    let named = speech.map { TranscriptSpan(start: $0.start, end: $0.end, speaker: speaker) }
                    return [.event(TranscriptUpdate.Event(.heard(named), speaker: speaker))]
                }
                return [.event(TranscriptUpdate.Event(event.window, speaker: speaker))]
            case .status, .gap:
                return [update]
            }
        }
    }

    /// Changes the state, then reports the segments that are no longer held back and the updates that `body` returns.
    private func change(_ body: (inout State) -> [TranscriptUpdate]) {
        let (finals, others) = state.withLock { state in
            let others = body(&state)
            return (state.release(), others)
        }
        for segment in finals { updates(.final(segment)) }
        for update in others { updates(update) }
    }
}

extension ChannelMerge.State {
    fileprivate mutating func release() -> ArraySlice<TranscriptSegment> {
        let old = segments.count
        while let (channel, segment) = first, canRelease(segment, of: channel) {
            channels[channel].waiting.removeFirst()
            segments.append(named(segment, channel))
        }
        return segments[old...]
    }

    /// The earliest segment held back.
    private var first: (channel: Int, segment: TranscriptSegment)? {
        channels.enumerated().compactMap { index, channel in channel.waiting.first.map { (index, $0) } }
            .min { $0.1.start < $1.1.start }
    }

    private func canRelease(_ segment: TranscriptSegment, of channel: Int) -> Bool {
        channels.enumerated().allSatisfy { index, other in
            other.isFinished || !other.waiting.isEmpty || (segment.start, channel) < (other.position, index)
        }
    }

    /// A segment with its speaker, its language and its number in the merged transcript.
    fileprivate func named(_ segment: TranscriptSegment, _ channel: Int) -> TranscriptSegment {
        var segment = segment
        segment.id = segments.count
        segment.speaker = channels[channel].speaker
        segment.language = segment.language ?? channels[channel].language
        return segment
    }

    fileprivate var progress: TranscriptUpdate {
        let duration = channels.compactMap(\.duration).max()
        let positions = channels.map { $0.isFinished ? $0.duration ?? duration ?? $0.position : $0.position }
        return .progress(
            position: positions.reduce(0, +) / Double(max(1, channels.count)), duration: duration)
    }
}
