/// Turns bytes of uncompressed sound into chunks: decode, repair, mix, resample, quantise to 16 bits.
final class PCMReader: ChunkReader {
    struct Layout: Equatable {
        var encoding: SampleEncoding
        var channels: Int
        var sampleRate: Int

        var frameBytes: Int { encoding.bytesPerSample * channels }
    }

    private let bytes: ByteReader
    private let layout: Layout
    private let report: AudioReport
    private var findings: AudioFindings
    private var bytesLeft: Int?
    private var rest: [UInt8] = []
    private var balance: ChannelBalance
    private var resampler: Resampler?
    private var assembler = ChunkAssembler()
    private var isAtEnd = false

    /// - Parameters:
    ///   - length: bytes of sound; `nil` reads to the end.
    ///   - opening: what was noticed before the first sample.
    init(_ bytes: ByteReader, layout: Layout, length: Int?, opening: AudioFindings, report: AudioReport) {
        self.bytes = bytes
        self.layout = layout
        self.report = report
        findings = opening
        bytesLeft = length
        balance = ChannelBalance(channels: layout.channels)
        if layout.sampleRate != AudioChunk.sampleRate { resampler = Resampler(from: layout.sampleRate) }
    }

    var isStalled: Bool { bytes.file.isStalled }

    func next() throws -> AudioChunk? {
        while !assembler.isFull, !isAtEnd {
            try Task.checkCancellation()
            try readBlock()
            guard assembler.count <= AudioLimits.longestSamples else { throw AudioFormatError.tooLong(bytes.file.name) }
        }
        tell()
        return assembler.next(isAtEnd: isAtEnd)
    }

    /// The samples of what has come, at most a second of them, without waiting for more; none where a resampler holds
    /// them back, `nil` at the end.
    func arrived() throws -> [Float]? {
        if !isAtEnd { try readBlock() }
        guard assembler.count <= AudioLimits.longestSamples else { throw AudioFormatError.tooLong(bytes.file.name) }
        tell()
        return assembler.next(isAtEnd: true)?.samples ?? (isAtEnd ? nil : [])
    }

    private func tell() {
        findings.samples = assembler.count
        findings.isAtEnd = isAtEnd
        report.replace(with: findings)
    }

    private func readBlock() throws(AudioFormatError) {
        let second = layout.sampleRate * layout.frameBytes
        let wanted = min(second, AudioLimits.blockBytes, bytesLeft ?? .max)
        let read = wanted > 0 ? try bytes.read(upTo: wanted) : []
        bytesLeft = bytesLeft.map { $0 - read.count }
        isAtEnd = read.isEmpty
        rest += read
        let whole = rest.count - rest.count % layout.frameBytes
        if whole > 0 {
            let samples = layout.encoding.samples(
                whole == rest.count ? rest : Array(rest[..<whole]),
                in16Bits: layout.channels == 1 && resampler == nil)
            rest.removeFirst(whole)
            convert(samples)
        }
        if isAtEnd {
            findings.partialBytes = rest.count
            if let tail = resampler?.finish() { append(tail) }
        }
    }

    private func convert(_ decoded: [Float]) {
        let samples = layout.encoding.isFloat ? repaired(decoded) : decoded
        let mono = layout.channels == 1 ? samples : mixed(samples)
        append(resampler?.process(mono) ?? mono)
    }

    private func append(_ samples: [Float]) {
        var samples = samples
        // FFmpeg cuts wider integers off at 16 bits and rounds all else; so do we where both are to be equal.
        let cutsOff = !layout.encoding.isFloat && layout.channels == 1 && resampler == nil
        // Up to 16 bits of one channel are such numbers already.
        if !cutsOff || layout.encoding.bytesPerSample > 2 { SampleKernels.quantise(&samples, down: cutsOff) }
        assembler.append(samples)
    }

    /// NaN and infinity become 0, what is beyond full scale ±1.
    private func repaired(_ samples: [Float]) -> [Float] {
        var samples = samples
        for index in samples.indices where !(samples[index].magnitude <= 1) {
            if samples[index].isFinite {
                findings.clipped += 1
                samples[index] = samples[index] > 0 ? 1 : -1
            } else {
                findings.notNumbers += 1
                samples[index] = 0
            }
        }
        return samples
    }

    private func mixed(_ samples: [Float]) -> [Float] {
        let channels = layout.channels
        let frames = samples.count / channels
        var energies = [Double](repeating: 0, count: channels)
        var meanEnergy = 0.0
        var mean: [Float] = []
        mean.reserveCapacity(frames)
        for frame in 0..<frames {
            var sum: Float = 0
            for channel in 0..<channels {
                let sample = samples[frame * channels + channel]
                sum += sample
                energies[channel] += Double(sample * sample)
            }
            let value = sum / Float(channels)
            meanEnergy += Double(value * value)
            mean.append(value)
        }
        balance.hear(channels: energies, mean: meanEnergy, frames: frames)
        guard let chosen = balance.chosen else { return mean }
        if findings.channelUsed == nil { findings.channelUsed = chosen + 1 }
        return (0..<frames).map { samples[$0 * channels + chosen] }
    }
}
