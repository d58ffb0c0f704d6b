import EngineModels
import EngineTranscripts

/// What is decoded again.
extension SeekLoop {
    /// Decodes a window again that the model classifies as silence although it contains speech, until a result passes all
    /// tests. If none does, the window stays silent: at higher temperatures noise turns into repetitions that look probable.
    mutating func retryIfSpeech(
        _ result: inout DecodingResult, options windowOptions: DecodingOptions, in window: WindowSpan
    ) throws {
        guard isSilence(result), let share = guards?.significantSpeech(in: window) else { return }
        var latest = result
        for temperature in options.whisper.temperatures where temperature > result.temperature {
            events.append(
                .retried(
                    DecodingRetry(
                        failedTemperature: latest.temperature, temperature: temperature,
                        reason: fallback.failure(of: latest) ?? .speechDetected(share: share))))
            latest = try decoder.decode(window, options: windowOptions.at(temperature: temperature))
            if !isSilence(latest), fallback.failure(of: latest) == nil {
                result = latest
                return
            }
        }
    }

    /// Decodes a window again in which no attempt has a text that can have been spoken: without a prompt, which may be
    /// what it repeats, and shortened. If nothing helps, keeps what the best attempt has before its repetition.
    mutating func decodeAgain(
        _ window: WindowSpan, options windowOptions: DecodingOptions, failed: [DecodingResult]
    ) throws -> [TranscriptSegment] {
        var promptless = history
        promptless.reset()
        let lengths =
            (windowOptions.prompt == promptless.prompt ? [] : [window.frames])
            + impossible.shorterLengths(of: window, after: failed[0])
        var windowOptions = promptlessOptions
        windowOptions.prefix = window.seek == 0 ? prefix : []
        var attempts = failed
        for frames in lengths {
            let part = WindowSpan(seek: window.seek, frames: frames, contentFrames: contentFrames)
            events.append(.guarded(.windowShortened(start: part.start, end: part.start + part.duration)))
            let result = try decoder.decode(part, options: windowOptions)
            if isGood(result, of: part) {
                history = promptless
                return try segments(of: result, in: part)
            }
            if frames == window.frames { attempts.append(result) }
        }
        let kept = try impossible.kept(of: attempts, in: window) { text in
            try decoder.align(
                window, textTokens: text, language: decodingOptions.language, task: decodingOptions.task
            ).last
        }
        history = promptless
        events.append(.guarded(.repetitionCut(start: window.start, text: kept?.result.text ?? "")))
        let found = try kept.map { try segments(of: $0.result, in: $0.span, holdsBack: false) } ?? []
        let end = impossible.end(of: window)
        if position < end {
            // The same start would loop again.
            let rest = position > window.seek ? position : (window.seek + end) / 2
            restEnd = guards?.missesSpeech(in: rest..<end) == true ? end : nil
            position = restEnd == nil ? end : rest
        }
        return found
    }

    /// Decodes once what follows a text that was cut before its repetition.
    mutating func decodeRest(to end: Int) throws -> [TranscriptSegment] {
        let rest = WindowSpan(seek: position, frames: end - position, contentFrames: contentFrames)
        events.append(.guarded(.windowShortened(start: rest.start, end: rest.start + rest.duration)))
        let result = try decoder.decode(rest, options: promptlessOptions)
        if isGood(result, of: rest) { return try segments(of: result, in: rest) }
        position = end
        return []
    }

    /// Decodes speech again that the segments of a window leave out.
    ///
    /// - Parameters:
    ///   - end: first frame of the next window.
    ///   - textEnd: where the text ends, in seconds; `nil` if that is unknown.
    func decodeGaps(
        of segments: [WindowSegment], in window: WindowSpan, to end: Int, after textEnd: Double?
    ) throws -> [GapText] {
        guard let guards else { return [] }
        return try guards.gaps(in: window.seek..<end, around: segments, textEnd: textEnd).compactMap { gap in
            let part = WindowSpan(seek: gap.lowerBound, frames: gap.count, contentFrames: contentFrames)
            let result = try decoder.decode(part, options: promptlessOptions)
            guard isGood(result, of: part),
                guards.isNew(tokenizer.text(of: result.tokens), of: result, in: gap, beside: segments)
            else { return nil }
            var found = WindowSegments(tokens: result.tokens, span: part, tokenizer: tokenizer).segments
            if options.wordTimestamps { try align(&found, window: part) }
            for index in found.indices { _ = found[index].timing.clamp(to: Double(gap.upperBound) / 100) }
            guard found.allSatisfy({ $0.timing.start <= $0.timing.end }) else { return nil }
            return GapText(result: result, window: part, segments: found)
        }
    }

    /// Options for decoding a part of a window again: whatever came before may be what misleads the network.
    var promptlessOptions: DecodingOptions {
        var promptless = history
        promptless.reset()
        var result = decodingOptions.at(
            temperature: options.whisper.temperatures.first ?? decodingOptions.temperature)
        (result.prompt, result.prefix) = (promptless.prompt, [])
        return result
    }

    /// Whether a text that was decoded again is neither silence nor improbable nor a repetition.
    func isGood(_ result: DecodingResult, of window: WindowSpan) -> Bool {
        !isSilence(result) && fallback.failure(of: result) == nil && !impossible.isFound(in: result, of: window)
    }

    func isSilence(_ result: DecodingResult) -> Bool {
        fallback.judge.isSkipped(noSpeechProb: result.noSpeechProb, avgLogprob: result.avgLogprob)
    }
}
