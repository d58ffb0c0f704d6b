import EngineAudio
import EngineModels

extension LiveLoop {
    /// Lets a decoder that hears each sample once hear the open utterance up to `position`. Its words are final as soon
    /// as they are complete; with the policy `utterance`, when the utterance or the longest window ends.
    mutating func hear(to position: Int, isClosing: Bool, by stream: any LiveStream) throws {
        guard let open = utterance, isClosing || position > open.window else { return }
        let start = open.window, end = max(position, start)
        var samples = audio.read(start..<end)
        utterance?.window = end
        decoded = max(decoded, end)
        let heard = try retrying(isLast: isClosing, from: start) { _ in
            // It has them even if it fails.
            defer { samples = [] }
            return try stream.hear(samples, from: end - samples.count, isLast: isClosing)
        }
        guard let pass = heard else { return }
        noteLanguage()
        let complete = open.waiting + pass.words.filter(\.isStable)
        let first = complete.first?.start ?? end
        let waits =
            options.policy == .utterance && !isClosing && AudioChunk.seconds(of: end - first) < options.maxWindow
        let unstable = pass.words.filter { !$0.isStable }
        let count = isClosing ? complete.count : waits ? 0 : wholeCount(of: complete + unstable, complete.count)
        utterance?.waiting = Array(complete[count...])
        if count > 0 {
            try commit(Array(complete[..<count]), of: pass, to: end, isEnd: isClosing)
            // No later pass needs them.
            utterance?.committed = []
        }
        let rest = (utterance?.waiting ?? []) + unstable
        if rest != open.shown || !isVolatileShown {
            utterance?.shown = rest
            show(isClosing ? nil : segment(rest[...], of: pass, to: end, isFinal: false))
        }
    }
}
