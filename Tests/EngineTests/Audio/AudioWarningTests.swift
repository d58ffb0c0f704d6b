import Testing
import WhisperEngine

@Suite("Audio warnings")
struct AudioWarningTests {
    @Test(
        "texts name numbers and places",
        arguments: [
            (
                AudioWarning.damagedSections(count: 3, seconds: 0.41, first: 751.2),
                "3 damaged places (0.4 s) skipped at 12:31.2 …"
            ),
            (.damagedSections(count: 1, seconds: 0.04, first: 3723.44), "1 damaged place (0.0 s) skipped at 1:02:03.4"),
            (.trailingBytes(70_000), "70000 bytes after the data chunk ignored"),
            (.clipped(1), "1 sample over full scale, clipped"),
            (.timestampJumps(count: 2, first: 9), "times leap at 2 places, first at 0:09.0; gaps filled with silence"),
            (
                .truncated(endsAt: 12.34, declared: .infinity),
                "ends at 12.3 s, header says 0.0 s; recognized what is there"
            ),
            (.sizeUnset, "size field unset, read to the end"),
        ])
    func texts(warning: AudioWarning, text: String) {
        #expect(warning.description == text)
    }

    @Test("errors fit on one line and say what to do, with the name kept from the terminal")
    func errors() {
        let odd = FilePath("a\u{1b}[31m\n.wav")
        let track = AudioTrack(number: 1, language: "eng", channels: 2, sampleRate: 48_000, codec: "aac")
        let errors: [AudioFormatError] = [
            .noSuchFile(odd, nearest: odd), .danglingLink(odd, target: odd), .linkLoop(odd), .nameTooLong(odd),
            .notPermitted(odd, component: FilePath("x")), .isFolder(odd), .notRegularFile(odd, kind: .socket),
            .url(odd),
            .inputClosed(odd), .inputIsTerminal(odd), .tooManyOpenFiles(odd), .emptyFile(odd),
            .damagedWAV(odd, chunk: "\u{1b}", offset: 1), .incompleteWAVHeader(odd, bytes: 3),
            .unsupportedCodec(odd, tag: "0x1"), .channels(odd, 99), .sampleRate(odd, 0),
            .notAudio(odd, looksLike: .html),
            .model(odd, kind: .model("ggml")), .playlist(odd), .noAudioTrack(odd, videoTracks: 2),
            .noSuchTrack(odd, track: 9, tracks: [track]), .encrypted(odd, scheme: "cenc"), .externalReferences(odd),
            .damaged(odd), .needsSeeking(odd), .needsFFmpeg(odd), .tooLong(odd), .readFailed(odd, at: 1, of: 2),
            .decoderFailed(odd, at: 751, of: 3600), .readOnce(odd), .outOfMemory(odd), .cancelled(odd),
            .badRawFormat("\u{1b}\n"),
        ]
        for error in errors {
            for line in [error.description, error.advice] {
                #expect(!line.isEmpty && line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
            }
            #expect([64, 65, 66, 69, 74, 75, 77].contains(error.category.rawValue))
        }
        #expect(
            AudioFormatError.decoderFailed(odd, at: 751, of: 3600).description.hasPrefix(
                "read 12:31.0 of 1:00:00.0, then"))
        #expect(AudioFormatError.sampleRate(odd, 1).description.contains("sample rate 1 Hz, at least 1000 supported"))
        #expect(track.description == "1 (eng, stereo, aac)")
    }
}
