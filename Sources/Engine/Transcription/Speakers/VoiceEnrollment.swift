public import EngineAudio
import EngineBasics
import EngineModels
public import EngineVoices

/// Computes the voice of a person from recordings in which nobody else speaks.
public struct VoiceEnrollment: Sendable {
    private let diarizer: Diarizer
    private let executor = ComputeExecutor()
    private var vectors = VoiceVectors(size: VoiceNetwork.size)
    /// Seconds of speech that were added.
    public private(set) var seconds = 0.0

    /// Minimum seconds of speech. With less, the vector is unreliable; the figures in docs/speakers.md are for eight or
    /// more windows.
    public static let minSeconds = 5.0
    /// A second voice counts if it has at least this share of the speech, and at least this many seconds.
    private static let minShare = 0.1
    private static let minOtherSeconds = 2.0
    /// Minimum cosine of the voice in two recordings of the same person, including telephone recordings.
    private static let minSimilarity: Float = 0.4

    public init(_ networks: SpeakerNetworks, threads: Int) {
        diarizer = Diarizer(networks, threads: threads)
    }

    /// Adds the speech of a recording.
    ///
    /// - Parameter source: mono audio at 16 kHz.
    /// - Throws: `VoiceEnrollmentError`, errors of `source`, `ComputeError.outOfMemory`, `CancellationError`.
    public mutating func add(_ source: some AudioSource) async throws {
        let samples = SampleStore()
        let summary = try await RecordingReader().read(source, into: samples)
        if let failure = summary.failure { throw failure }
        let diarizer = diarizer
        let trace = try await executor.result {
            try diarizer.trace(sampleCount: summary.count, limits: SpeakerLimits(), read: { try samples.read($0) })
        }
        let speakers = trace.speakers
        guard let main = speakers.indices.max(by: { speakers[$0].windows < speakers[$1].windows }) else {
            throw VoiceEnrollmentError.noSpeech
        }
        let lengths = speakers.indices.map { speaker in
            trace.turns.reduce(0) { $0 + ($1.speaker == speaker ? $1.end - $1.start : 0) }
        }
        let least = max(Self.minOtherSeconds, Self.minShare * lengths.reduce(0, +))
        let voices = lengths.count { $0 >= least }
        if voices > 1 { throw VoiceEnrollmentError.severalVoices(voices) }
        if vectors.count > 0 {
            let similarity = speakers[main].similarity(to: vector)
            if similarity < Self.minSimilarity { throw VoiceEnrollmentError.anotherVoice(similarity: similarity) }
        }
        for index in trace.labels.indices where trace.labels[index] == trace.clusters[main] {
            vectors.append(trace.vectors[index])
        }
        seconds += lengths[main]
    }

    /// Returns the voice computed from all recordings added so far.
    ///
    /// - Throws: `VoiceEnrollmentError.tooLittleSpeech` for less than `minSeconds` of speech.
    public func voice(named name: String) throws(VoiceEnrollmentError) -> KnownVoice {
        guard seconds >= Self.minSeconds else { throw .tooLittleSpeech(seconds: seconds) }
        return KnownVoice(name: name, vector: vector)
    }

    private var vector: [Float] { vectors.centers(Array(repeating: 0, count: vectors.count), count: 1)[0] }
}

/// Why a voice cannot be computed from recordings.
public enum VoiceEnrollmentError: Error, Equatable, Sendable {
    /// The recording contains no speech.
    case noSpeech
    /// All recordings together have only `seconds` of speech.
    case tooLittleSpeech(seconds: Double)
    /// This many people speak in the recording.
    case severalVoices(Int)
    /// The voice differs from that of the earlier recordings; `similarity` is their cosine.
    case anotherVoice(similarity: Float)
}
