#if HAS_FFMPEG
    import CFFmpeg

    /// Places decoded frames on the timeline, collects them for about a second, and converts them.
    extension FFmpegReader {
        func accept(_ frame: UnsafeMutablePointer<AVFrame>) throws(AudioFormatError) {
            let rate = Int(unsafe frame.pointee.sample_rate)
            let channels = Int(unsafe frame.pointee.ch_layout.nb_channels)
            let count = Int(unsafe frame.pointee.nb_samples)
            guard count > 0 else { return }
            guard AudioLimits.sampleRates.contains(rate) else { throw .sampleRate(name, rate) }
            guard AudioLimits.channels.contains(channels) else { throw .channels(name, channels) }
            let isFirst = !hasDecoded
            hasDecoded = true
            lastGoodPosition = packetStart ?? lastGoodPosition
            let ticks = unsafe frame.pointee.best_effort_timestamp
            let stamp = ticks == .min ? nil : container.seconds(ticks)
            let length = Double(count) / Double(rate)
            let damaged = timeline.damagedSeconds
            let placement = timeline.place(at: stamp, length: length)
            if isFirst, let stamp { delay = container.delay(ofAudioAt: stamp - placement.silence) }
            diagnostics.damagedSeconds += timeline.damagedSeconds - damaged
            if let jump = placement.jump { diagnostics.addJump(at: jump) }
            try unsafe fill(placement.silence, like: frame)
            if placement.isDropped { return }
            guard let copy = unsafe ffmpeg.av_frame_clone(frame) else { throw .outOfMemory(name) }
            try unsafe enqueue(copy)
        }

        /// Inserts silence before a frame.
        func fill(_ seconds: Double, like frame: UnsafeMutablePointer<AVFrame>) throws(AudioFormatError) {
            let rate = unsafe frame.pointee.sample_rate
            var left = Int((seconds * Double(rate)).rounded())
            while left > 0 {
                if Task.isCancelled { throw .cancelled(name) }
                let count = min(left, Int(rate))
                var silence = ffmpeg.av_frame_alloc()
                guard let fresh = unsafe silence else { throw .outOfMemory(name) }
                unsafe fresh.pointee.format = frame.pointee.format
                unsafe fresh.pointee.sample_rate = rate
                unsafe fresh.pointee.nb_samples = Int32(count)
                guard unsafe ffmpeg.av_channel_layout_copy(&fresh.pointee.ch_layout, &frame.pointee.ch_layout) >= 0,
                    unsafe ffmpeg.av_frame_get_buffer(fresh, 0) >= 0
                else {
                    unsafe ffmpeg.av_frame_free(&silence)
                    throw .outOfMemory(name)
                }
                unsafe _ = ffmpeg.av_samples_set_silence(
                    fresh.pointee.extended_data, 0, Int32(count), frame.pointee.ch_layout.nb_channels,
                    AVSampleFormat(rawValue: frame.pointee.format))
                try unsafe enqueue(fresh)
                left -= count
            }
        }

        /// Takes ownership of a frame; converts once there is a second of audio.
        private func enqueue(_ frame: UnsafeMutablePointer<AVFrame>) throws(AudioFormatError) {
            let layout = unsafe FFmpegLayout(frame)
            if let pendingLayout, pendingLayout != layout { try convertPending() }
            pendingLayout = layout
            let repaired = unsafe frameProcessor.repair(frame, limit: floatLimit)
            diagnostics.nonFinite += repaired.nonFinite
            diagnostics.clipped += repaired.clipped
            unsafe pendingFrames.append(frame)
            pendingSeconds += Double(unsafe frame.pointee.nb_samples) / Double(layout.sampleRate)
            let bytes = pendingSeconds * Double(layout.sampleRate) * Double(layout.channels) * 8
            if layout.channels == 1 || pendingSeconds >= 1 || bytes > Double(8 * AudioLimits.blockBytes) {
                try convertPending()
            }
        }

        func convertPending() throws(AudioFormatError) {
            let frames = unsafe pendingFrames
            unsafe pendingFrames = []
            pendingSeconds = 0
            defer {
                for index in 0..<(unsafe frames.count) {
                    let frame = unsafe frames[index]
                    var gone: UnsafeMutablePointer<AVFrame>? = unsafe frame
                    unsafe ffmpeg.av_frame_free(&gone)
                }
            }
            guard let layout = pendingLayout else { return }
            if converter?.layout != layout {
                if let converter { assembler.append(converter.finish()) }
                guard let fresh = FFmpegConverter(layout, channel: settings.channel, ffmpeg) else {
                    throw .channels(name, Int(layout.channels))
                }
                converter = fresh
                downmix = DownmixPolicy(
                    channels: Int(layout.channels), sampleRate: Int(layout.sampleRate), after: downmix)
            }
            for index in 0..<(unsafe frames.count) {
                let frame = unsafe frames[index]
                if layout.channels > 1, settings.channel == nil { unsafe preventCancellation(in: frame) }
                guard let converted = unsafe converter?.convert(frame) else {
                    throw .decoderFailed(name, at: timeline.position, of: container.declaredSeconds)
                }
                assembler.append(converted)
            }
            guard assembler.count <= AudioLimits.maxSamples else { throw .tooLong(name) }
        }

        /// Measures each block and, where the channels cancel each other out, replaces all by one of them.
        private func preventCancellation(in frame: UnsafeMutablePointer<AVFrame>) {
            for block in downmix.blocks(of: Int(unsafe frame.pointee.nb_samples)) {
                let measured = unsafe frameProcessor.energies(frame, block)
                downmix.update(channels: measured.channels, mean: measured.mean, frames: block.count)
                if let channel = downmix.selectedChannel { unsafe frameProcessor.spread(channel, in: frame, block) }
            }
            diagnostics.cancellation = downmix.report
        }
    }
#endif
