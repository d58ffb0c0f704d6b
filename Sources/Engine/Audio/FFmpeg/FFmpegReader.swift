import EngineBasics

#if HAS_FFMPEG
    import CFFmpeg
    import Glibc

    /// Decodes one track of a container into chunks.
    ///
    /// Invariants: decoder, packet and frames are allocated by FFmpeg and freed only here; the container outlives the
    /// decoder.
    @safe final class FFmpegReader: ChunkReader {
        struct Settings: Sendable {
            var track: Int?
            /// The channel to read, counted from 0; `nil` mixes all.
            package var channel: Int?
            var kind: FileKind
            var initial: AudioDiagnostics
        }

        let name: FilePath
        let settings: Settings
        let container: FFmpegContainer
        let ffmpeg: FFmpegFunctions
        let frameProcessor: FFmpegFrameProcessor
        private let shared: SharedDiagnostics
        private var decoder: UnsafeMutablePointer<AVCodecContext>?
        private var packet: UnsafeMutablePointer<AVPacket>?
        private var frame: UnsafeMutablePointer<AVFrame>?
        /// Decoded frames not yet mixed and converted; at most one second of them.
        var pendingFrames: [UnsafeMutablePointer<AVFrame>] = unsafe []
        var pendingSeconds = 0.0
        var pendingLayout: FFmpegLayout?
        var downmix = DownmixPolicy(channels: 0, sampleRate: AudioChunk.sampleRate)
        var converter: FFmpegConverter?
        var assembler = ChunkAssembler()
        var diagnostics: AudioDiagnostics
        var timeline: FFmpegTimeline
        var hasDecoded = false
        /// Seconds from the start of the file to the first sample.
        var delay = 0.0
        private var failedReads = 0
        private var lossEstimator: LostFrameEstimator?
        /// The end of an ID3 tag between the frames, in bytes.
        private var tagEnd = 0
        /// The position of the last packet that could be decoded, at least in part, if the format has packet positions.
        var lastGoodPosition: Int?
        var packetStart: Int?
        /// Thrown after everything decoded before was returned.
        private var failure: AudioFormatError?
        private var isAtEnd = false
        /// Samples beyond this are clipped before mixing: full scale for floating-point recordings, more for lossy
        /// codecs, whose decoders regularly exceed full scale.
        let floatLimit: Double

        var tracks: [AudioFile.Track] { container.tracks }
        var declaredSeconds: Double? { container.declaredSeconds }
        /// Whether the length is more than an estimate from the bit rate.
        var isLengthKnown: Bool { container.isLengthDeclared || container.isSingleTrackOgg }
        /// The number of channels of the first samples; before these, what the container declares.
        var channels: Int {
            pendingLayout.map { Int($0.channels) } ?? tracks[(settings.track ?? 1) - 1].channels
        }

        /// Opens the file and decodes the first samples, so that an unreadable file is reported immediately.
        init(
            _ file: OpenFile, _ settings: Settings, _ shared: SharedDiagnostics, _ ffmpeg: FFmpegFunctions
        ) throws(AudioFormatError) {
            self.ffmpeg = ffmpeg
            frameProcessor = FFmpegFrameProcessor(ffmpeg: ffmpeg)
            name = file.name
            self.settings = settings
            self.shared = shared
            diagnostics = settings.initial
            container = try FFmpegContainer(file, track: settings.track, kind: settings.kind, ffmpeg)
            let parameters = unsafe container.stream.pointee.codecpar
            timeline = FFmpegTimeline(
                hasTimestamps: container.hasReliableTimestamps, allowsClockJumps: container.hasClockJumps)
            lossEstimator = container.largestFrame.map { LostFrameEstimator(largestFrame: $0) }
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
            // Some codecs, such as WavPack, detect damage only by checksums.
            unsafe decoder.pointee.err_recognition |= AV_EF_CRCCHECK
            unsafe decoder.pointee.pkt_timebase = container.stream.pointee.time_base
            FFmpegLog.watch(UInt(bitPattern: decoder))
            guard unsafe ffmpeg.avcodec_open2(decoder, nil, nil) >= 0 else { throw .damaged(name) }
            while !hasDecoded, !isAtEnd { try step() }
            diagnostics.isAtEnd = isAtEnd
            shared.replace(with: diagnostics)
        }

        deinit {
            for index in 0..<(unsafe pendingFrames.count) {
                let frame = unsafe pendingFrames[index]
                var gone: UnsafeMutablePointer<AVFrame>? = unsafe frame
                unsafe ffmpeg.av_frame_free(&gone)
            }
            unsafe ffmpeg.av_frame_free(&frame)
            unsafe ffmpeg.av_packet_free(&packet)
            if let decoder = unsafe decoder { _ = FFmpegLog.unwatch(UInt(bitPattern: decoder)) }
            unsafe ffmpeg.avcodec_free_context(&decoder)
        }

        var isStalled: Bool { container.input.bytes.isStalled }

        func next() throws -> AudioChunk? {
            while !assembler.isFull, !isAtEnd {
                try Task.checkCancellation()
                try step()
            }
            diagnostics.samples = assembler.count
            diagnostics.isAtEnd = isAtEnd
            shared.replace(with: diagnostics)
            if let chunk = assembler.next(isAtEnd: isAtEnd) { return chunk }
            if let failure { throw failure }
            return nil
        }

        // MARK: - Packets

        /// Reads and decodes one packet.
        private func step() throws(AudioFormatError) {
            guard let packet = unsafe packet else { return }
            let code = unsafe container.read(packet)
            if let failure = container.input.bytes.failure { throw failure }
            guard code >= 0 else {
                if Task.isCancelled { throw .cancelled(name) }
                if code == -ENOMEM { throw .outOfMemory(name) }
                failedReads += 1
                // A demuxer may resynchronize after damage; if it does not, this is the end.
                if code == FFmpegCode.endOfFile || failedReads > 16 { try finish() }
                return
            }
            defer { unsafe ffmpeg.av_packet_unref(packet) }
            failedReads = 0
            guard unsafe packet.pointee.stream_index == container.stream.pointee.index else { return }
            try unsafe rejectEncrypted(packet)
            let length = unsafe container.seconds(packet.pointee.duration)
            let size = Int(unsafe packet.pointee.size)
            packetStart = unsafe packet.pointee.pos >= 0 ? Int(packet.pointee.pos) : nil
            var lost = (lossEstimator?.lostFrames(size: size, position: container.position) ?? 0) * length
            if lost > 0, unsafe isTagged(packet) { lost = 0 }
            let damagedBefore = diagnostics.damagedCount
            if unsafe !(try isGood(ffmpeg.avcodec_send_packet(decoder, packet))) { addDamage(length) }
            try receive(damageLength: length)
            if lost > 0 {
                if diagnostics.damagedCount == damagedBefore { diagnostics.addDamage(at: timeline.position) }
                timeline.addDamage(lost)
            }
        }

        /// Whether a packet contains an ID3 tag or a part of one, as between concatenated files: this is not lost
        /// audio.
        private func isTagged(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
            guard let start = packetStart, let data = unsafe packet.pointee.data else { return false }
            let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size)))
            let mark = bytes.indices.dropLast(9).first { bytes[$0..<($0 + 3)].elementsEqual("ID3".utf8) }
            if let mark {
                // The length, seven bits in each of four bytes, follows name, version and flags.
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

        /// Silences a frame decoded from damaged data, which is noise.
        private func silence(_ frame: UnsafeMutablePointer<AVFrame>) throws(AudioFormatError) {
            guard unsafe ffmpeg.av_frame_make_writable(frame) >= 0 else { throw .outOfMemory(name) }
            let count = unsafe frame.pointee.nb_samples
            unsafe _ = ffmpeg.av_samples_set_silence(
                frame.pointee.extended_data, 0, count, frame.pointee.ch_layout.nb_channels,
                AVSampleFormat(rawValue: frame.pointee.format))
            diagnostics.addDamage(at: timeline.position)
            diagnostics.damagedSeconds += unsafe Double(count) / Double(max(1, frame.pointee.sample_rate))
        }

        /// - Returns: `false` for damaged data.
        private func isGood(_ code: Int32) throws(AudioFormatError) -> Bool {
            switch code {
            case 0...: return true
            case -ENOMEM: throw .outOfMemory(name)
            case FFmpegCode.bug, FFmpegCode.otherBug, FFmpegCode.external:
                throw .decoderFailed(name, at: timeline.position, of: container.declaredSeconds)
            // Damaged data may also look like a feature that FFmpeg does not implement.
            default: return false
            }
        }

        private func addDamage(_ seconds: Double) {
            diagnostics.addDamage(at: timeline.position)
            timeline.addDamage(seconds)
        }

        private func rejectEncrypted(_ packet: UnsafeMutablePointer<AVPacket>) throws(AudioFormatError) {
            var size = 0
            guard let data = unsafe ffmpeg.av_packet_get_side_data(packet, AV_PKT_DATA_ENCRYPTION_INFO, &size) else {
                return
            }
            guard let info = unsafe ffmpeg.av_encryption_info_get_side_data(data, size) else { return }
            let scheme = unsafe info.pointee.scheme
            unsafe ffmpeg.av_encryption_info_free(info)
            let letters = (0..<4).map { UInt8(truncatingIfNeeded: scheme >> (24 - 8 * $0)) }
                .filter { (0x21...0x7e).contains($0) }
            throw .encrypted(name, scheme: "Common Encryption \(String(decoding: letters, as: UTF8.self))")
        }

        // MARK: - End

        private func finish() throws(AudioFormatError) {
            _ = unsafe ffmpeg.avcodec_send_packet(decoder, nil)
            try receive(damageLength: 0)
            isAtEnd = true
            guard hasDecoded else {
                if container.hasExternalReferences { throw .externalReferences(name) }
                guard diagnostics.damagedCount > 0 || failedReads > 1 else { return }
                if settings.kind == .media, container.input.bytes.file.isPipe { throw .needsSeeking(name) }
                throw settings.kind == .unknown ? .notAudio(name, looksLike: nil) : .damaged(name)
            }
            let tail = timeline.trailingDamage()
            diagnostics.damagedSeconds += tail
            if let frame = unsafe pendingFrames.last ?? frame, unsafe frame.pointee.sample_rate > 0 {
                try unsafe fill(tail, like: frame)
            }
            try convertPending()
            if let converter { assembler.append(converter.finish()) }
            checkEnd(at: AudioChunk.seconds(of: assembler.count))
        }

        /// Compares the end of the audio with the declared length: if it is shorter, the file was truncated, or the
        /// rest could not be decoded.
        private func checkEnd(at seconds: Double) {
            guard settings.kind != .wave else { return }
            let declared = container.isLengthDeclared ? container.declaredSeconds : nil
            // Ignore differences due to rounding to whole packets.
            guard declared.map({ $0 - seconds > max(1, $0 / 50) }) ?? container.isSingleTrackOgg else { return }
            if let lastGoodPosition, container.continues(after: lastGoodPosition) {
                failure = .decoderFailed(name, at: seconds, of: declared)
            } else {
                diagnostics.declaredSeconds = declared
            }
        }
    }
#endif
