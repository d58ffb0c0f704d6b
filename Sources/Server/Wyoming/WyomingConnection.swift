import Synchronization
import WhisperEngine

/// A conversation in the Wyoming protocol, on a thread of its own: any number of recordings, one after another.
actor WyomingConnection {
    /// What the next recording is transcribed with.
    private struct Wishes {
        var model: String?
        var language: Language?
        var terms: [String] = []
    }

    private static let readBytes = 64 << 10
    /// How often a waiting connection looks whether its client is still there.
    private static let checkMilliseconds = 10
    /// How long a client that is refused may go on sending.
    private static let finishMilliseconds = 3000

    private let socket: StreamSocket
    private let server: WyomingServer
    private var parser = WyomingParser()
    /// `nil` until the client has said any.
    private var wishes: Wishes?
    private var audio: WyomingAudio?
    private var slot: SessionSlot?
    private nonisolated let executor = ComputeExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(_ socket: StreamSocket, _ server: WyomingServer) {
        self.socket = socket
        self.server = server
    }

    /// Answers until the client closes the connection, breaks the rules or is silent for too long.
    func run() async {
        defer { leave() }
        do {
            while let event = try next() { try await answer(event) }
        } catch let error as WyomingError {
            server.log("wyoming \(error.code.rawValue): \(error.text)")
            // Home Assistant does not read the message, but the end of the connection.
            leave()
            _ = socket.write(error.event, milliseconds: Int(1000 * server.settings.writeTime))
            socket.finish(milliseconds: Self.finishMilliseconds)
        } catch {
            // The client is gone.
        }
        socket.shutDown()
    }

    /// The next event; `nil` at the end.
    private func next() throws -> WyomingEvent? {
        var last = ContinuousClock.now
        while true {
            if let event = try parser.next() { return event }
            switch socket.wait(milliseconds: WyomingServer.tick) {
            case .closed: return nil
            case .readable:
                let bytes = socket.read(atMost: Self.readBytes)
                if bytes.isEmpty { return nil }
                parser.append(bytes)
                last = .now
            case .timedOut:
                let isBusy = audio != nil || parser.isInsideEvent
                if server.isStopping, !isBusy { return nil }
                let limit = isBusy ? server.settings.recordingTime : server.settings.idleTime
                if ContinuousClock.now - last > .seconds(limit) { return nil }
            }
        }
    }

    private func answer(_ event: WyomingEvent) async throws {
        switch event.type {
        case "describe":
            try send(
                WyomingEvent.bytes(
                    "info", data: await WyomingInfo.json(server.models, version: server.settings.version)))
        case "ping":
            let text = event.data["text"]?.string
            try send(
                WyomingEvent.bytes("pong", data: JSONText.object(text.map { [("text", JSONText.string($0))] } ?? [])))
        case "transcribe":
            // The first one may follow the sound; another begins a new recording.
            if wishes != nil { discard() }
            wishes = try Self.wishes(event.data)
        case "audio-start": discard()
        case "audio-chunk": try hear(event)
        case "audio-stop": try await finish()
        // Other events belong to other kinds of services, or to later versions.
        default: break
        }
    }

    private static func wishes(_ data: JSONValue) throws -> Wishes {
        var wishes = Wishes()
        wishes.model = data["name"]?.string
        do throws(HTTPError) {
            wishes.language = try LanguageField.language(data["language"]?.string ?? "", isStrict: false)
        } catch {
            throw WyomingError(.unknownLanguage, error.message)
        }
        for name in ["transcript_names", "transcript_terms"] {
            guard case .array(let terms)? = data[name] else { continue }
            wishes.terms += terms.compactMap(\.string).filter { !$0.isEmpty }
        }
        return wishes
    }

    private func hear(_ event: WyomingEvent) throws {
        if audio == nil {
            guard let slot = server.slots.enter() else {
                throw WyomingError(.busy, "Too many recordings are being sent. Try again in a moment.")
            }
            let socket = socket
            slot.onEviction { socket.shutDown() }
            self.slot = slot
            audio = WyomingAudio(maxSeconds: server.settings.maxDuration)
        }
        let before = audio?.seconds ?? 0
        try audio?.append(event)
        slot?.heard(seconds: (audio?.seconds ?? 0) - before)
    }

    /// Recognizes the recording and sends its transcript.
    private func finish() async throws {
        var recording = audio
        try recording?.finish()
        let wishes = wishes ?? Wishes()
        self.wishes = nil
        // The place is for those who are speaking; recognitions wait in a queue of their own.
        discard()
        var text = ""
        var language = wishes.language?.code
        if let recording, !recording.isEmpty {
            let start = ContinuousClock.now
            let transcript = try await transcript(of: recording.recording, wishes)
            text = OutputText.onOneLine(WhiteSpace.strip(transcript.text))
            language = transcript.language
            let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
            server.log("wyoming transcript of \(Int(1000 * recording.seconds)) ms in \(milliseconds) ms")
        }
        let members =
            [("text", JSONText.string(text))] + (language.map { [("language", JSONText.string($0))] } ?? [])
        try send(WyomingEvent.bytes("transcript", data: JSONText.object(members)))
    }

    private func transcript(of recording: Upload, _ wishes: Wishes) async throws -> Transcript {
        let recognition = Recognition()
        let task = Task { [server, client = "wyoming \(socket.peer)"] in
            await recognition.finish(Self.recognize(recording, wishes, server, client: client))
        }
        while true {
            if let result = recognition.result { return try result.get() }
            if socket.isClosed(within: Self.checkMilliseconds) {
                task.cancel()
                throw CancellationError()
            }
        }
    }

    /// What a recognition on other threads has come to.
    private final class Recognition: Sendable {
        private let state = Mutex<Result<Transcript, WyomingError>?>(nil)
        var result: Result<Transcript, WyomingError>? { state.withLock { $0 } }
        func finish(_ result: Result<Transcript, WyomingError>) { state.withLock { $0 = result } }
    }

    private static func recognize(
        _ recording: Upload, _ wishes: Wishes, _ server: WyomingServer, client: String
    ) async -> Result<Transcript, WyomingError> {
        do throws(HTTPError) {
            let model = try await server.models.model(
                wishes.model.flatMap { ModelNames(server.models).model(for: $0) })
            let options = try options(wishes, for: model)
            let transcription = try await server.transcriber.transcribe(
                recording, with: model, options: options, client: client, updates: { _ in })
            return .success(transcription.transcript)
        } catch {
            return .failure(WyomingError(error))
        }
    }

    private static func options(_ wishes: Wishes, for model: ServedModel) throws(HTTPError) -> TranscriptionOptions {
        var options = model.defaults
        if let language = wishes.language { options.language = try model.checked(language).code }
        var vocabulary = UserVocabulary()
        for term in wishes.terms { vocabulary.add(Term(term)) }
        options.add(vocabulary)
        return options.suited(to: model.traits)
    }

    private func send(_ bytes: [UInt8]) throws {
        guard socket.write(bytes, milliseconds: Int(1000 * server.settings.writeTime)) else {
            throw CancellationError()
        }
    }

    /// Forgets what was recorded.
    private func discard() {
        audio = nil
        leave()
    }

    private func leave() {
        if let slot { server.slots.leave(slot) }
        slot = nil
    }
}

extension WyomingError {
    fileprivate init(_ error: HTTPError) {
        let code: Code =
            switch (error.status, error.param) {
            case (503, _), (429, _): .busy
            case (422, _): .tooLong
            case (400, "language"): .unknownLanguage
            case (400, _): .badAudio
            default: .internalFailure
            }
        self.init(code, error.message)
    }
}
