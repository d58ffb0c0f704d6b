import Testing
import WhisperEngine
import WhisperServer

@Suite("OpenAI errors")
struct OpenAIErrorsTests {
    @Test("the body has all four members")
    func shape() async {
        let response = OpenAIErrors.response(
            HTTPError(400, "Say \"x\".", code: "invalid_value", param: "temperature"))
        #expect(response.status == 400 && response.headers["Content-Type"] == "application/json")
        #expect(
            await response.text() == #"""
                {"error":{"message":"Say \"x\".","type":"invalid_request_error","param":"temperature","code":"invalid_value"}}
                """#)
        #expect(
            await OpenAIErrors.response(HTTPError(404, "No.")).text()
                == #"{"error":{"message":"No.","type":"invalid_request_error","param":null,"code":null}}"#)
        #expect(HTTPError.recognizerBusy.status == 503 && HTTPError.recognizerBusy.retryAfter == 1)
    }

    private static let file = FilePath("/home/anna/secret.wav")
    private static let audio: [(AudioFormatError, Int)] = [
        (.emptyFile(file), 400), (.notAudio(file, looksLike: "an HTML page"), 400),
        (.notAudio(file, looksLike: nil), 400),
        (.damagedWAV(file, chunk: "fmt ", offset: 12), 400), (.incompleteWAVHeader(file, bytes: 9), 400),
        (.unsupportedCodec(file, tag: String(repeating: "x", count: 99)), 400), (.channels(file, 99), 400),
        (.sampleRate(file, 1), 400), (.model(file, kind: "ggml weights"), 400), (.playlist(file), 400),
        (.noAudioTrack(file, videoTracks: 1), 400), (.noAudioTrack(file, videoTracks: 0), 400),
        (.encrypted(file, scheme: "cenc"), 400), (.externalReferences(file), 400), (.damaged(file), 400),
        (.decoderFailed(file, at: 1, of: 2), 400), (.needsFFmpeg(file), 400),
        (.ffmpegMissing(file, packages: ["x"]), 400),
        (.tooLong(file), 422), (.tooManyOpenFiles(file), 503), (.outOfMemory(file), 503),
        (.readFailed(file, at: 0, of: 1), 500), (.noSuchFile(file, nearest: nil), 500),
        (.notPermitted(file, component: file), 500),
    ]

    @Test("errors of recordings say what to do in one line without a path", arguments: audio.indices)
    func recordings(index: Int) {
        let (failure, status) = Self.audio[index]
        let error = HTTPError(recognition: failure)
        #expect(error.status == status)
        #expect(error.message.count <= 120 && !error.message.contains("secret") && !error.message.contains("/"))
        if status == 400 { #expect(error.param == "file" && error.code == "invalid_audio") }
    }

    @Test("what was detected is part of the message")
    func detected() {
        #expect(
            HTTPError(recognition: AudioFormatError.notAudio(Self.file, looksLike: "a ZIP archive")).message
                == "This recording could not be read (detected: a ZIP archive). Record again or send WAV, M4A, MP3, FLAC, "
                + "OGG or WebM.")
        #expect(
            HTTPError(recognition: AudioFormatError.notAudio(Self.file, looksLike: "an executable of some kind"))
                .message
                == "This recording could not be read (detected: an executable of some kind). Send WAV, M4A, MP3, FLAC, "
                + "OGG or WebM.")
    }

    @Test("other engine errors have a status and a short message without a path")
    func engine() {
        let errors: [(any Error, Int)] = [
            (HTTPError.recognizerBusy, 503), (CancellationError(), 499), (ComputeError.outOfMemory(bytes: 1), 503),
            (ModelError.notEnoughMemory(path: Self.file, needs: 2, available: 1), 503),
            (ModelError.noFile(path: Self.file), 500), (DecodingError.noLanguages, 500),
            (Language.LookupError.unknown(language: "/x", nearest: nil), 400),
            (Language.LookupError.notInVocabulary(code: "yue", name: "cantonese", languages: 99), 400),
            (SampleStoreError.diskFull(Self.file), 507), (SampleStoreError.readFailed(Self.file), 500),
        ]
        for (failure, status) in errors {
            let error = HTTPError(recognition: failure)
            #expect(error.status == status)
            #expect(error.message.count <= 120 && !error.message.contains("/"))
        }
    }
}
