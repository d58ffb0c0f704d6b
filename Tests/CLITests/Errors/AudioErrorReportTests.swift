import Testing
import WhisperEngine
import WhisperCommands

@Suite("Reports of audio errors")
struct AudioErrorReportTests {
    static let file = FilePath("x.wav")

    @Test(
        "each error of a recording has an exit status",
        arguments: [
            (.noSuchFile(file, nearest: nil), 66), (.danglingLink(file, target: file), 66), (.linkLoop(file), 66),
            (.nameTooLong(file), 66), (.notPermitted(file, component: file), 77), (.isFolder(file), 66),
            (.notRegularFile(file, kind: "a socket"), 65), (.url(file), 64), (.inputClosed(file), 66),
            (.inputIsTerminal(file), 64), (.tooManyOpenFiles(file), 75), (.emptyFile(file), 65),
            (.damagedWAV(file, chunk: "fmt ", offset: 1), 65), (.incompleteWAVHeader(file, bytes: 3), 65),
            (.unsupportedCodec(file, tag: "0x1"), 65), (.channels(file, 99), 65), (.sampleRate(file, 0), 65),
            (.notAudio(file, looksLike: "an HTML page"), 65), (.model(file, kind: "ggml weights"), 65),
            (.playlist(file), 65),
            (.noAudioTrack(file, videoTracks: 2), 65), (.noSuchTrack(file, track: 9, tracks: []), 64),
            (.encrypted(file, scheme: "cenc"), 65), (.externalReferences(file), 65), (.damaged(file), 65),
            (.needsSeeking(file), 65), (.needsFFmpeg(file), 69), (.ffmpegMissing(file, packages: ["a", "b"]), 69),
            (.tooLong(file), 65), (.readFailed(file, at: 1, of: 2), 74), (.decoderFailed(file, at: 1, of: nil), 74),
            (.readOnce(file), 74), (.outOfMemory(file), 75), (.cancelled(file), 75), (.badRawFormat("x"), 64),
        ] as [(AudioFormatError, Int32)])
    func statuses(error: AudioFormatError, status: Int32) {
        expect(error.report, error.description, status)
    }

    private func expect(_ report: ErrorReport, _ description: String, _ status: Int32) {
        #expect(report.status.rawValue == status)
        #expect(report.what == description)
        #expect(report.advice.map { !$0.isEmpty && !$0.contains("\n") } == true)
    }

    @Test(
        "advice depends on the error",
        arguments: [
            (.noSuchFile(file, nearest: FilePath("y.wav")), "did you mean y.wav?"),
            (.notRegularFile(file, kind: "a character device"), "use a recording; `live` transcribes a microphone"),
            (.model(file, kind: "ggml weights"), "the arguments may be swapped: pass the model with `--model`"),
            (
                .notAudio(file, looksLike: nil),
                "use a recording; for samples without a header add `--raw s16le:16000:1`"
            ),
            (.unsupportedCodec(file, tag: "0x9999"), "convert it with ffmpeg"),
            (.playlist(file), "use the files it lists"),
            (
                .ffmpegMissing(file, packages: ["a", "b"]),
                "install FFmpeg (`apt install a b`), or convert the recording to WAV"
            ),
        ] as [(AudioFormatError, String)])
    func advice(error: AudioFormatError, advice: String) {
        #expect(error.report.advice == advice)
    }

    @Test("the advice for an invalid raw format lists the encodings")
    func rawFormat() {
        let advice = AudioFormatError.badRawFormat("x").report.advice ?? ""
        #expect(advice.contains("s16le:16000:1") && advice.contains("mulaw"))
    }

    @Test(
        "each microphone error has an exit status",
        arguments: [
            (.noMicrophone(tried: ["default"]), 69), (.unknownDevice("x", known: []), 69), (.busy("x"), 75),
            (.notPermitted("x"), 77), (.serverNotRunning("x", seconds: 10), 75), (.unsuitable("x", detail: ""), 69),
            (.lost("x", reason: "went away", seconds: 30), 74), (.failed("x", detail: ""), 74), (.libraryMissing, 69),
            (.noThread, 75),
        ] as [(CaptureError, Int32)])
    func microphones(error: CaptureError, status: Int32) {
        expect(error.report, error.description, status)
    }

    @Test("an unknown microphone is reported with a similar name and the existing ones")
    func unknownMicrophone() {
        let report = CaptureError.unknownDevice("hintde", known: ["hinted", "pulse"]).report
        #expect(report.what == "no such microphone: hintde; did you mean hinted?")
        #expect(report.advice == "use one of: hinted pulse")
        #expect(CaptureError.unknownDevice("x", known: []).report.advice == "omit the device to use the default")
        #expect(CaptureError.busy("hw:0").report.advice == "close the other program, or choose another device")
    }

    @Test(
        "each recorder error has an exit status",
        arguments: [
            (.exists(file), 73), (.notARecording(file), 73), (.busy(file), 75), (.folderMissing(file), 73),
            (.notPermitted(file), 73), (.cannotCreate(file), 73), (.diskFull(file), 74), (.writeFailed(file), 74),
        ] as [(RecorderError, Int32)])
    func recorder(error: RecorderError, status: Int32) {
        expect(error.report, error.description, status)
    }

    @Test("a full temporary folder is an input/output error")
    func temporaryFile() {
        let error = SampleStoreError.diskFull(FilePath("/tmp"))
        expect(error.report, error.description, 74)
    }
}
