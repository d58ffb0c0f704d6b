import EngineAudio
import EngineBasics
import EngineModels
import EngineTranscription
import EngineTranscripts
import Synchronization

/// The transcription of a recording, or the detection of its language.
final class Job: Sendable {
    let events = EventQueue()
    private let task: Task<Void, Never>
    /// Samples of the caller's that are no longer to be read after `free`.
    private let borrowed: CallerSamples?

    /// Transcribes samples.
    ///
    /// - Parameter samples: makes the source; `true` if they are to be borrowed.
    convenience init(
        _ model: LoadedModel, options text: [UInt8]?, samples: (_ borrows: Bool) -> CallerSamples
    ) throws {
        let options = try JobOptions(text, of: .samples, for: model)
        let source = samples(options.borrows)
        self.init(model, options, borrowed: source) { source }
    }

    /// Transcribes a file.
    convenience init(_ model: LoadedModel, options text: [UInt8]?, file path: FilePath) throws {
        let options = try JobOptions(text, of: .file, for: model)
        let open = { @Sendable () throws -> any AudioSource in try Self.open(path, options.audio) }
        // A named pipe may have to wait for its writer.
        if case .success(let status) = FileSystem.status(path), status.kind != .file, status.kind != .folder {
            self.init(model, options, open: open)
        } else {
            let source = try open()
            self.init(model, options) { source }
        }
    }

    /// Transcribes what a descriptor delivers.
    convenience init(_ model: LoadedModel, options text: [UInt8]?, descriptor: Int32) throws {
        let options = try JobOptions(text, of: .file, for: model)
        let name = FilePath("/dev/fd/\(descriptor)")
        let descriptor = try OwnedDescriptor(copying: descriptor)
        self.init(model, options, owned: descriptor) {
            try options.audio.source(
                { try AudioFile.open(descriptor: descriptor.number, name: name, options: $0) },
                channels: { try AudioFile.openChannels(descriptor: descriptor.number, name: name, options: $0) })
        }
    }

    static func open(_ path: FilePath, _ options: InputOptions) throws -> any AudioSource {
        try options.source(
            { try AudioFile.open(path, options: $0) }, channels: { try AudioFile.openChannels(path, options: $0) })
    }

    /// - Parameter owned: kept until the job has ended.
    private init(
        _ model: LoadedModel, _ options: JobOptions, borrowed: CallerSamples? = nil, owned: OwnedDescriptor? = nil,
        open: @escaping @Sendable () throws -> any AudioSource
    ) {
        self.borrowed = borrowed
        task = Task.detached { [events, borrowed] in
            await Self.run(events) {
                // A pipe may have to wait for its writer, which must not block a shared thread.
                let source = try await ComputeExecutor().result(of: open)
                let recognizer = model.takeRecognizer()
                defer { model.putBack(recognizer) }
                var transcription = options.transcription
                let report = { @Sendable (start: RecordingStart) in
                    events.add(EventText.info(start, findsSpeech: options.transcription.voiceActivity != nil))
                    if options.isLazy { events.waitForReader(untilAsked: true) }
                }
                // Only samples in memory can be read twice. Nobody has to wait until all of them have been.
                let early =
                    options.isLazy && borrowed != nil
                    ? try await recognizer.startEarly(source, options: transcription, onStart: report) : nil
                if early?.languageProbabilities != nil { transcription.language = early?.language }
                let transcript = try await recognizer.transcribe(
                    source, options: transcription, onStart: { if early == nil { report($0) } },
                    updates: { update in Self.report(update, options, to: events) })
                for warning in source.warnings {
                    events.add(EventText.notice("\(warning)", isWarning: warning.level == .warning))
                }
                events.add(EventText.done(transcript))
            }
            withExtendedLifetime(owned) {}
        }
    }

    /// Detects the language of samples.
    init(
        detectingLanguageWith model: LoadedModel, options text: [UInt8]?,
        samples: (_ borrows: Bool) -> CallerSamples
    ) throws {
        let options = try JobOptions(detectingLanguage: text)
        let source = samples(options.borrows)
        borrowed = source
        var transcription = options.transcription
        if !model.speech.traits.usesWhisperOptions { transcription.whisper = WhisperOptions() }
        task = Task.detached { [events, transcription] in
            await Self.run(events) {
                let recognizer = model.takeRecognizer()
                defer { model.putBack(recognizer) }
                let start = try await recognizer.start(of: source, options: transcription)
                events.add(EventText.info(start, findsSpeech: transcription.voiceActivity != nil))
            }
        }
    }

    private static func run(_ events: EventQueue, _ body: () async throws -> Void) async {
        do {
            try await body()
            events.finish()
        } catch {
            events.finish(InterfaceError(error))
        }
    }

    private static func report(_ update: TranscriptUpdate, _ options: JobOptions, to events: EventQueue) {
        switch update {
        case .volatile(let segment):
            if options.showsVolatile { events.add(EventText.volatile(segment), .volatile) }
        case .final(let segment): events.add(EventText.segment(segment, isLive: false))
        case .progress(let position, let duration):
            events.add(EventText.progress(position: position, duration: duration), .progress)
            if options.isLazy { events.waitForReader(untilAsked: false) }
        case .event(let event):
            if case .heard = event.window { break }
            events.add(EventText.notice(event.description))
        case .language, .status, .gap: break
        }
    }

    func cancel() {
        events.cancel()
        task.cancel()
    }

    /// The same, and reads none of the caller's samples from then on.
    func free() {
        cancel()
        borrowed?.release()
    }
}
