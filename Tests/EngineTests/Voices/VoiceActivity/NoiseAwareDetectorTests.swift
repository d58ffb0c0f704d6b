import Testing

@Suite("Noise-aware detector")
struct NoiseAwareDetectorTests {
    /// The generated weights give probabilities around this value.
    private static let threshold: Float = 0.36

    private let network: SileroNetwork
    private let planted: [Float]

    init() throws {
        let silero = try PlantedSilero.load()
        network = try silero.network()
        planted = silero.samples
    }

    private var detector: NoiseAwareDetector { NoiseAwareDetector(network, threshold: Self.threshold) }

    /// White noise at about -20 dB relative to full scale.
    private static func noise(_ count: Int) -> [Float] {
        var generator = SplitMix64(seed: 7)
        return (0..<count).map { _ in Float.random(in: -0.17...0.17, using: &generator) }
    }

    /// Quiet surroundings, eight seconds of the network's signal in loud noise, and quiet again.
    private var changing: [Float] {
        let speech = (planted + planted + planted).prefix(128_000)
        let quiet = EnergyDetectorTests.samples
        return quiet + zip(Self.noise(speech.count), speech).map { $0 + $1 } + quiet
    }

    @Test("in quiet surroundings the events are those of the energy detector")
    func quiet() {
        let samples = EnergyDetectorTests.samples
        let run = DetectorRun(detector, samples, blocks: [4000])
        #expect(run.events == DetectorRun(EnergyDetector(), samples, blocks: [4000]).events)
    }

    @Test("in loud noise the segments are those of the network, which the energy detector would merge")
    func noise() {
        let pause = [Float](repeating: 0, count: 24_000)
        let spoken = (0..<4).flatMap { _ in planted + pause }
        let samples = zip(Self.noise(spoken.count), spoken).map { $0 + $1 }
        func late(_ segments: [Range<Int>]) -> [Range<Int>] { segments.filter { $0.lowerBound >= 32_000 } }
        // The network starts to listen when the first second, which may be speech, is over.
        let start = 51 * 320
        let silero = SileroDetector(network, threshold: Self.threshold)
        let expected = late(
            DetectorRun(silero, Array(samples[start...]), blocks: [4000]).segments
                .map { $0.lowerBound + start..<$0.upperBound + start })
        #expect(expected.count > 1)
        #expect(late(DetectorRun(detector, samples, blocks: [4000]).segments) == expected)
        #expect(late(DetectorRun(EnergyDetector(), samples, blocks: [4000]).segments) != expected)
    }

    @Test("block sizes do not change the events", arguments: [[1], [319], [320], [512, 3], [16000, 1, 4000]])
    func blocks(sizes: [Int]) {
        let whole = DetectorRun(detector, changing, blocks: [changing.count])
        #expect(DetectorRun(detector, changing, blocks: sizes).events == whole.events)
    }

    @Test("where the detector changes, segments and voiced frames stay in order", arguments: [1, 20_000, 64_000])
    func order(offset: Int) {
        let run = DetectorRun(detector, Array(changing.dropFirst(offset)), blocks: [1000])
        var (isOpen, last) = (false, 0)
        for event in run.events {
            switch event {
            case .opened(let start):
                #expect(!isOpen && start >= last)
                (isOpen, last) = (true, start)
            case .voiced(let range):
                #expect(isOpen && range.lowerBound >= last && !range.isEmpty)
                last = range.upperBound
            case .closed(let end):
                #expect(isOpen && end >= last)
                (isOpen, last) = (false, end)
            }
        }
        #expect(!isOpen)
    }

    @Test("after a loss, the noise before it no longer counts")
    func reset() {
        let samples = EnergyDetectorTests.samples
        let noise = zip(Self.noise(64_000), planted + planted).map { $0 + $1 }
        var detector = detector
        _ = detector.feed(noise) + detector.finish()
        detector.reset()
        let expected = DetectorRun(EnergyDetector(), samples, blocks: [1000]).segments
        #expect(
            DetectorRun(detector, samples, blocks: [1000]).segments
                == expected.map { $0.lowerBound + noise.count..<$0.upperBound + noise.count })
    }

    @Test("after the noise, the energy detector decides again")
    func quietAgain() {
        let samples = EnergyDetectorTests.samples
        let start = changing.count - samples.count
        let run = DetectorRun(detector, changing, blocks: [1000])
        let expected = DetectorRun(EnergyDetector(), samples, blocks: [1000]).segments.suffix(2)
        #expect(run.segments.suffix(2) == expected.map { $0.lowerBound + start..<$0.upperBound + start }[...])
    }
}
