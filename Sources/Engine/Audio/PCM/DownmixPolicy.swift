/// Decides whether channels can be mixed to mono, or cancel each other out so that one must be used alone.
///
/// Each block of about a second is measured *before* it is mixed: the energy of every channel and of their mean. These
/// energies are averaged with half the weight of each previous block; a block below -60 dB in every channel is skipped.
/// If the mean is more than 12 dB below the loudest channel, that channel is used alone, starting with this very block,
/// until the loss is below 6 dB again. So there is no need to scan the whole recording, and no block is mixed that
/// cancels. Two equal voices on two channels lose 3 dB and a voice on one of two channels loses 6 dB: both are mixed. A
/// voice on one of many channels loses more without any cancellation, so the mean must also be 5 dB below that of
/// uncorrelated channels.
struct DownmixPolicy {
    /// Energy ratios of 12 dB and 6 dB.
    private static let cancelingRatio = 15.85
    private static let mixableRatio = 3.98
    /// Energy ratio of 5 dB.
    private static let uncorrelatedRatio = 3.16
    /// Mean square of -60 dB relative to full scale.
    private static let silence = 1e-6

    private var channelEnergies: [Double]
    private var meanEnergy = 0.0
    /// The channel used alone, counted from 0; `nil` while all are mixed.
    private(set) var selectedChannel: Int?

    init(channels: Int) {
        channelEnergies = Array(repeating: 0, count: channels)
    }

    /// Updates the decision with the next block.
    ///
    /// - Parameters:
    ///   - channels: sum of squares of each channel.
    ///   - mean: sum of squares of the channels' mean.
    ///   - frames: length of the block.
    mutating func update(channels: [Double], mean: Double, frames: Int) {
        guard channels.count == channelEnergies.count, channels.count > 1, frames > 0,
            let peak = channels.max(), peak / Double(frames) > Self.silence
        else { return }
        for index in channels.indices { channelEnergies[index] = channelEnergies[index] / 2 + channels[index] }
        meanEnergy = meanEnergy / 2 + mean
        let loudest = channelEnergies.indices.max { channelEnergies[$0] < channelEnergies[$1] } ?? 0
        let ratio = selectedChannel == nil ? Self.cancelingRatio : Self.mixableRatio
        let uncorrelated = channelEnergies.reduce(0, +) / Double(channels.count * channels.count)
        guard channelEnergies[loudest] > ratio * meanEnergy, uncorrelated > Self.uncorrelatedRatio * meanEnergy else {
            selectedChannel = nil
            return
        }
        selectedChannel = selectedChannel ?? loudest
    }
}
