/// Decides whether channels may be mixed, or cancel each other so that one must be taken alone.
///
/// Sound is measured in blocks of about a second *before* it is mixed: the energy of every channel and of their mean.
/// Each block's energies are added to half of what was heard before; a block below -60 dB in every channel is not
/// counted. When the mean lies more than 12 dB under the loudest channel, that channel is taken alone from this very
/// block on, until the loss is below 6 dB again. So no look at the whole recording is needed, and nothing that cancels
/// is ever handed on. Two equal voices on two channels lose 3 dB, a voice on one of two 6 dB: both are mixed. A voice on
/// one of many channels loses more, but cancels nothing: the mean must also lie 5 dB under what channels that have
/// nothing to do with each other would give.
struct ChannelBalance {
    /// Energy ratios of 12 dB and 6 dB.
    private static let cancelling = 15.85
    private static let mixable = 3.98
    /// Energy ratio of 5 dB.
    private static let unrelated = 3.16
    /// Mean square of -60 dB of full scale.
    private static let silence = 1e-6

    private var channelEnergies: [Double]
    private var meanEnergy = 0.0
    /// The channel taken alone, counted from 0; `nil` while all are mixed.
    private(set) var chosen: Int?

    init(channels: Int) {
        channelEnergies = Array(repeating: 0, count: channels)
    }

    /// - Parameters:
    ///   - channels: sum of squares of each channel in the block.
    ///   - mean: sum of squares of the channels' mean.
    ///   - frames: length of the block.
    mutating func hear(channels: [Double], mean: Double, frames: Int) {
        guard channels.count == channelEnergies.count, channels.count > 1, frames > 0,
            let peak = channels.max(), peak / Double(frames) > Self.silence
        else { return }
        for index in channels.indices { channelEnergies[index] = channelEnergies[index] / 2 + channels[index] }
        meanEnergy = meanEnergy / 2 + mean
        let loudest = channelEnergies.indices.max { channelEnergies[$0] < channelEnergies[$1] } ?? 0
        let limit = chosen == nil ? Self.cancelling : Self.mixable
        let independent = channelEnergies.reduce(0, +) / Double(channels.count * channels.count)
        guard channelEnergies[loudest] > limit * meanEnergy, independent > Self.unrelated * meanEnergy else {
            chosen = nil
            return
        }
        chosen = chosen ?? loudest
    }
}
