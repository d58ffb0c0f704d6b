#if HAS_FFMPEG
    import CFFmpeg
    import Glibc

    /// Decodes one track of a container into chunks.
    ///
    /// Invariants: decoder, packet and frames are FFmpeg's allocations, freed here and only here; the container outlives
    /// the decoder.
    @safe final class FFmpegReader: ChunkReader {
        struct Settings: Sendable {
            var track: Int?
            var kind: FileKind
            var opening: AudioFindings
        }

        let name: FilePath
        let settings: Settings
        let container: FFmpegContainer
        private let ffmpeg: FFmpegLibrary
        private let samples: FFmpegFrame
        private let report: AudioReport
        private var decoder: UnsafeMutablePointer<AVCodecContext>?
        private var packet: UnsafeMutablePointer<AVPacket>?
        private var frame: UnsafeMutablePointer<AVFrame>?
        /// Decoded frames that wait to be measured; at most a second of them.
        private var held: [UnsafeMutablePointer<AVFrame>] = unsafe []
        private var heldSeconds = 0.0
        private var heldLayout: FFmpegLayout?
        private var balance = ChannelBalance(channels: 0)
        private var converter: FFmpegConverter?
        private var assembler = ChunkAssembler()
        private var findings: AudioFindings
        private var clock: FFmpegClock
        private var hasDecoded = false
        private var failedReads = 0
        private var gauge: FrameGauge?
        /// Where a tag among the frames ends.
        private var tagEnd = 0
        /// Where in the file the last packet begins of which something could be decoded, if packets tell their place.
        private var lastGoodByte: Int?
        private var packetStart: Int?
        /// Thrown once everything decoded before was handed out.
        private var failure: AudioFormatError?
        private var isAtEnd = false
        /// Samples beyond this are clipped before they are mixed: full scale for floating-point recordings, which mean
        /// it; more for codings with losses, whose decoders pass full scale all the time.
        private let floatLimit: Double

        var tracks: [AudioTrack] { container.tracks }
        var declaredSeconds: Double? { container.declaredSeconds }

        /// Opens and decodes up to the first samples, so that what cannot be read is known before anybody waits for it.
        init(
            _ file: OpenFile, _ settings: Settings, _ report: AudioReport, _ ffmpeg: FFmpegLibrary
        ) throws(AudioFormatError) {
            self.ffmpeg = ffmpeg
            samples = FFmpegFrame(ffmpeg: ffmpeg)
            name = file.name
            self.settings = settings
            self.report = report
            findings = settings.opening
            container = try FFmpegContainer(file, track: settings.track, kind: settings.kind, ffmpeg)
            let parameters = unsafe container.stream.pointee.codecpar
            clock = FFmpegClock(
                hasTimestamps: container.hasTrueTimestamps, isLeaping: container.hasLeapingClock)
            gauge = container.largestFrame.map { FrameGauge(largestFrame: $0) }
            let coding = unsafe container.stream.pointee.codecpar.pointee.codec_id
            floatLimit =
                [AV_CODEC_ID_PCM_F32LE, AV_CODEC_ID_PCM_F32BE, AV_CODEC_ID_PCM_F64LE, AV_CODEC_ID_PCM_F64BE]
                    .contains(coding) ? 1 : 8
            unsafe packet = ffmpeg.av_packet_alloc()
            unsafe frame = ffmpeg.av_frame_alloc()
            unsafe decoder = ffmpeg.avcodec_alloc_context3(ffmpeg.avcodec_find_decoder(coding))
            guard let decoder = unsafe decoder, unsafe packet != nil, unsafe frame != nil,
                unsafe ffmpeg.avcodec_parameters_to_context(decoder, parameters) >= 0
            else { throw .outOfMemory(name) }
            // Some codings, WavPack for one, tell damage by their check sums alone.
            unsafe decoder.pointee.err_recognition |= AV_EF_CRCCHECK
            unsafe decoder.pointee.pkt_timebase = container.stream.pointee.time_base
            FFmpegLog.watch(UInt(bitPattern: decoder))
            guard unsafe ffmpeg.avcodec_open2(decoder, nil, nil) >= 0 else { throw .damaged(name) }
            while !hasDecoded, !isAtEnd { try step() }
            findings.isAtEnd = isAtEnd
            report.replace(with: findings)
        }

        deinit {
            for index in 0..<(unsafe held.count) {
                let frame = unsafe held[index]
                var gone: UnsafeMutablePointer<AVFrame>? = unsafe frame
                unsafe ffmpeg.av_frame_free(&gone)
            }
            unsafe ffmpeg.av_frame_free(&frame)
            unsafe ffmpeg.av_packet_free(&packet)
            if let decoder = unsafe decoder { _ = FFmpegLog.unwatch(UInt(bitPattern: decoder)) }
            unsafe ffmpeg.avcodec_free_context(&decoder)
        }

        var isStalled: Bool { container.input.bytes.file.isStalled }

        func next() throws -> AudioChunk? {
            while !assembler.isFull, !isAtEnd {
                try Task.checkCancellation()
                try step()
            }
            findings.samples = assembler.count
            findings.isAtEnd = isAtEnd
            report.replace(with: findings)
            if let chunk = assembler.next(isAtEnd: isAtEnd) { return chunk }
            if let failure { throw failure }
            return nil
        }

        // MARK: - Packets

        /// Reads one packet and decodes what is in it.
        private func step() throws(AudioFormatError) {
            guard let packet = unsafe packet else { return }
            let code = unsafe container.read(packet)
            if let failure = container.input.bytes.failure { throw failure }
            guard code >= 0 else {
                if Task.isCancelled { throw .cancelled(name) }
                if code == -ENOMEM { throw .outOfMemory(name) }
                failedReads += 1
                // A container may find its way again behind a damaged place; one that does not is at its end.
                if code == FFmpegCode.endOfFile || failedReads > 16 { try finish() }
                return
            }
            defer { unsafe ffmpeg.av_packet_unref(packet) }
            failedReads = 0
            guard unsafe packet.pointee.stream_index == container.stream.pointee.index else { return }
            try unsafe refuseEncrypted(packet)
            let length = unsafe container.seconds(packet.pointee.duration)
            let size = Int(unsafe packet.pointee.size)
            packetStart = unsafe packet.pointee.pos >= 0 ? Int(packet.pointee.pos) : nil
            var lost = (gauge?.lostFrames(size: size, position: container.position) ?? 0) * length
            if lost > 0, unsafe isTagged(packet) { lost = 0 }
            let places = findings.damagedCount
            if unsafe !(try isGood(ffmpeg.avcodec_send_packet(decoder, packet))) { addDamage(length) }
            try receive(damageLength: length)
            if lost > 0 {
                if findings.damagedCount == places { findings.addDamage(at: clock.position) }
                clock.addDamage(lost)
            }
        }

        /// Whether a packet holds a tag or a part of one, as stands where files were put together: it is no lost sound.
        private func isTagged(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
            guard let start = packetStart, let data = unsafe packet.pointee.data else { return false }
            let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
            let mark = bytes.indices.dropLast(9).first { bytes[$0..<($0 + 3)].elementsEqual("ID3".utf8) }
            if let mark {
                // The length, seven bits in each of four bytes, behind name, version and flags.
                tagEnd = bytes[(mark + 6)..<(mark + 10)].reduce(0) { $0 << 7 | Int($1 & 0x7f) } + start + mark + 10
            }
            return mark != nil || start < tagEnd
        }

        private func receive(damageLength: Double) throws(AudioFormatError) {
            guard let frame = unsafe frame else { return }
            while true {
                let code = unsafe ffmpeg.avcodec_receive_frame(decoder, frame)
                if code == -EAGAIN || code == FFmpegCode.endOfFile { return }
                guard try isGood(code) else {
                    addDamage(damageLength)
                    return
                }
                defer { unsafe ffmpeg.av_frame_unref(frame) }
                if unsafe FFmpegLog.takeDamage(of: UInt(bitPattern: decoder)) { try unsafe silence(frame) }
                try unsafe accept(frame)
            }
        }

        /// Takes the noise out of a frame that was decoded from damaged data.
        private func silence(_ frame: UnsafeMutablePointer<AVFrame>) throws(AudioFormatError) {
            guard unsafe ffmpeg.av_frame_make_writable(frame) >= 0 else { throw .outOfMemory(name) }
            let count = unsafe frame.pointee.nb_samples
            unsafe _ = ffmpeg.av_samples_set_silence(
                frame.pointee.extended_data, 0, count, frame.pointee.ch_layout.nb_channels,
                AVSampleFormat(rawValue: frame.pointee.format))
            findings.addDamage(at: clock.position)
            findings.damagedSeconds += unsafe Double(count) / Double(max(1, frame.pointee.sample_rate))
        }

        /// - Returns: `false` for damaged data.
        private func isGood(_ code: Int32) throws(AudioFormatError) -> Bool {
            switch code {
            case 0...: return true
            case -ENOMEM: throw .outOfMemory(name)
            case FFmpegCode.bug, FFmpegCode.otherBug, FFmpegCode.external:
                throw .decoderFailed(name, at: clock.position, of: container.declaredSeconds)
            // Among damaged data is also what looks like features that nobody has written yet.
            default: return false
            }
        }

        private func addDamage(_ seconds: Double) {
            findings.addDamage(at: clock.position)
            clock.addDamage(seconds)
        }

        private func refuseEncrypted(_ packet: UnsafeMutablePointer<AVPacket>) throws(AudioFormatError) {
            var size = 0
            guard let data = unsafe ffmpeg.av_packet_get_side_data(packet, AV_PKT_DATA_ENCRYPTION_INFO, &size) else {
                return
            }
            guard let facts = unsafe ffmpeg.av_encryption_info_get_side_data(data, size) else { return }
            let scheme = unsafe facts.pointee.scheme
            unsafe ffmpeg.av_encryption_info_free(facts)
            let letters = (0..<4).map { UInt8(truncatingIfNeeded: scheme >> (24 - 8 * $0)) }
                .filter { (0x21...0x7e).contains($0) }
            throw .encrypted(name, scheme: "Common Encryption \(String(decoding: letters, as: UTF8.self))")
        }

        // MARK: - Frames

        private func accept(_ frame: UnsafeMutablePointer<AVFrame>) throws(AudioFormatError) {
            let rate = Int(unsafe frame.pointee.sample_rate)
            let channels = Int(unsafe frame.pointee.ch_layout.nb_channels)
            let count = Int(unsafe frame.pointee.nb_samples)
            guard count > 0 else { return }
            guard AudioLimits.sampleRates.contains(rate) else { throw .sampleRate(name, rate) }
            guard AudioLimits.channels.contains(channels) else { throw .channels(name, channels) }
            hasDecoded = true
            lastGoodByte = packetStart ?? lastGoodByte
            let stamp = unsafe frame.pointee.best_effort_timestamp
            let length = Double(count) / Double(rate)
            let damaged = clock.damagedSeconds
            let step = clock.place(at: stamp == .min ? nil : container.seconds(stamp), length: length)
            findings.damagedSeconds += clock.damagedSeconds - damaged
            if let leap = step.leap { findings.addLeap(at: leap) }
            try unsafe fill(step.silence, like: frame)
            if step.isDropped { return }
            guard let copy = unsafe ffmpeg.av_frame_clone(frame) else { throw .outOfMemory(name) }
            try unsafe hold(copy)
        }

        /// Puts silence before a frame.
        private func fill(_ seconds: Double, like frame: UnsafeMutablePointer<AVFrame>) throws(AudioFormatError) {
            let rate = unsafe frame.pointee.sample_rate
            var left = Int((seconds * Double(rate)).rounded())
            while left > 0 {
                if Task.isCancelled { throw .cancelled(name) }
                let count = min(left, Int(rate))
                var silence = unsafe ffmpeg.av_frame_alloc()
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
                try unsafe hold(fresh)
                left -= count
            }
        }

        /// Takes a frame over; converts once a second has come together.
        private func hold(_ frame: UnsafeMutablePointer<AVFrame>) throws(AudioFormatError) {
            let layout = unsafe FFmpegLayout(frame)
            if let heldLayout, heldLayout != layout { try convertHeld() }
            heldLayout = layout
            let repaired = unsafe samples.repair(frame, limit: floatLimit)
            findings.notNumbers += repaired.notNumbers
            findings.clipped += repaired.clipped
            unsafe held.append(frame)
            heldSeconds += Double(unsafe frame.pointee.nb_samples) / Double(layout.sampleRate)
            let bytes = heldSeconds * Double(layout.sampleRate) * Double(layout.channels) * 8
            if layout.channels == 1 || heldSeconds >= 1 || bytes > Double(8 * AudioLimits.blockBytes) {
                try convertHeld()
            }
        }

        private func convertHeld() throws(AudioFormatError) {
            let frames = unsafe held
            unsafe held = []
            heldSeconds = 0
            defer {
                for index in 0..<(unsafe frames.count) {
                    let frame = unsafe frames[index]
                    var gone: UnsafeMutablePointer<AVFrame>? = unsafe frame
                    unsafe ffmpeg.av_frame_free(&gone)
                }
            }
            guard let layout = heldLayout else { return }
            if converter?.layout != layout {
                if let converter { assembler.append(converter.finish()) }
                guard let fresh = FFmpegConverter(layout, ffmpeg) else { throw .channels(name, Int(layout.channels)) }
                converter = fresh
                balance = ChannelBalance(channels: Int(layout.channels))
            }
            if layout.channels > 1 { unsafe measure(frames, Int(layout.channels)) }
            for index in 0..<(unsafe frames.count) {
                let frame = unsafe frames[index]
                if let chosen = balance.chosen { unsafe samples.spread(chosen, in: frame) }
                guard let converted = unsafe converter?.convert(frame) else {
                    throw .decoderFailed(name, at: clock.position, of: container.declaredSeconds)
                }
                assembler.append(converted)
            }
            guard assembler.count <= AudioLimits.longestSamples else { throw .tooLong(name) }
        }

        private func measure(_ frames: [UnsafeMutablePointer<AVFrame>], _ channels: Int) {
            var energies = [Double](repeating: 0, count: channels)
            var mean = 0.0
            var count = 0
            for index in 0..<(unsafe frames.count) {
                let frame = unsafe frames[index]
                let measured = unsafe samples.energies(frame)
                for index in measured.channels.indices { energies[index] += measured.channels[index] }
                mean += measured.mean
                count += Int(unsafe frame.pointee.nb_samples)
            }
            balance.hear(channels: energies, mean: mean, frames: count)
            if findings.channelUsed == nil { findings.channelUsed = balance.chosen.map { $0 + 1 } }
        }

        // MARK: - End

        private func finish() throws(AudioFormatError) {
            _ = unsafe ffmpeg.avcodec_send_packet(decoder, nil)
            try receive(damageLength: 0)
            isAtEnd = true
            guard hasDecoded else {
                if container.refersElsewhere { throw .externalReferences(name) }
                guard findings.damagedCount > 0 || failedReads > 1 else { return }
                if settings.kind == .media, container.input.bytes.file.isPipe { throw .needsSeeking(name) }
                throw settings.kind == .unknown ? .notSound(name, looksLike: .unknown) : .damaged(name)
            }
            let tail = clock.trailingDamage()
            findings.damagedSeconds += tail
            if let frame = unsafe held.last ?? frame, unsafe frame.pointee.sample_rate > 0 {
                try unsafe fill(tail, like: frame)
            }
            try convertHeld()
            if let converter { assembler.append(converter.finish()) }
            noteEnd(at: Double(assembler.count) / Double(AudioChunk.sampleRate))
        }

        /// Compares where the sound ends with what the container says: less is a cut file, or one in which nothing more
        /// could be decoded.
        private func noteEnd(at seconds: Double) {
            guard settings.kind != .wave else { return }
            let declared = container.isLengthWritten ? container.declaredSeconds : nil
            // A last packet's rounding is no loss.
            guard declared.map({ $0 - seconds > max(1, $0 / 50) }) ?? container.isOnlyOgg else { return }
            if let lastGoodByte, container.goesOn(behind: lastGoodByte) {
                failure = .decoderFailed(name, at: seconds, of: declared)
            } else {
                findings.declaredSeconds = declared
            }
        }
    }
#endif
