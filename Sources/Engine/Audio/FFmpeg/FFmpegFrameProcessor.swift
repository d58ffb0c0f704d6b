#if HAS_FFMPEG
    import CFFmpeg

    /// A sample of a decoded frame.
    protocol FFmpegSample {
        /// The value relative to full scale, ±1.
        var level: Double { get }
    }
    extension UInt8: FFmpegSample { var level: Double { Double(Int(self) - 128) / 128 } }
    extension Int16: FFmpegSample { var level: Double { Double(self) / 0x1p15 } }
    extension Int32: FFmpegSample { var level: Double { Double(self) / 0x1p31 } }
    extension Int64: FFmpegSample { var level: Double { Double(self) / 0x1p63 } }
    extension Float: FFmpegSample { var level: Double { Double(self) } }
    extension Double: FFmpegSample { var level: Double { self } }

    /// Measures and repairs the samples of decoded frames.
    ///
    /// Invariant: a frame has `nb_samples` values in each of its planes, or `nb_samples · channels` in its only one, of
    /// the type given by its format; the caller has checked that there are samples.
    struct FFmpegFrameProcessor {
        let ffmpeg: FFmpegFunctions

        /// Returns the sums of squares of the channels, and of their mean, in a part of a frame.
        func energies(
            _ frame: UnsafeMutablePointer<AVFrame>, _ range: Range<Int>
        ) -> (channels: [Double], mean: Double) {
            switch unsafe ffmpeg.av_get_packed_sample_fmt(AVSampleFormat(rawValue: frame.pointee.format)) {
            case AV_SAMPLE_FMT_U8: unsafe energies(frame, range, of: UInt8.self)
            case AV_SAMPLE_FMT_S16: unsafe energies(frame, range, of: Int16.self)
            case AV_SAMPLE_FMT_S32: unsafe energies(frame, range, of: Int32.self)
            case AV_SAMPLE_FMT_S64: unsafe energies(frame, range, of: Int64.self)
            case AV_SAMPLE_FMT_FLT: unsafe energies(frame, range, of: Float.self)
            case AV_SAMPLE_FMT_DBL: unsafe energies(frame, range, of: Double.self)
            default: ([], 0)
            }
        }

        /// Copies one channel to all others in a part of a frame, so that their mix equals that channel, whatever the weights.
        func spread(_ channel: Int, in frame: UnsafeMutablePointer<AVFrame>, _ range: Range<Int>) {
            guard unsafe ffmpeg.av_frame_make_writable(frame) >= 0 else { return }
            switch unsafe ffmpeg.av_get_bytes_per_sample(AVSampleFormat(rawValue: frame.pointee.format)) {
            case 1: unsafe spread(channel, in: frame, range, as: UInt8.self)
            case 2: unsafe spread(channel, in: frame, range, as: Int16.self)
            case 4: unsafe spread(channel, in: frame, range, as: Int32.self)
            default: unsafe spread(channel, in: frame, range, as: Int64.self)
            }
        }

        /// Replaces NaN and infinity by 0, and clips values beyond `limit` to ±1.
        ///
        /// - Returns: the number of samples replaced and clipped.
        func repair(
            _ frame: UnsafeMutablePointer<AVFrame>, limit: Double
        ) -> (nonFinite: Int, clipped: Int) {
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
            _ frame: UnsafeMutablePointer<AVFrame>, _ range: Range<Int>, of type: T.Type
        ) -> (channels: [Double], mean: Double) {
            let channels = Int(unsafe frame.pointee.ch_layout.nb_channels)
            var sums = [Double](repeating: 0, count: range.count)
            var energies: [Double] = []
            for index in 0..<channels {
                guard let (first, step) = unsafe channel(index, of: frame, as: type) else { return ([], 0) }
                var energy = 0.0
                for position in range {
                    let level = unsafe first[position * step].level
                    energy += level * level
                    sums[position - range.lowerBound] += level
                }
                energies.append(energy)
            }
            return (energies, sums.reduce(0) { $0 + $1 * $1 } / Double(channels * channels))
        }

        private func spread<T>(
            _ chosen: Int, in frame: UnsafeMutablePointer<AVFrame>, _ range: Range<Int>, as type: T.Type
        ) {
            guard let (source, sourceStep) = unsafe channel(chosen, of: frame, as: type) else { return }
            for index in 0..<Int(unsafe frame.pointee.ch_layout.nb_channels) where index != chosen {
                guard let (target, step) = unsafe channel(index, of: frame, as: type) else { return }
                for position in range {
                    unsafe target[position * step] = source[position * sourceStep]
                }
            }
        }

        private func repairSamples<T: BinaryFloatingPoint>(
            of frame: UnsafeMutablePointer<AVFrame>, limit: T
        ) -> (nonFinite: Int, clipped: Int) {
            let channels = Int(unsafe frame.pointee.ch_layout.nb_channels)
            let count = Int(unsafe frame.pointee.nb_samples)
            var repaired = (nonFinite: 0, clipped: 0)
            var isWritable = false
            for index in 0..<channels {
                guard var (first, step) = unsafe channel(index, of: frame, as: T.self) else { return repaired }
                for position in 0..<count {
                    let number = unsafe first[position * step]
                    if number.magnitude <= limit { continue }
                    if !isWritable {
                        guard unsafe ffmpeg.av_frame_make_writable(frame) >= 0,
                            let moved = unsafe channel(index, of: frame, as: T.self)
                        else { return repaired }
                        isWritable = true
                        unsafe (first, step) = moved
                    }
                    if number.isFinite {
                        repaired.clipped += 1
                        unsafe first[position * step] = number > 0 ? 1 : -1
                    } else {
                        repaired.nonFinite += 1
                        unsafe first[position * step] = 0
                    }
                }
            }
            return repaired
        }
    }
#endif
