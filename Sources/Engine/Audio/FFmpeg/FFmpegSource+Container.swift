#if HAS_FFMPEG
    import CFFmpeg
    import Glibc

    /// An opened container of which one sound track is read.
    ///
    /// Invariants: the context is FFmpeg's allocation, closed here and only here, before the input that it reads from.
    @safe final class FFmpegContainer {
        let input: FFmpegInput
        let tracks: [AudioTrack]
        /// The chosen track's stream.
        let stream: UnsafeMutablePointer<AVStream>
        /// Length by the container, where it gives a credible one; seconds.
        let declaredSeconds: Double?
        /// Whether that length was written down, not guessed from the bit rate.
        let isLengthWritten: Bool
        /// Whether the clock of this format may be set anew within a file.
        let hasLeapingClock: Bool
        /// Whether timestamps are more than an estimate.
        let hasTrueTimestamps: Bool
        /// Ogg writes down no length; with one track, its pages fill the file.
        let isOnlyOgg: Bool
        /// Where the format is nothing but frames one after the other: bytes of the largest.
        let largestFrame: Int?
        private var context: UnsafeMutablePointer<AVFormatContext>?

        /// MPEG audio layer III at 320 kbit/s and 32 kHz, padded; the 13 bits of ADTS; AC-3 at 640 kbit/s and 32 kHz;
        /// the 11 bits of E-AC-3, in words.
        private static let bareFrames = ["mp3": 1441, "aac": 8191, "ac3": 3840, "eac3": 4096]
        /// Formats that hold sound and nothing that refers to other files, scripts or devices.
        private static let formats =
            "wav,w64,aiff,caf,au,flac,ogg,mp3,aac,ac3,eac3,mov,matroska,avi,asf,mpegts,mpeg,amr,wv,ape,tta,dsf"
        /// Below this a format was guessed from one frame header, which random bytes contain too.
        private static let smallestProbeScore: Int32 = 5

        init(
            _ file: OpenFile, track: Int?, kind: FileKind, _ ffmpeg: FFmpegLibrary
        ) throws(AudioFormatError) {
            let input = try FFmpegInput(file, ffmpeg)
            var context = try unsafe Self.opened(input, file, kind)
            do {
                if unsafe kind == .unknown && context.pointee.probe_score < Self.smallestProbeScore {
                    throw AudioFormatError.notSound(file.name, looksLike: kind)
                }
                let code = unsafe ffmpeg.avformat_find_stream_info(context, nil)
                if let failure = input.bytes.failure { throw failure }
                if code < 0 { throw Self.failure(code, file, kind) }
                let streams = unsafe Self.soundStreams(context)
                let tracks = unsafe streams.enumerated().map { unsafe Self.track($0.offset + 1, $0.element, ffmpeg) }
                let chosen = track ?? 1
                guard unsafe !streams.isEmpty else {
                    throw AudioFormatError.noSoundTrack(file.name, videoTracks: unsafe Self.videoTracks(context))
                }
                guard chosen >= 1, chosen <= tracks.count else {
                    throw AudioFormatError.noSuchTrack(file.name, track: chosen, tracks: tracks)
                }
                try unsafe Self.check(streams[chosen - 1].pointee.codecpar.pointee, file.name, ffmpeg)
                unsafe stream = streams[chosen - 1]
                self.tracks = tracks
            } catch {
                _ = unsafe Self.close(&context, ffmpeg)
                throw error as? AudioFormatError ?? .damaged(file.name)
            }
            for index in 0..<Int(unsafe context.pointee.nb_streams) {
                guard let other = unsafe context.pointee.streams[index], unsafe other != stream else { continue }
                unsafe other.pointee.discard = AVDISCARD_ALL
            }
            let form = unsafe context.pointee.iformat.pointee
            hasLeapingClock = unsafe form.flags & AVFMT_TS_DISCONT != 0
            let name = unsafe String(cString: form.name)
            isOnlyOgg = unsafe name == "ogg" && context.pointee.nb_streams == 1
            largestFrame = Self.bareFrames[name]
            // AVI counts bytes of sound, which tell no time where the bit rate varies; times of bare frames are counted
            // from those that were found.
            hasTrueTimestamps =
                unsafe form.flags & AVFMT_NOTIMESTAMPS == 0 && name != "avi" && Self.bareFrames[name] == nil
            // Beside other tracks most formats write down the length of the longest.
            let isOnlyTrack = unsafe tracks.count + Self.videoTracks(context) == 1
            isLengthWritten =
                unsafe context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
                && (isOnlyTrack || name.hasPrefix("mov,") || name == "avi")
            declaredSeconds = unsafe Self.length(context, stream)
            self.input = input
            unsafe self.context = unsafe context
        }

        deinit {
            guard var context = unsafe context else { return }
            _ = unsafe Self.close(&context, input.ffmpeg)
        }

        /// Whether the sound lies in other files.
        private(set) lazy var refersElsewhere =
            unsafe context.map { FFmpegLog.unwatch(UInt(bitPattern: $0)) } ?? false

        /// Reads the next packet of any stream.
        ///
        /// - Returns: FFmpeg's code.
        func read(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
            unsafe input.ffmpeg.av_read_frame(context, packet)
        }

        /// Seconds of so many ticks of the track's clock.
        func seconds(_ ticks: Int64) -> Double {
            let base = unsafe stream.pointee.time_base
            return base.den > 0 ? Double(ticks) * Double(base.num) / Double(base.den) : 0
        }

        /// Bytes of the file that the format's reader has taken.
        var position: Int {
            guard let bytes = unsafe context?.pointee.pb else { return 0 }
            return Int(unsafe input.ffmpeg.avio_seek(bytes, 0, SEEK_CUR))
        }

        /// Whether a tenth of the file or more, and more than a packet, lies behind a packet's begin: it was not cut there.
        func goesOn(behind place: Int) -> Bool {
            guard let size = input.bytes.file.size else { return false }
            return size - place > max(size / 10, isOnlyOgg ? Self.oggPageBytes : Self.packetBytes)
        }

        /// What a packet may take: packets of Ogg tell the place of their page, two of which may hold one.
        private static let oggPageBytes = 2 << 16
        private static let packetBytes = 1 << 14

        // MARK: -

        private static func opened(
            _ input: FFmpegInput, _ file: OpenFile, _ kind: FileKind
        ) throws(AudioFormatError) -> UnsafeMutablePointer<AVFormatContext> {
            let ffmpeg = input.ffmpeg
            guard let fresh = unsafe ffmpeg.avformat_alloc_context() else { throw .outOfMemory(file.name) }
            unsafe fresh.pointee.pb = input.context
            unsafe fresh.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
            unsafe fresh.pointee.format_whitelist = ffmpeg.av_strdup(formats)
            unsafe fresh.pointee.protocol_whitelist = ffmpeg.av_strdup("file,pipe")
            unsafe fresh.pointee.io_open = { _, _, _, _, _ in -EPERM }
            let address = UInt(bitPattern: fresh)
            FFmpegLog.watch(address)
            var context: UnsafeMutablePointer<AVFormatContext>? = unsafe fresh
            let code = unsafe ffmpeg.avformat_open_input(&context, nil, nil, nil)
            if code >= 0, let context = unsafe context { return unsafe context }
            _ = FFmpegLog.unwatch(address)
            throw input.bytes.failure ?? failure(code, file, kind)
        }

        private static func close(
            _ context: inout UnsafeMutablePointer<AVFormatContext>, _ ffmpeg: FFmpegLibrary
        ) -> Bool {
            let refersElsewhere = FFmpegLog.unwatch(UInt(bitPattern: context))
            var gone: UnsafeMutablePointer<AVFormatContext>? = unsafe context
            unsafe ffmpeg.avformat_close_input(&gone)
            return refersElsewhere
        }

        private static func failure(_ code: Int32, _ file: OpenFile, _ kind: FileKind) -> AudioFormatError {
            switch code {
            case -ENOMEM: .outOfMemory(file.name)
            case FFmpegCode.exit: .cancelled(file.name)
            default:
                kind == .unknown
                    ? .notSound(file.name, looksLike: kind)
                    : file.isPipe ? .needsSeeking(file.name) : .damaged(file.name)
            }
        }

        private static func soundStreams(
            _ context: UnsafeMutablePointer<AVFormatContext>
        ) -> [UnsafeMutablePointer<AVStream>] {
            unsafe (0..<Int(context.pointee.nb_streams)).compactMap { unsafe context.pointee.streams[$0] }
                .filter { unsafe $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO }
        }

        /// Pictures of a record's cover are no video.
        private static func videoTracks(_ context: UnsafeMutablePointer<AVFormatContext>) -> Int {
            unsafe (0..<Int(context.pointee.nb_streams)).compactMap { unsafe context.pointee.streams[$0] }
                .filter {
                    unsafe $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
                        && $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
                }.count
        }

        private static func track(
            _ number: Int, _ stream: UnsafeMutablePointer<AVStream>, _ ffmpeg: FFmpegLibrary
        ) -> AudioTrack {
            let parameters = unsafe stream.pointee.codecpar.pointee
            let entry = unsafe ffmpeg.av_dict_get(stream.pointee.metadata, "language", nil, 0)
            let language = unsafe entry.map { unsafe String(cString: $0.pointee.value) }?
                .filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(16)
            return AudioTrack(
                number: number, language: language.flatMap { $0.isEmpty || $0 == "und" ? nil : String($0) },
                channels: Int(unsafe parameters.ch_layout.nb_channels), sampleRate: Int(unsafe parameters.sample_rate),
                codec: unsafe ffmpeg.name(of: parameters.codec_id))
        }

        private static func check(
            _ parameters: AVCodecParameters, _ name: FilePath, _ ffmpeg: FFmpegLibrary
        ) throws(AudioFormatError) {
            let tag = unsafe parameters.codec_tag
            let letters = (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) }
            let text = String(decoding: letters, as: UTF8.self)
            let schemes = ["enca": "Common Encryption", "drms": "FairPlay", "aavd": "Audible", "drmi": "FairPlay"]
            if let scheme = schemes[text] { throw .encrypted(name, scheme: scheme) }
            guard unsafe ffmpeg.avcodec_find_decoder(parameters.codec_id) != nil else {
                let isWord = letters.allSatisfy { (0x20...0x7e).contains($0) }
                throw .unsupportedCodec(
                    name,
                    tag: tag == 0
                        ? unsafe ffmpeg.name(of: parameters.codec_id)
                        : isWord ? "'\(text)'" : WAVSource.name(ofTag: UInt16(truncatingIfNeeded: tag)))
            }
            let channels = Int(unsafe parameters.ch_layout.nb_channels)
            guard AudioLimits.channels.contains(channels) else { throw .channels(name, channels) }
            let rate = Int(unsafe parameters.sample_rate)
            guard AudioLimits.sampleRates.contains(rate) else { throw .sampleRate(name, rate) }
        }

        private static func length(
            _ context: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>
        ) -> Double? {
            let base = unsafe stream.pointee.time_base
            let own = unsafe stream.pointee.duration
            // Matroska writes down where it ends, which is no length where it starts late.
            let isEnd = unsafe strcmp(context.pointee.iformat.pointee.name, "matroska,webm") == 0
            let start = unsafe isEnd ? Double(max(0, context.pointee.start_time)) : 0
            let whole = unsafe (Double(context.pointee.duration) - start) / Double(AV_TIME_BASE)
            let seconds =
                own > 0 && base.den > 0
                ? Double(own) * Double(base.num) / Double(base.den) : whole
            return seconds > 0 && seconds <= Double(AudioLimits.longestSeconds) ? seconds : nil
        }
    }
#endif
