import EngineBasics

/// Converts uncompressed audio to chunks: decodes, repairs, mixes or selects a channel, resamples and quantizes to 16 bits.
final class PCMReader: ChunkReader {
    private let bytes: ByteReader
    private let format: RawFormat
    /// The channel to read, counted from 0; `nil` mixes all.
    private let channel: Int?
    private let shared: SharedDiagnostics
    private var diagnostics: AudioDiagnostics
    private var bytesLeft: Int?
    /// Bytes of an incomplete frame, or of an incomplete block to mix.
    private var partial: [UInt8] = []
    private var downmix: DownmixPolicy
    private var resampler: Resampler?
    private var assembler = ChunkAssembler()
    private var isAtEnd = false

    /// - Parameters:
    ///   - channel: the channel to read, counted from 0; `nil` mixes all.
    ///   - length: bytes of audio; `nil` reads to the end.
    ///   - initial: the diagnostics before the first sample.
    init(
        _ bytes: ByteReader, format: RawFormat, channel: Int? = nil, length: Int? = nil,
        initial: AudioDiagnostics = AudioDiagnostics(), diagnostics: SharedDiagnostics
    ) {
        self.bytes = bytes
        self.format = format
        self.channel = channel
        shared = diagnostics
        self.diagnostics = initial
        bytesLeft = length
        downmix = DownmixPolicy(channels: format.channels, sampleRate: format.sampleRate)
        if format.sampleRate != AudioChunk.sampleRate { resampler = Resampler(from: format.sampleRate) }
    }

    var isStalled: Bool { bytes.isStalled }

    /// Whether there is only one channel to read.
    private var isMono: Bool { format.channels == 1 || channel != nil }

    func next() throws -> AudioChunk? {
        while !assembler.isFull, !isAtEnd {
            try Task.checkCancellation()
            try readBlock()
            try checkLength()
        }
        shareDiagnostics()
        return assembler.next(isAtEnd: isAtEnd)
    }

    /// Returns the available samples, at most one second, without waiting for more: none while the resampler holds them
    /// back, `nil` at the end.
    func nextAvailable() throws -> [Float]? {
        if !isAtEnd { try readBlock() }
        try checkLength()
        shareDiagnostics()
        return assembler.next(isAtEnd: true)?.samples ?? (isAtEnd ? nil : [])
    }

    private func checkLength() throws(AudioFormatError) {
        guard assembler.count <= AudioLimits.maxSamples else { throw .tooLong(bytes.file.name) }
    }

    private func shareDiagnostics() {
        diagnostics.samples = assembler.count
        diagnostics.isAtEnd = isAtEnd
        shared.replace(with: diagnostics)
    }

    private func readBlock() throws(AudioFormatError) {
        let second = format.sampleRate * format.frameBytes
        let wanted = min(second, AudioLimits.blockBytes, bytesLeft ?? .max)
        let block = wanted > 0 ? try bytes.read(upTo: wanted) : []
        bytesLeft = bytesLeft.map { $0 - block.count }
        isAtEnd = block.isEmpty
        partial += block
        // Channels are mixed in blocks that do not depend on how much could be read at a time.
        let unit = isMono || isAtEnd ? format.frameBytes : format.frameBytes * downmix.blockFrames
        let whole = partial.count - partial.count % unit
        if whole > 0 {
            let frames = whole == partial.count ? partial : Array(partial[..<whole])
            partial.removeFirst(whole)
            convert(
                format.encoding.samples(
                    channel.map { samples(of: $0, in: frames) } ?? frames, in16Bits: isMono && resampler == nil))
        }
        if isAtEnd {
            diagnostics.partialBytes = partial.count
            if let tail = resampler?.finish() { append(tail) }
        }
    }

    private func convert(_ decoded: [Float]) {
        let samples = format.encoding.isFloat ? repaired(decoded) : decoded
        let mono = isMono ? samples : mixed(samples)
        append(resampler?.process(mono) ?? mono)
    }

    private func append(_ samples: [Float]) {
        var samples = samples
        // FFmpeg truncates wider integers to 16 bits and rounds everything else; match it where results should be equal.
        let truncates = !format.encoding.isFloat && isMono && resampler == nil
        // Mono samples of up to 16 bits need no quantization.
        if !truncates || format.encoding.bytesPerSample > 2 { SampleKernels.quantize(&samples, down: truncates) }
        assembler.append(samples)
    }

    /// Replaces NaN and infinity by 0, and clips values outside ±1.
    private func repaired(_ samples: [Float]) -> [Float] {
        var samples = samples
        for index in samples.indices where !(samples[index].magnitude <= 1) {
            if samples[index].isFinite {
                diagnostics.clipped += 1
                samples[index] = samples[index] > 0 ? 1 : -1
            } else {
                diagnostics.nonFinite += 1
                samples[index] = 0
            }
        }
        return samples
    }

    /// Returns the encoded samples of one channel.
    private func samples(of channel: Int, in frames: [UInt8]) -> [UInt8] {
        guard format.channels > 1 else { return frames }
        let width = format.encoding.bytesPerSample
        var samples: [UInt8] = []
        samples.reserveCapacity(frames.count / format.channels)
        for start in stride(from: channel * width, to: frames.count, by: format.frameBytes) {
            samples += frames[start..<(start + width)]
        }
        return samples
    }

    private func mixed(_ samples: [Float]) -> [Float] {
        let channels = format.channels
        let frames = samples.count / channels
        var mono: [Float] = []
        mono.reserveCapacity(frames)
        for block in downmix.blocks(of: frames) {
            var energies = [Double](repeating: 0, count: channels)
            var meanEnergy = 0.0
            for frame in block {
                var sum: Float = 0
                for channel in 0..<channels {
                    let sample = samples[frame * channels + channel]
                    sum += sample
                    energies[channel] += Double(sample * sample)
                }
                let mean = sum / Float(channels)
                meanEnergy += Double(mean * mean)
                mono.append(mean)
            }
            downmix.update(channels: energies, mean: meanEnergy, frames: block.count)
            guard let channel = downmix.selectedChannel else { continue }
            for frame in block { mono[frame] = samples[frame * channels + channel] }
        }
        diagnostics.cancellation = downmix.report
        return mono
    }
}
