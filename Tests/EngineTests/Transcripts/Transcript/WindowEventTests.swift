import Testing

@Suite("Window events")
struct WindowEventTests {
    @Test(
        "an event says in one line what happened, where and why",
        arguments: [
            (
                .retried(DecodingRetry(failedTemperature: 0.8, temperature: 1, reason: .looping(times: 7))),
                "decoded again at temperature 1: the text repeats 7 times in a row"
            ),
            (
                .retried(
                    DecodingRetry(failedTemperature: 0, temperature: 0.2, reason: .improbable(avgLogprob: -1.234))),
                "decoded again at temperature 0.2: mean log probability -1.23"
            ),
            (
                .skipped(start: 30, end: 3661.5, noSpeechProb: 0.75, avgLogprob: -0.004),
                "[00:30.000 --> 01:01:01.500] skipped: no-speech probability 0.75, mean log probability 0.00"
            ),
            (
                .droppedHallucination(start: 1, end: 2, text: "a\u{1b}b"),
                #"[00:01.000 --> 00:02.000] dropped as a likely hallucination: $'a\x1bb'"#
            ),
            (.removedSilence(kept: 61, of: 3723), "speech: 1:01 of 1:02:03; the rest is skipped"),
            (.guarded(.wordsLengthened(1)), "lengthened 1 word that was too short"),
            (
                .guarded(.heldBack(start: 6, end: 9.4, text: " Now")),
                "[00:06.000 --> 00:09.400] heard again with the rest: ' Now'"
            ),
            (
                .guarded(.windowShortened(start: 30, end: 45)),
                "[00:30.000 --> 00:45.000] decoded again: the text of the longer window cannot have been spoken"
            ),
            (
                .guarded(.repetitionCut(start: 61, text: "otherwise")),
                "text from 1:01 cut before its repetition: otherwise"
            ),
            (
                .guarded(.gapDecoded(start: 4, end: 9.5, text: " Hello")),
                "[00:04.000 --> 00:09.500] decoded again, as its speech was left out: ' Hello'"
            ),
            (.guarded(.timesLengthened(1)), "lengthened 1 segment to the time that the text takes"),
            (.guarded(.pausesLeftOut(1)), "1 segment no longer encloses a pause"),
            (.guarded(.timesClamped(2)), "shortened 2 segments to the end of the recording"),
        ] as [(WindowEvent, String)])
    func descriptions(event: WindowEvent, text: String) {
        #expect(TranscriptUpdate.Event(event).description == text)
    }
}
