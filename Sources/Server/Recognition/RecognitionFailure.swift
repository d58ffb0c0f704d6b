import WhisperEngine

extension HTTPError {
    /// The message for an engine error: one sentence that says what to do, never a path. The error itself
    /// belongs in the log.
    package init(recognition error: any Error) {
        switch error {
        case let error as HTTPError: self = error
        case let error as AudioFormatError: self.init(audio: error)
        case let error as Language.LookupError: self.init(language: error)
        case let error as SampleStoreError: self.init(storing: error)
        case ComputeError.outOfMemory, ModelError.notEnoughMemory: self = .recognizerBusy
        case is CancellationError: self.init(499, "The request was cancelled.")
        default: self = .internalFailure()
        }
    }

    /// The recognizer cannot take the request now.
    package static var recognizerBusy: HTTPError {
        HTTPError(
            503, "The recognizer is busy. Try again in a moment.", type: "server_error", code: "overloaded",
            retryAfter: 1)
    }

    /// - Parameter request: the request ID, which is also in the log.
    package static func internalFailure(request: String? = nil) -> HTTPError {
        HTTPError(
            500, "Recognition failed. The server log has the reason\(request.map { " (request \($0))" } ?? "").",
            type: "server_error", code: "internal_error")
    }

    private init(language error: Language.LookupError) {
        switch error {
        case .unknown:
            self = .invalid("language", "The language is not known. Send a code such as en or de, or leave it out.")
        case .notInVocabulary(let code, _, _):
            self = .invalid(
                "language", "The model does not know the language \(code). Choose another model.",
                code: "unsupported_value")
        }
    }

    /// - Parameter detected: what the file is instead of a readable recording, in a few words.
    private static func unreadable(_ detected: String) -> HTTPError {
        let start = "This recording could not be read (detected: \(detected.prefix(34)))."
        let advice = " Record again or send WAV, M4A, MP3, FLAC, OGG or WebM."
        let short = " Send WAV, M4A, MP3, FLAC, OGG or WebM."
        let message = start + (start.count + advice.count <= 120 ? advice : short)
        return .invalid("file", String(message.prefix(120)), code: "invalid_audio")
    }

    private init(audio error: AudioFormatError) {
        switch error {
        case .emptyFile: self = .invalid("file", "The file is empty. Record again.", code: "invalid_audio")
        case .damagedWAV, .incompleteWAVHeader: self = .unreadable("damaged WAV")
        case .unsupportedCodec(_, let tag): self = .unreadable("unknown codec \(tag.replacingControlCharacters())")
        case .channels(_, let count): self = .unreadable("\(count) channels")
        case .sampleRate(_, let rate): self = .unreadable("\(rate) Hz")
        case .notAudio(_, let kind): self = .unreadable(kind ?? "unknown format")
        case .model(_, let kind): self = .unreadable("a model, \(kind)")
        case .playlist: self = .unreadable("a playlist")
        case .noAudioTrack(_, let videos): self = .unreadable(videos > 0 ? "video without audio" : "no audio")
        case .encrypted: self = .unreadable("encrypted audio")
        case .externalReferences: self = .unreadable("audio in other files")
        case .damaged, .decoderFailed: self = .unreadable("damaged audio")
        case .noSuchTrack, .needsSeeking, .notRegularFile, .isFolder, .url: self = .unreadable("unknown format")
        case .needsFFmpeg, .ffmpegMissing:
            self = .invalid("file", "This server reads only WAV recordings. Send a WAV file.", code: "invalid_audio")
        case .tooLong:
            self.init(
                422, "The recording is too long. Send it in parts.", code: "unprocessable", param: "file")
        case .tooManyOpenFiles, .outOfMemory: self = .recognizerBusy
        case .cancelled: self.init(499, "The request was cancelled.")
        case .noSuchFile, .danglingLink, .linkLoop, .nameTooLong, .notPermitted, .inputClosed, .inputIsTerminal,
            .readFailed, .readOnce, .pipeNotStored, .badRawFormat:
            self = .internalFailure()
        }
    }
}

extension Upload {
    /// Its length in seconds; `nil` if it does not say.
    ///
    /// - Throws: 400 unless the upload is a recording.
    func duration() throws(HTTPError) -> Double? {
        do throws(AudioFormatError) {
            return try open().duration.map { $0 / .seconds(1) }
        } catch {
            throw HTTPError(recognition: error)
        }
    }

    /// - Throws: 400 unless the upload is a recording.
    func check() throws(HTTPError) {
        do throws(AudioFormatError) {
            _ = try open()
        } catch {
            throw HTTPError(recognition: error)
        }
    }
}

extension HTTPError {
    /// The same error, with the request ID in the message if recognition failed: the log has the reason under that ID.
    func naming(request id: String) -> HTTPError {
        status == 500 && code == "internal_error" && !id.isEmpty ? .internalFailure(request: id) : self
    }
}
