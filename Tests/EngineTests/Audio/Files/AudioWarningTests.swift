import Testing

@Suite("Audio warnings and errors")
struct AudioWarningTests {
    @Test(
        "descriptions contain counts and times",
        arguments: [
            (
                AudioFile.Warning.damagedSections(count: 3, seconds: 0.41, first: 751.2),
                "skipped 3 damaged sections (0.4 s) from 12:31.2"
            ),
            (
                .damagedSections(count: 1, seconds: 0.04, first: 3723.44),
                "skipped 1 damaged section (0.0 s) at 1:02:03.4"
            ),
            (.trailingBytes(70_000), "ignored 70000 bytes after the data chunk"),
            (.clipped(1), "clipped 1 sample over full scale"),
            (
                .timestampJumps(count: 2, first: 9),
                "timestamps jump in 2 places, first at 0:09.0; gaps filled with silence"
            ),
            (
                .truncated(endsAt: 12.34, declared: .infinity),
                "truncated at 12.3 s, the header declares 0.0 s"
            ),
            (.sizeUnset, "size not set in the header, read to the end"),
        ])
    func texts(warning: AudioFile.Warning, text: String) {
        #expect(warning.description == text)
    }

    @Test("error descriptions are one line, with control characters in the name escaped")
    func errors() {
        let odd = FilePath("a\u{1b}[31m\n.wav")
        let track = AudioFile.Track(number: 1, language: "eng", channels: 2, sampleRate: 48_000, codec: "aac")
        let errors: [AudioFormatError] = [
            .noSuchFile(odd, nearest: odd), .danglingLink(odd, target: odd), .linkLoop(odd), .nameTooLong(odd),
            .notPermitted(odd, component: FilePath("x")), .isFolder(odd), .notRegularFile(odd, kind: "a socket"),
            .url(odd),
            .inputClosed(odd), .inputIsTerminal(odd), .tooManyOpenFiles(odd), .emptyFile(odd),
            .damagedWAV(odd, chunk: "\u{1b}", offset: 1), .incompleteWAVHeader(odd, bytes: 3),
            .unsupportedCodec(odd, tag: "0x1"), .channels(odd, 99), .sampleRate(odd, 0),
            .notAudio(odd, looksLike: "an HTML page"),
            .model(odd, kind: "ggml weights"), .playlist(odd), .noAudioTrack(odd, videoTracks: 2),
            .noSuchTrack(odd, track: 9, tracks: [track]), .encrypted(odd, scheme: "cenc"), .externalReferences(odd),
            .damaged(odd), .needsSeeking(odd), .needsFFmpeg(odd), .tooLong(odd), .readFailed(odd, at: 1, of: 2),
            .decoderFailed(odd, at: 751, of: 3600), .readOnce(odd), .outOfMemory(odd), .cancelled(odd),
            .badRawFormat("\u{1b}\n"),
        ]
        for error in errors {
            let line = error.description
            #expect(!line.isEmpty && line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        }
        #expect(
            AudioFormatError.decoderFailed(odd, at: 751, of: 3600).description.hasPrefix(
                "decoding failed at 12:31.0 of 1:00:00.0: "))
        #expect(
            AudioFormatError.sampleRate(odd, 1).description.hasPrefix("unsupported sample rate 1 Hz (1000 to 768000): ")
        )
        #expect(track.description == "1 (eng, stereo, aac)")
    }
}
