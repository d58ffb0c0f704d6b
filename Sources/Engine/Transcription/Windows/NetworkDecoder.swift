/// The network with its searches, over the windows of one recording.
final class NetworkDecoder: WindowDecoder {
    /// Told the likeliest tokens of the window being decoded after each step; what it throws ends the pass.
    var onStep: ((MelWindow, [Int]) throws -> Void)?

    private let model: WhisperModel
    private let tokenizer: Tokenizer
    private let network: any WindowNetwork
    private let sound: (Range<Int>) throws -> [Float]
    private let firstFrame: Int
    private let heads: [AlignmentHead]
    private let context: AudioContext
    private let check: ShortContextCheck
    /// The window that the network holds, and how many positions of it.
    private var heard: (window: MelWindow, positions: Int)?
    /// The window that `auto` has decoded in full.
    private var needsFull: MelWindow?

    /// - Parameters:
    ///   - options: their audio context, and what makes the text of a shortened window doubtful.
    ///   - firstFrame: where the sound begins in its recording; with it each window draws other random numbers.
    ///   - sound: scaled log-mel of a range of frames.
    init(
        _ model: WhisperModel, tokenizer: Tokenizer, network: any WindowNetwork,
        options: TranscriptionOptions = TranscriptionOptions(), firstFrame: Int = 0,
        sound: @escaping (Range<Int>) throws -> [Float]
    ) {
        context = options.audioContext
        check = ShortContextCheck(options: options, special: tokenizer.special)
        self.model = model
        self.tokenizer = tokenizer
        self.network = network
        self.firstFrame = firstFrame
        self.sound = sound
        heads = model.alignmentHeads ?? AlignmentHeads.heads(of: model.dimensions)
    }

    func decode(_ window: MelWindow, options: DecodingOptions) throws -> DecodingResult {
        let result = try decodeOnce(window, options: options)
        guard context == .auto, let heard, heard.positions < network.positions else { return result }
        let most = options.forcedTokenCount ?? options.maxNewTokens ?? options.sampleLength ?? network.contextLength / 2
        if check.trusts(result, mostTokens: most, positions: heard.positions) { return result }
        needsFull = window
        return try decodeOnce(window, options: options)
    }

    private func decodeOnce(_ window: MelWindow, options: DecodingOptions) throws -> DecodingResult {
        try hear(window)
        let language = model.dimensions.isMultilingual ? options.language : nil
        let initial = InitialTokens(
            sotSequence: try tokenizer.startOfTranscriptSequence(language: language, task: options.task),
            options: options, specials: tokenizer.special, contextLength: network.contextLength)
        let task = try DecodingTask(
            options: options, specials: tokenizer.special, nonSpeechTokens: tokenizer.nonSpeechTokens)
        let onStep = onStep
        let found = try task.run(
            network, from: initial, position: firstFrame + window.seek,
            onStep: { tokens in
                try Task.checkCancellation()
                try onStep?(window, tokens)
            })
        return found.result(
            text: WhiteSpace.strip(tokenizer.decode(found.tokens)), temperature: options.temperature,
            language: options.language ?? "en")
    }

    func align(
        _ window: MelWindow, textTokens: [Int], language: String?, task: TranscriptionTask
    ) throws -> [WordTiming] {
        let columns = try hear(window)
        let start = try tokenizer.startOfTranscriptSequence(
            language: model.dimensions.isMultilingual ? language : nil, task: task)
        let text = textTokens.prefix(network.contextLength - start.count - 2)
        let tokens = start + [tokenizer.special.noTimestamps] + text + [tokenizer.special.endOfText]
        var probabilities: [Float] = []
        let scores = try network.align(
            tokens, heads: heads, columns: columns, rows: start.count..<(start.count + text.count)
        ) { position, logits in
            probabilities.append(
                CrossAttentionAlignment.probability(
                    of: tokens[position + 1], logits: logits, endOfText: tokenizer.special.endOfText))
        }
        let alignment = CrossAttentionAlignment(
            rows: tokens.count, columns: columns, startLength: start.count, frames: window.frames)
        return alignment.timings(
            of: CrossAttentionAlignment.words(
                of: Array(text), tokenizer: tokenizer, language: model.dimensions.isMultilingual ? language : nil),
            scores: scores, probabilities: probabilities)
    }

    /// The likeliest language of the 30 seconds from a frame on, silence behind a shorter recording included.
    func detectLanguage(from frame: Int = 0) throws -> DetectedLanguage {
        try network.hear(try sound(frame..<(frame + 2 * network.positions)), positions: network.positions)
        heard = nil
        let detection = try LanguageDetection(scorer: network, specials: tokenizer.special)
        return DetectedLanguage(
            code: tokenizer.language(ofToken: detection.best)?.code ?? "en",
            probability: detection.probabilities[detection.best] ?? 0)
    }

    /// Encodes the window unless it is the one at hand: a retry at another temperature hears the same sound.
    ///
    /// - Returns: the positions that the network looks at.
    @discardableResult
    private func hear(_ window: MelWindow) throws -> Int {
        let context = needsFull == window ? .full : context
        let positions = context.positions(frames: window.frames, most: network.positions)
        if let heard, heard == (window, positions) { return positions }
        try network.hear(try sound(window.seek..<(window.seek + window.frames)), positions: positions)
        heard = (window, positions)
        return positions
    }
}
