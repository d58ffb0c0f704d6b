import EngineVoices

/// The speakers of a live session so far: running centers, which clustering corrects at pauses.
///
/// Finals that have been published keep their speaker's number.
struct RunningSpeakers {
    private struct Speaker {
        /// The sum of the vectors that certainly belong to this speaker.
        var sum: [Float]
        /// False if the voice turned out to be that of another speaker.
        var isActive = true

        init(_ vectors: [[Float]]) {
            sum = [Float](repeating: 0, count: VoiceNetwork.size)
            for vector in vectors { add(vector) }
        }

        mutating func add(_ vector: [Float]) {
            for i in sum.indices { sum[i] += vector[i] }
        }

        var center: [Float] {
            let length = max(1e-9, sum.reduce(0) { $0 + $1 * $1 }.squareRoot())
            return sum.map { $0 / length }
        }
    }

    /// Minimum cosines, chosen on simulated conversations (docs/speakers.md): of a vector and its speaker's center, of
    /// a vector and a center that it contributes to, of the vectors of a new speaker, and of two centers of the same
    /// voice.
    private static let explained: Float = 0.30
    private static let certain: Float = 0.45
    private static let agreeing: Float = 0.45
    private static let sameVoice: Float = 0.60
    /// Number of similar vectors that make up a new speaker, and number of recent unexplained vectors among which they
    /// are searched.
    private static let founders = 3
    private static let maxUnexplained = 60
    /// Minimum size of a cluster without a speaker to become a new speaker at a pause. Smaller ones are mostly
    /// overlapping voices, or a known voice in noise.
    private static let minNewCluster = 10
    /// Vectors are clustered when there are at least this many, and this factor more than at the last clustering.
    private static let minVectors = 8
    private static let growth = 1.05
    /// Maximum number of vectors in a clustering tree, and of vectors kept: two hours of speech without a pause.
    private static let maxLeaves = 1000
    private static let maxVectors = 12_000

    private let maximum: Int?
    private var speakers: [Speaker] = []
    private var vectors = VoiceVectors(size: VoiceNetwork.size)
    /// The speaker of each vector; `nil` if no center explains it.
    private var owners: [Int?] = []
    private var unexplained: [[Float]] = []
    /// The number of vectors after which they are clustered again.
    private var nextClustering = Self.minVectors

    /// - Parameter maximum: how many speakers there may be; `nil` is no limit.
    init(maximum: Int?) { self.maximum = maximum }

    /// The speaker with this number.
    func voice(of speaker: Int) -> SpeakerVoice {
        SpeakerVoice(vector: speakers[speaker].center, windows: owners.count { $0 == speaker })
    }

    /// Returns the speaker whose voice is most similar to a vector; `nil` if none is similar enough.
    func speaker(of vector: [Float]) -> Int? {
        guard let best = nearest(to: vector), best.cosine >= Self.explained else { return nil }
        return best.speaker
    }

    /// Adds the vector of the next window of speech.
    mutating func add(_ vector: [Float]) {
        vectors.append(vector)
        if let best = nearest(to: vector), best.cosine >= Self.explained {
            if best.cosine >= Self.certain { speakers[best.speaker].add(vector) }
            owners.append(best.speaker)
        } else {
            owners.append(found(by: vector))
        }
        if vectors.count > Self.maxVectors { forget() }
    }

    private func nearest(to vector: [Float]) -> (speaker: Int, cosine: Float)? {
        var best: (speaker: Int, cosine: Float)?
        for (index, speaker) in speakers.enumerated() where speaker.isActive {
            let cosine = Self.cosine(speaker.center, vector)
            if best.map({ cosine > $0.cosine }) ?? true { best = (index, cosine) }
        }
        return best
    }

    private static func cosine(_ a: [Float], _ b: [Float]) -> Float { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }

    /// A new speaker, if enough of the unexplained vectors agree with this one. The very first vector is a speaker by itself,
    /// so that the first words have one.
    private mutating func found(by vector: [Float]) -> Int? {
        guard mayGrow else { return nil }
        var founders = [vector]
        for other in unexplained.reversed() where founders.count < Self.founders {
            if founders.allSatisfy({ Self.cosine($0, other) >= Self.agreeing }) { founders.append(other) }
        }
        guard founders.count == Self.founders || speakers.isEmpty else {
            unexplained = (unexplained + [vector]).suffix(Self.maxUnexplained)
            return nil
        }
        let speaker = Speaker(founders), center = speaker.center
        unexplained.removeAll { Self.cosine($0, center) >= Self.explained }
        return addSpeaker(speaker)
    }

    private var mayGrow: Bool { maximum.map { speakers.count { $0.isActive } < $0 } ?? true }

    /// Adds a speaker and returns its number. If the maximum is reached, it gets the number of an inactive speaker,
    /// because numbers that have been published cannot be withdrawn.
    private mutating func addSpeaker(_ speaker: Speaker) -> Int {
        if let maximum, speakers.count >= maximum, let free = speakers.firstIndex(where: { !$0.isActive }) {
            speakers[free] = speaker
            return free
        }
        speakers.append(speaker)
        return speakers.count - 1
    }

    /// Drops the older half of the vectors.
    private mutating func forget() {
        let kept = vectors.count / 2
        vectors = vectors.suffix(kept)
        owners = owners.suffix(kept)
        nextClustering = min(nextClustering, Int(Double(kept) * Self.growth))
    }

    /// Clusters all vectors. Each speaker keeps the cluster with most of their vectors; large clusters left over are new
    /// speakers.
    mutating func settle() throws {
        guard vectors.count >= nextClustering else { return }
        nextClustering = Int((Double(vectors.count) * Self.growth).rounded(.up))
        let limits = SpeakerLimits(maximum: maximum)
        let labels = try SpeakerClustering(limits: limits, maxLeaves: Self.maxLeaves).labels(of: vectors)
        let clusters = (labels.max() ?? -1) + 1, centers = vectors.centers(labels, count: clusters)
        var names = assignment(of: labels, clusters: clusters)
        for speaker in speakers.indices where speakers[speaker].isActive && !names.contains(speaker) {
            // Too few vectors for a cluster, or the voice of another speaker.
            let center = speakers[speaker].center
            let isOther = (0..<clusters).contains { Self.cosine(centers[$0], center) >= Self.sameVoice }
            speakers[speaker].isActive = !isOther
        }
        for cluster in 0..<clusters where names[cluster] == nil && mayGrow {
            let size = labels.count { $0 == cluster }
            if size >= Self.minNewCluster { names[cluster] = addSpeaker(Speaker([])) }
        }
        for speaker in names.compactMap(\.self) { speakers[speaker].sum = [Float](repeating: 0, count: vectors.size) }
        for (index, label) in labels.enumerated() {
            // Speakers without a cluster keep their vectors.
            if let owner = owners[index], speakers[owner].isActive, !names.contains(owner) { continue }
            owners[index] = names[label]
            if let name = names[label] { speakers[name].add(vectors[index]) }
        }
        let explainedNow = unexplained.map { speaker(of: $0) != nil }
        unexplained = zip(unexplained, explainedNow).filter { !$0.1 }.map(\.0)
    }

    /// The speaker of each cluster: pairs with the most vectors in common come first; `nil` for a cluster that is left over.
    private func assignment(of labels: [Int], clusters: Int) -> [Int?] {
        var common = [Int](repeating: 0, count: clusters * speakers.count)
        for (label, owner) in zip(labels, owners) {
            if let owner { common[label * speakers.count + owner] += 1 }
        }
        var names = [Int?](repeating: nil, count: clusters)
        let pairs = common.indices.filter { common[$0] > 0 }.sorted { (common[$1], $0) < (common[$0], $1) }
        for pair in pairs {
            let (cluster, speaker) = (pair / speakers.count, pair % speakers.count)
            if names[cluster] == nil, !names.contains(speaker), speakers[speaker].isActive { names[cluster] = speaker }
        }
        return names
    }
}
