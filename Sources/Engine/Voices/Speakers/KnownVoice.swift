/// The voice of a speaker in a recording.
package struct SpeakerVoice: Hashable, Sendable {
    /// The mean of the vectors of the voice windows, of length 1.
    package let vector: [Float]
    /// The number of windows.
    package let windows: Int

    package init(vector: [Float], windows: Int) {
        self.vector = vector
        self.windows = windows
    }

    /// The voices of clusters of vectors.
    static func voices(of vectors: VoiceVectors, _ labels: [Int], clusters: [Int]) -> [SpeakerVoice] {
        let centers = vectors.centers(labels, count: (labels.max() ?? -1) + 1)
        return clusters.map { cluster in
            SpeakerVoice(vector: centers[cluster], windows: labels.count { $0 == cluster })
        }
    }

    /// The cosine of two voices: close to 1 for the same person, about 0.1 for different ones.
    package func similarity(to other: [Float]) -> Float {
        zip(vector, other).reduce(0) { $0 + $1.0 * $1.1 }
    }
}

/// A voice that was enrolled under a name, so that its speaker is recognized in other recordings. It is biometric data of
/// that person.
public struct KnownVoice: Hashable, Sendable {
    public let name: String
    /// A vector of `size` numbers, normalized to length 1.
    public let vector: [Float]

    /// The number of elements in a vector: 192.
    public static let size = VoiceNetwork.size

    /// Minimum cosine of a speaker and an enrolled voice. It is mostly below 0.5 for different people, but may also be
    /// for the same person on another microphone.
    private static let minSimilarity: Float = 0.55
    /// Minimum lead over the second most similar voice.
    private static let minLead: Float = 0.10

    /// - Parameter vector: `size` numbers, of length 1, as computed by `VoiceEnrollment`.
    public init(name: String, vector: [Float]) {
        self.name = name
        self.vector = vector
    }

    /// Whether the two voices are similar enough to be confused.
    package func isConfusable(with other: KnownVoice) -> Bool {
        SpeakerVoice(vector: vector, windows: 0).similarity(to: other.vector) >= Self.minSimilarity
    }

    /// Returns the name of each speaker whose voice is known, `nil` for the others. A voice names a speaker if their
    /// cosine is large enough, no other voice is nearly as similar, and no other speaker is as similar to that voice.
    package static func names(of speakers: [SpeakerVoice], among voices: [KnownVoice]) -> [String?] {
        let similarities = speakers.map { speaker in voices.map { speaker.similarity(to: $0.vector) } }
        return speakers.indices.map { speaker in
            let row = similarities[speaker]
            guard let best = row.indices.max(by: { row[$0] < row[$1] }), row[best] >= minSimilarity,
                row.indices.allSatisfy({ $0 == best || row[$0] <= row[best] - minLead }),
                similarities.indices.allSatisfy({ $0 == speaker || similarities[$0][best] < row[best] })
            else { return nil }
            return voices[best].name
        }
    }
}
