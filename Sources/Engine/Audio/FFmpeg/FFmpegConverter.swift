#if HAS_FFMPEG
    import CFFmpeg

    /// The sample layout of a decoded frame; the converter is kept while it stays the same.
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

    /// Mixes to mono or selects a channel, resamples to 16 kHz and quantizes to 16 bits, with the defaults of the
    /// `ffmpeg` command.
    ///
    /// Invariants: the context is allocated by FFmpeg and freed only here.
    @safe final class FFmpegConverter {
        let layout: FFmpegLayout
        private let ffmpeg: FFmpegFunctions
        private var context: OpaquePointer?

        /// Returns `nil` if FFmpeg does not support the layout.
        ///
        /// - Parameter channel: the channel to select, counted from 0, which is silent where a recording that changes
        ///   its layout does not have it; `nil` mixes all.
        init?(_ layout: FFmpegLayout, channel: Int?, _ ffmpeg: FFmpegFunctions) {
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
            var weights: [Double]?
            if let channel {
                weights = (0..<Int(layout.channels)).map { $0 == channel ? 1 : 0 }
            } else if unsafe input.order == AV_CHANNEL_ORDER_UNSPEC {
                // There is no default layout for this number of channels: weight all equally.
                weights = Array(repeating: 1 / Double(layout.channels), count: Int(layout.channels))
            }
            if let weights {
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

        /// Returns the samples left in the resampler; nothing may follow.
        func finish() -> [Float] {
            var tail: [Float] = []
            while let more = unsafe output(nil, 0), !more.isEmpty { tail += more }
            return tail
        }

        private func output(_ input: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: Int32) -> [Float]? {
            let capacity = unsafe max(64, ffmpeg.swr_get_out_samples(context, count))
            var got: Int32 = 0
            let words = unsafe [Int16](unsafeUninitializedCapacity: Int(capacity)) { buffer, filled in
                var target: UnsafeMutablePointer<UInt8>? = unsafe UnsafeMutableRawPointer(buffer.baseAddress)?
                    .assumingMemoryBound(to: UInt8.self)
                got = unsafe ffmpeg.swr_convert(context, &target, capacity, input, count)
                filled = Int(max(0, got))
            }
            return got < 0 ? nil : words.map { Float($0) / 32768 }
        }
    }
#endif
