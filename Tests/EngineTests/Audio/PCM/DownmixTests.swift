import Foundation
import Testing

/// Whatever the phase of the channels does, the mix contains what each of them contains.
@Suite("Mixing channels that cancel")
struct DownmixTests {
    private let folder: AudioFolder

    init() throws { folder = try AudioFolder() }

    private static let rate = 16_000
    private static let count = 12 * rate

    /// Syllables of a tone with its harmonics and pauses of 0.4 s.
    private static let voice: [Double] = (0..<count).map { index in
        let time = Double(index) / Double(rate), place = time.truncatingRemainder(dividingBy: 1.6)
        guard place < 1.2 else { return 0 }
        return (1...4).reduce(0) { $0 + sin(time * 2 * .pi * 140 * Double($1)) / Double($1) } * 4000
            * sin(.pi * place / 1.2)
    }

    /// What the other channels have, relative to the voice of the first one, at a sample.
    enum Kind: String, CaseIterable {
        case fromTheStart, turning, turningBack, often, inTheMiddleOfABlock, slowly, quieter, threeChannels, sixChannels
        case silentChannel, silentFirst

        /// How often the other channel turns, if the first one is the voice and there is no third; in each turn, less than
        /// a block may differ.
        fileprivate var turns: Int? {
            switch self {
            case .fromTheStart: 0
            case .turning, .inTheMiddleOfABlock: 1
            case .turningBack: 2
            case .often: 17
            default: nil
            }
        }

        fileprivate func gains(at sample: Int) -> [Double] {
            let time = Double(sample) / Double(DownmixTests.rate)
            return switch self {
            case .fromTheStart: [1, -1]
            case .turning: [1, time < 5 ? 1 : -1]
            case .turningBack: [1, time < 3 || time > 6.4 ? 1 : -1]
            case .often: [1, Int(time / 0.7) % 2 == 0 ? 1 : -1]
            case .inTheMiddleOfABlock: [1, sample < 90_123 ? 1 : -1]
            case .slowly: [1, cos(.pi * time / 12)]
            case .quieter: [0.7, time < 2 ? 1 : -0.9]
            case .threeChannels: [1, time < 4 ? 1 : -1, 0]
            case .sixChannels: [1, -1, time < 4 ? 1 : -1, 1, -1, -1]
            case .silentChannel: [1, 0]
            // The second channel alone has the voice after the two cancelled each other out.
            case .silentFirst: time < 4 ? [1, -0.9] : [0, 1]
            }
        }
    }

    @Test("no block of the mix is much quieter than the loudest channel", arguments: Kind.allCases, ["wav", "flac"])
    func nothingLost(kind: Kind, format: String) async throws {
        let frames = (0..<Self.count).map { index in kind.gains(at: index).map { ($0 * Self.voice[index]).rounded() } }
        let bytes = WAVBytes(
            channels: frames[0].count, rate: Self.rate, data: frames.flatMap { $0.flatMap { u16(Int($0.rounded())) } })
        var path = try folder.write(bytes.file, "x.wav")
        if format == "flac" {
            #if HAS_FFMPEG
                path = try folder.ffmpeg("-i x.wav", to: "x.flac")
            #else
                return
            #endif
        }
        let mix = try await pcm16(path).map { Double($0) }
        #expect(mix.count == Self.count)
        func energy(_ samples: ArraySlice<Double>) -> Double { samples.reduce(0) { $0 + $1 * $1 } }
        var quiet = 0
        for start in stride(from: 0, to: Self.count, by: 1600) {
            let loudest =
                frames[0].indices.map { channel in
                    energy(frames[start..<(start + 1600)].map { $0[channel] }[...])
                }.max() ?? 0
            // Rounding makes up most of what is quieter than -60 dB.
            guard loudest > 1600 * 33 * 33 else { continue }
            // FFmpeg weighs the six channels of a surround recording unequally.
            let limit = kind == .sixChannels && format == "flac" ? 0.03 : kind == .threeChannels ? 0.05 : 0.062
            if energy(mix[start..<(start + 1600)]) < limit * loudest { quiet += 1 }
        }
        #expect(quiet == 0)
        if let turns = kind.turns {
            let differing = zip(mix, Self.voice).count { $0 != $1.rounded() }
            #expect(differing <= turns * Self.rate / 45, "\(differing)")
        }
        let warnings = try await warnings(path)
        let isReported = warnings.contains { if case .phaseCancellation = $0 { true } else { false } }
        #expect(isReported == (kind != .silentChannel), "\(warnings)")
    }

    @Test("two voices at the same time are mixed, and nothing is reported")
    func independent() async throws {
        let other = (0..<Self.count).map { index in
            sin(Double(index) / Double(Self.rate) * 2 * .pi * 187) * 5000 * abs(sin(Double(index) / 9000))
        }
        let data = zip(Self.voice, other).flatMap { u16(Int($0.rounded())) + u16(Int($1.rounded())) }
        let path = try folder.write(WAVBytes(channels: 2, rate: Self.rate, data: data).file, "x.wav")
        #expect(try await warnings(path).isEmpty)
        let mix = try await pcm16(path)
        let differing = zip(mix, zip(Self.voice, other)).count {
            abs(Double($0) - ($1.0.rounded() + $1.1.rounded()) / 2) > 1
        }
        #expect(differing <= Self.count / 200)
    }

    @Test("the warning says where and for how long one channel was used")
    func warning() async throws {
        let data = Self.voice.enumerated().flatMap { index, sample in
            u16(Int(sample)) + u16(Int(sample) * (index < 80_000 || index >= 128_000 ? 1 : -1))
        }
        let path = try folder.write(WAVBytes(channels: 2, rate: Self.rate, data: data).file, "x.wav")
        guard case .phaseCancellation(1, let seconds, let first)? = try await warnings(path).first else {
            Issue.record("no warning")
            return
        }
        // Between 5 and 8 s, without the pauses.
        #expect(abs(first - 5) < 0.03 && abs(seconds - 2.2) < 0.2, "\(first) \(seconds)")
    }
}
