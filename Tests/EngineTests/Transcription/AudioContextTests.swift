import TestSupport
import Testing

@Suite("Audio context")
struct AudioContextTests {
    @Test(
        "the context contains the audio of a window, and at most the model's positions",
        arguments: [
            (AudioContext.full, 1, 1500), (.full, 3000, 1500),
            (.auto, 3000, 1500), (.auto, 2999, 1500),
            (.positions(100), 200, 100), (.positions(100), 30, 100), (.positions(1), 1, 1),
            // Windows are shortened to fit; a longer one is still encoded completely.
            (.positions(100), 201, 101), (.positions(2000), 10, 1500), (.positions(0), 0, 1),
            (.positions(-5), 3000, 1500),
        ])
    func positions(context: AudioContext, frames: Int, expected: Int) {
        #expect(context.extent(frames: frames, limit: 1500) == AudioExtent(positions: expected))
    }

    @Test("auto adds a margin and grows with the audio")
    func margin() {
        var last = 0
        for frames in 0...3000 {
            let extent = AudioContext.auto.extent(frames: frames, limit: 1500), count = extent.positions
            #expect(count >= min(1500, (frames + 1) / 2 + AudioContext.margin) && count >= last)
            #expect(extent.isFollowedBySilence == (count < 1500))
            #expect(count % AudioContext.step == 0 || count == 1500)
            last = count
        }
        #expect(AudioContext.auto.extent(frames: 100, limit: 1500).positions < 200)
        #expect(AudioContext.step % KernelBackend.positionStep == 0)
    }

    @Test(
        "windows are as long as the context",
        arguments: [
            (AudioContext.full, 3000), (.auto, 3000), (.positions(1500), 3000), (.positions(7), 14), (.positions(0), 2),
            (.positions(.max), 3000),
        ])
    func windows(context: AudioContext, frames: Int) {
        #expect(context.maxFrames == frames)
    }

    @Test("a recording is split into windows of the context's length without gaps")
    func cutting() throws {
        var options = TranscriptionOptions.reference
        options.whisper.audioContext = .positions(400)
        let decoder = ScriptedWindowDecoder { _, _ in .scripted([VocabularyFixture.english.special.firstTimestamp]) }
        var loop = SeekLoop(
            options: options, contentFrames: 2000, tokenizer: VocabularyFixture.english, language: "en",
            decoder: decoder)
        while decoder.calls.count < 10, try loop.next() != nil {}
        #expect(decoder.calls.map(\.window.seek) == [0, 800, 1600])
        #expect(decoder.calls.map(\.window.frames) == [800, 800, 400])
    }

    @Test("a window of which only the sound was encoded is trusted if the model is confident and finishes")
    func trust() {
        let special = VocabularyFixture.english.special, text = VocabularyFixture.english.encode(" Good words.")
        func result(
            avgLogprob: Double = -0.15, noSpeechProb: Double = 0, compressionRatio: Double = 1.2,
            text words: String = "Good words."
        ) -> DecodingResult {
            var result = DecodingResult.scripted(
                [special.firstTimestamp] + text + [special.firstTimestamp + 90], avgLogprob: avgLogprob,
                noSpeechProb: noSpeechProb, compressionRatio: compressionRatio)
            result.text = words
            return result
        }
        func trusts(_ result: DecodingResult, maxTokens: Int = 224) -> Bool {
            TextJudge().trusts(result, maxTokens: maxTokens)
        }
        #expect(trusts(result()))
        #expect(!trusts(result(avgLogprob: -1.1)))
        #expect(!trusts(result(noSpeechProb: 0.7)))
        #expect(!trusts(result(compressionRatio: 2.5)))
        #expect(!trusts(result(text: "")))
        #expect(!trusts(result(), maxTokens: result().tokens.count))
        #expect(trusts(result(), maxTokens: result().tokens.count + 1))
    }
}
