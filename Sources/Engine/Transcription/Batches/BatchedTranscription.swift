import Dispatch
import Synchronization

/// Recognizes the parts of a recording side by side, each as if it were a recording of its own; finished parts are told
/// in their order.
///
/// Each place of the batch has a thread, which takes one part after the other. So fallback, word times and all that a
/// window may need are those of a single window; only the network's steps are made together.
///
/// Parts may still be found while others are recognized.
final class BatchedTranscription: Sendable {
    /// What was found in a part.
    struct Part: Sendable {
        let sound: KeptAudio
        let segments: [TranscriptSegment]
        let events: [WindowEvent]
        let text: String
    }

    private struct State {
        var finished: [Int: Part] = [:]
        var failure: (any Error)?
    }

    private let network: BatchNetwork
    private let tokenizer: Tokenizer
    private let parts: PartQueue
    private let samples: SampleStore
    private let spectrogram: LogMelSpectrogram
    private let options: TranscriptionOptions
    private let language: String
    private let places: Int
    private let state = Mutex(State())
    private let news = DispatchSemaphore(value: 0)

    /// How often a cancelled task is looked for.
    private static let patience = DispatchTimeInterval.milliseconds(50)

    /// - Parameters:
    ///   - network: with a place for each of `places` threads.
    ///   - parts: samples of each are there when it comes.
    ///   - options: prompts apart, those of every part.
    init(
        _ network: BatchNetwork, places: Int, tokenizer: Tokenizer, parts: PartQueue, samples: SampleStore,
        options: TranscriptionOptions, language: String
    ) {
        self.network = network
        self.places = places
        self.tokenizer = tokenizer
        self.parts = parts
        self.samples = samples
        spectrogram = LogMelSpectrogram(bands: network.model.dimensions.nMels)
        var options = options
        options.clipTimestamps = []
        options.conditionOnPreviousText = false
        self.options = options
        self.language = language
    }

    /// - Parameter deliver: is given each part in order, on the calling thread.
    /// - Throws: `CancellationError` where the task is cancelled, what a part threw after those before it were told.
    func run(deliver: (Part) -> Void) throws {
        let threads = DispatchGroup()
        for place in 0..<places {
            // Serial queues have threads of their own, also when all cores are busy.
            DispatchQueue(label: "whisper-local.batch").async(group: threads) { self.work(place) }
        }
        defer {
            network.stop()
            parts.close(dropsRest: true)
            threads.wait()
        }
        var told = 0
        while parts.finalCount.map({ told < $0 }) ?? true {
            let (part, failure) = state.withLock { ($0.finished.removeValue(forKey: told), $0.failure) }
            if let part {
                deliver(part)
                told += 1
                continue
            }
            if let failure { throw failure }
            try Task.checkCancellation()
            _ = news.wait(timeout: .now() + Self.patience)
        }
    }

    private func work(_ place: Int) {
        defer {
            network.leave()
            news.signal()
        }
        do {
            while let (number, sound) = parts.take() {
                let part = try recognize(sound, number: number, place: place)
                state.withLock { $0.finished[number] = part }
                news.signal()
            }
        } catch {
            state.withLock { if $0.failure == nil { $0.failure = error } }
            network.stop()
        }
    }

    private func recognize(_ chunk: KeptAudio, number: Int, place: Int) throws -> Part {
        try network.checkStopped()
        let sound = try ChunkSpectrogram(chunk, of: samples, spectrogram)
        let firstFrame = (chunk.ranges.first?.lowerBound ?? 0) / LogMelSpectrogram.hop
        let decoder = NetworkDecoder(
            network.model, tokenizer: tokenizer, network: network.place(place, order: number), options: options,
            firstFrame: firstFrame, sound: { try sound.logMel($0) })
        decoder.onStep = { [network] _, _ in try network.checkStopped() }
        var options = options
        if number > 0 { options.prefix = nil }
        // A part is speech from its start to its end.
        var speech = SpeechIntervals()
        speech.add([.opened(at: 0), .closed(at: chunk.count)])
        let guards = options.guards ? Guards(speech: speech, options: options) : nil
        var loop = SeekLoop(
            options: options, contentFrames: sound.contentFrames, tokenizer: tokenizer, language: language,
            decoder: decoder, guards: guards,
            // faster-whisper takes the text as it is in batches, without a space before it.
            initialPrompt: options.initialPrompt.map { tokenizer.encode($0) })
        var segments: [TranscriptSegment] = []
        var events: [WindowEvent] = []
        while let found = try loop.next() {
            segments += found
            events += loop.events
        }
        return Part(sound: chunk, segments: segments, events: events, text: loop.text)
    }
}
