/// Decides whether channels can be mixed to mono, or cancel each other out so that one must be used alone.
///
/// Each block of 20 ms is measured *before* it is mixed: the energy of every channel and of their mean. If the mean is more
/// than 12 dB below the loudest channel, that channel is used alone, starting with this very block, until the loss is below
/// 6 dB again; if another channel becomes more than 3 dB louder, that one is used. A block below -80 dB in every channel
/// changes nothing. No block depends on the energy of others, so that channels that turn out of phase, or back, lose at
/// most a part of the block in which they do.
///
/// Two equal voices on two channels lose 3 dB and a voice on one of two channels loses 6 dB: both are mixed. A voice on one
/// of many channels loses more without any cancellation, so the mean must also be 5 dB below that of uncorrelated channels.
/// Two voices at the same time cancel by chance in one of 1700 blocks (two channels of English prompts; one of 700 blocks
/// of 10 ms), so only cancellation for 0.1 s is reported.
struct DownmixPolicy {
    /// Blocks per second.
    private static let blockRate = 50.0
    /// Seconds of cancellation without a pause that are reported.
    private static let reportedSeconds = 0.1
    /// Energy ratios of 12 dB and 6 dB.
    private static let cancelingRatio = 15.85
    private static let mixableRatio = 3.98
    /// Energy ratio of 5 dB.
    private static let uncorrelatedRatio = 3.16
    /// Energy ratios of 3 dB and 0.5 dB.
    private static let louderRatio = 2.0
    private static let equalRatio = 1.122
    /// Mean square of -80 dB relative to full scale.
    private static let silence = 1e-8

    /// Where channels cancelled each other out, for a warning.
    struct Report: Equatable {
        /// The first channel that was used alone, counted from 1.
        var channel: Int
        /// Whether others were used alone, too.
        var isOneOfSeveral = false
        /// Position of the first block, seconds.
        var first: Double
        /// Length of all blocks without silence, seconds.
        var seconds: Double
    }

    private let channelCount: Int
    private let sampleRate: Double
    /// Seconds measured so far.
    private var position: Double
    /// The blocks since the last one that was mixed.
    private var run: Report?
    private(set) var report: Report?
    /// The channel used alone, counted from 0; `nil` while all are mixed.
    private(set) var selectedChannel: Int?

    /// - Parameter previous: the policy for the audio before, which had another layout.
    init(channels: Int, sampleRate: Int, after previous: DownmixPolicy? = nil) {
        channelCount = channels
        self.sampleRate = Double(sampleRate)
        position = previous?.position ?? 0
        report = previous?.report
    }

    /// Frames of a whole block.
    var blockFrames: Int { max(1, Int((sampleRate / Self.blockRate).rounded())) }

    /// Divides a number of frames into blocks of about the same length.
    func blocks(of frames: Int) -> [Range<Int>] {
        let count = max(1, Int((Double(frames) / sampleRate * Self.blockRate).rounded()))
        return (0..<count).map { ($0 * frames / count)..<(($0 + 1) * frames / count) }
    }

    /// Updates the decision with the next block.
    ///
    /// - Parameters:
    ///   - channels: sum of squares of each channel.
    ///   - mean: sum of squares of the channels' mean.
    ///   - frames: length of the block.
    mutating func update(channels: [Double], mean: Double, frames: Int) {
        let start = position
        position += Double(frames) / sampleRate
        guard channels.count == channelCount, channels.count > 1, frames > 0,
            let loudest = channels.indices.max(by: { channels[$0] < channels[$1] }),
            channels[loudest] / Double(frames) > Self.silence
        else { return }
        let ratio = selectedChannel == nil ? Self.cancelingRatio : Self.mixableRatio
        let uncorrelated = channels.reduce(0, +) / Double(channels.count * channels.count)
        guard channels[loudest] > ratio * mean, uncorrelated > Self.uncorrelatedRatio * mean else {
            selectedChannel = nil
            run = nil
            return
        }
        // Of channels that are equal but for noise, always the same one.
        let first = channels.firstIndex { channels[loudest] <= Self.equalRatio * $0 } ?? loudest
        let chosen = selectedChannel.flatMap { channels[loudest] > Self.louderRatio * channels[$0] ? nil : $0 } ?? first
        selectedChannel = chosen
        count(chosen + 1, at: start, seconds: position - start)
    }

    /// Adds a block to the report, or to the current run while that is too short to be reported.
    private mutating func count(_ channel: Int, at start: Double, seconds: Double) {
        var run = run ?? Report(channel: channel, first: start, seconds: 0)
        let before = run.seconds
        run.seconds += seconds
        run.isOneOfSeveral = run.isOneOfSeveral || run.channel != channel
        self.run = run
        guard run.seconds >= Self.reportedSeconds else { return }
        var report = report ?? Report(channel: run.channel, first: run.first, seconds: 0)
        report.seconds += before < Self.reportedSeconds ? run.seconds : seconds
        report.isOneOfSeveral = report.isOneOfSeveral || run.isOneOfSeveral || report.channel != run.channel
        self.report = report
    }
}
