#if HAS_FFMPEG
    import CFFmpeg

    /// What a decoded frame's samples are: mixed and resampled alike while it stays the same.
    struct FFmpegLayout: Equatable {
        let format: Int32
        let sampleRate: Int32
        let channels: Int32
        let mask: UInt64
        let isKnown: Bool

        init(_ frame: UnsafeMutablePointer<AVFrame>) {
            format = unsafe frame.pointee.format
            sampleRate = unsafe frame.pointee.sample_rate
            channels = unsafe frame.pointee.ch_layout.nb_channels
            isKnown = unsafe frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE
            mask = unsafe frame.pointee.ch_layout.order == AV_CHANNEL_ORDER_NATIVE ? frame.pointee.ch_layout.u.mask : 0
        }
    }

    /// Mixes to mono, resamples to 16 kHz and quantises to 16 bits, as the `ffmpeg` command does by default.
    ///
    /// Invariants: the context is FFmpeg's allocation, freed here and only here.
    @safe final class FFmpegConverter {
        let layout: FFmpegLayout
        private let ffmpeg: FFmpegLibrary
        private var context: OpaquePointer?

        /// - Returns: `nil` where FFmpeg refuses.
        init?(_ layout: FFmpegLayout, _ ffmpeg: FFmpegLibrary) {
            self.layout = layout
            self.ffmpeg = ffmpeg
            var mono = unsafe AVChannelLayout()
            var input = unsafe AVChannelLayout()
            unsafe ffmpeg.av_channel_layout_default(&mono, 1)
            if unsafe !layout.isKnown || ffmpeg.av_channel_layout_from_mask(&input, layout.mask) < 0 {
                unsafe ffmpeg.av_channel_layout_default(&input, layout.channels)
            }
            var fresh: OpaquePointer?
            let code = unsafe ffmpeg.swr_alloc_set_opts2(
                &fresh, &mono, AV_SAMPLE_FMT_S16, Int32(AudioChunk.sampleRate), &input,
                AVSampleFormat(rawValue: layout.format), layout.sampleRate, 0, nil)
            unsafe context = unsafe fresh
            guard code >= 0 else { return nil }
            // So many channels have no usual places: all count the same.
            if unsafe input.order == AV_CHANNEL_ORDER_UNSPEC {
                let weights = [Double](repeating: 1 / Double(layout.channels), count: Int(layout.channels))
                guard unsafe ffmpeg.swr_set_matrix(context, weights, layout.channels) >= 0 else { return nil }
            }
            guard unsafe ffmpeg.swr_init(context) >= 0 else { return nil }
        }

        deinit { unsafe ffmpeg.swr_free(&context) }

        func convert(_ frame: UnsafeMutablePointer<AVFrame>) -> [Float]? {
            let count = unsafe frame.pointee.nb_samples
            let input = unsafe UnsafeMutableRawPointer(frame.pointee.extended_data)?
                .assumingMemoryBound(to: UnsafePointer<UInt8>?.self)
            return unsafe output(input, count)
        }

        /// What the resampler still holds; nothing may follow.
        func finish() -> [Float] {
            var tail: [Float] = []
            while let more = unsafe output(nil, 0), !more.isEmpty { tail += more }
            return tail
        }

        private func output(_ input: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: Int32) -> [Float]? {
            let room = unsafe max(64, ffmpeg.swr_get_out_samples(context, count))
            var got: Int32 = 0
            let words = unsafe [Int16](unsafeUninitializedCapacity: Int(room)) { buffer, filled in
                var target: UnsafeMutablePointer<UInt8>? = unsafe UnsafeMutableRawPointer(buffer.baseAddress)?
                    .assumingMemoryBound(to: UInt8.self)
                got = unsafe ffmpeg.swr_convert(context, &target, room, input, count)
                filled = Int(max(0, got))
            }
            return got < 0 ? nil : words.map { Float($0) / 32768 }
        }
    }

    /// A number in a decoded frame.
    protocol FFmpegSample {
        /// Full scale is ±1.
        var level: Double { get }
    }
    extension UInt8: FFmpegSample { var level: Double { Double(Int(self) - 128) / 128 } }
    extension Int16: FFmpegSample { var level: Double { Double(self) / 0x1p15 } }
    extension Int32: FFmpegSample { var level: Double { Double(self) / 0x1p31 } }
    extension Int64: FFmpegSample { var level: Double { Double(self) / 0x1p63 } }
    extension Float: FFmpegSample { var level: Double { Double(self) } }
    extension Double: FFmpegSample { var level: Double { self } }

    /// Looks at and repairs the samples of decoded frames.
    ///
    /// Invariant: a frame has `nb_samples` numbers in each of its planes, or `nb_samples · channels` in its only one, of
    /// the type that its format says; the caller has checked that there are some.
    struct FFmpegFrame {
        let ffmpeg: FFmpegLibrary

        /// The sums of squares of the channels, and of their mean.
        func energies(_ frame: UnsafeMutablePointer<AVFrame>) -> (channels: [Double], mean: Double) {
            switch unsafe ffmpeg.av_get_packed_sample_fmt(AVSampleFormat(rawValue: frame.pointee.format)) {
            case AV_SAMPLE_FMT_U8: unsafe energies(frame, of: UInt8.self)
            case AV_SAMPLE_FMT_S16: unsafe energies(frame, of: Int16.self)
            case AV_SAMPLE_FMT_S32: unsafe energies(frame, of: Int32.self)
            case AV_SAMPLE_FMT_S64: unsafe energies(frame, of: Int64.self)
            case AV_SAMPLE_FMT_FLT: unsafe energies(frame, of: Float.self)
            case AV_SAMPLE_FMT_DBL: unsafe energies(frame, of: Double.self)
            default: ([], 0)
            }
        }

        /// Puts one channel into all others, so that their mix is that channel, whatever the weights.
        func spread(_ channel: Int, in frame: UnsafeMutablePointer<AVFrame>) {
            guard unsafe ffmpeg.av_frame_make_writable(frame) >= 0 else { return }
            switch unsafe ffmpeg.av_get_bytes_per_sample(AVSampleFormat(rawValue: frame.pointee.format)) {
            case 1: unsafe spread(channel, in: frame, as: UInt8.self)
            case 2: unsafe spread(channel, in: frame, as: Int16.self)
            case 4: unsafe spread(channel, in: frame, as: Int32.self)
            default: unsafe spread(channel, in: frame, as: Int64.self)
            }
        }

        /// Replaces NaN and infinity by 0, and what lies beyond `limit` by ±1.
        func repair(
            _ frame: UnsafeMutablePointer<AVFrame>, limit: Double
        ) -> (notNumbers: Int, clipped: Int) {
            switch unsafe ffmpeg.av_get_packed_sample_fmt(AVSampleFormat(rawValue: frame.pointee.format)) {
            case AV_SAMPLE_FMT_FLT: unsafe repairSamples(of: frame, limit: Float(limit))
            case AV_SAMPLE_FMT_DBL: unsafe repairSamples(of: frame, limit: limit)
            default: (0, 0)
            }
        }

        // MARK: -

        private func channel<T>(
            _ channel: Int, of frame: UnsafeMutablePointer<AVFrame>, as type: T.Type
        ) -> (first: UnsafeMutablePointer<T>, step: Int)? {
            let isPlanar = unsafe ffmpeg.av_sample_fmt_is_planar(AVSampleFormat(rawValue: frame.pointee.format)) == 1
            let plane = unsafe frame.pointee.extended_data[isPlanar ? channel : 0]
            guard let numbers = unsafe UnsafeMutableRawPointer(plane)?.assumingMemoryBound(to: T.self) else {
                return nil
            }
            let channels = Int(unsafe frame.pointee.ch_layout.nb_channels)
            return unsafe isPlanar ? (numbers, 1) : (numbers + channel, channels)
        }

        private func energies<T: FFmpegSample>(
            _ frame: UnsafeMutablePointer<AVFrame>, of type: T.Type
        ) -> (channels: [Double], mean: Double) {
            let count = Int(unsafe frame.pointee.nb_samples)
            let channels = Int(unsafe frame.pointee.ch_layout.nb_channels)
            var sums = [Double](repeating: 0, count: count)
            var energies: [Double] = []
            for index in 0..<channels {
                guard let (first, step) = unsafe channel(index, of: frame, as: type) else { return ([], 0) }
                var energy = 0.0
                for place in 0..<count {
                    let level = unsafe first[place * step].level
                    energy += level * level
                    sums[place] += level
                }
                energies.append(energy)
            }
            return (energies, sums.reduce(0) { $0 + $1 * $1 } / Double(channels * channels))
        }

        private func spread<T>(_ chosen: Int, in frame: UnsafeMutablePointer<AVFrame>, as type: T.Type) {
            guard let (source, sourceStep) = unsafe channel(chosen, of: frame, as: type) else { return }
            for index in 0..<Int(unsafe frame.pointee.ch_layout.nb_channels) where index != chosen {
                guard let (target, step) = unsafe channel(index, of: frame, as: type) else { return }
                for place in 0..<Int(unsafe frame.pointee.nb_samples) {
                    unsafe target[place * step] = source[place * sourceStep]
                }
            }
        }

        private func repairSamples<T: BinaryFloatingPoint>(
            of frame: UnsafeMutablePointer<AVFrame>, limit: T
        ) -> (notNumbers: Int, clipped: Int) {
            let channels = Int(unsafe frame.pointee.ch_layout.nb_channels)
            let count = Int(unsafe frame.pointee.nb_samples)
            var found = (notNumbers: 0, clipped: 0)
            var isWritable = false
            for index in 0..<channels {
                guard var (first, step) = unsafe channel(index, of: frame, as: T.self) else { return found }
                for place in 0..<count {
                    let number = unsafe first[place * step]
                    if number.magnitude <= limit { continue }
                    if !isWritable {
                        guard unsafe ffmpeg.av_frame_make_writable(frame) >= 0,
                            let moved = unsafe channel(index, of: frame, as: T.self)
                        else { return found }
                        isWritable = true
                        unsafe (first, step) = moved
                    }
                    if number.isFinite {
                        found.clipped += 1
                        unsafe first[place * step] = number > 0 ? 1 : -1
                    } else {
                        found.notNumbers += 1
                        unsafe first[place * step] = 0
                    }
                }
            }
            return found
        }
    }
#endif
