import EngineBasics

#if HAS_FFMPEG
    import CFFmpeg
    import Glibc

    /// An open container, one of whose audio tracks is read.
    ///
    /// Invariants: the context is allocated by FFmpeg and closed only here, before the input that it reads from.
    @safe final class FFmpegContainer {
        let input: FFmpegInput
        let tracks: [AudioFile.Track]
        /// The stream of the selected track.
        let stream: UnsafeMutablePointer<AVStream>
        /// The length declared by the container, if it is plausible; seconds.
        let declaredSeconds: Double?
        /// Whether that length is declared in the container and not estimated from the bit rate.
        let isLengthDeclared: Bool
        /// Whether the format may reset its clock within a file.
        let hasClockJumps: Bool
        /// Whether the timestamps are more than estimates.
        let hasReliableTimestamps: Bool
        /// Ogg declares no length; with a single track, its pages fill the file.
        let isSingleTrackOgg: Bool
        /// For formats of raw frames without a container: the size of the largest frame in bytes.
        let largestFrame: Int?
        /// The first timestamp of the file's audio and video in seconds, which players show as 0.
        private let firstTimestamp: Double?
        private var context: UnsafeMutablePointer<AVFormatContext>?

        /// MPEG audio layer III at 320 kbit/s and 32 kHz, padded; the 13-bit length of ADTS; AC-3 at 640 kbit/s and 32
        /// kHz; the 11-bit length of E-AC-3, in words.
        private static let rawFrameFormats = ["mp3": 1441, "aac": 8191, "ac3": 3840, "eac3": 4096]
        /// Formats that contain audio and cannot refer to other files, scripts or devices.
        private static let formats =
            "wav,w64,aiff,caf,au,flac,ogg,mp3,aac,ac3,eac3,mov,matroska,avi,asf,mpegts,mpeg,amr,wv,ape,tta,dsf"
        /// Below this score, the format was guessed from a single frame header, which random bytes contain too.
        private static let smallestProbeScore: Int32 = 5

        init(
            _ file: OpenFile, track: Int?, kind: FileKind, _ ffmpeg: FFmpegFunctions
        ) throws(AudioFormatError) {
            let input = try FFmpegInput(file, ffmpeg)
            var context = try unsafe Self.opened(input, file, kind)
            do {
                if unsafe kind == .unknown && context.pointee.probe_score < Self.smallestProbeScore {
                    throw AudioFormatError.notAudio(file.name, looksLike: kind.name)
                }
                let code = unsafe ffmpeg.avformat_find_stream_info(context, nil)
                if let failure = input.bytes.failure { throw failure }
                if code < 0 { throw Self.failure(code, file, kind) }
                let streams = unsafe Self.audioStreams(context)
                let tracks = unsafe streams.enumerated().map { unsafe Self.track($0.offset + 1, $0.element, ffmpeg) }
                let chosen = track ?? 1
                guard unsafe !streams.isEmpty else {
                    throw AudioFormatError.noAudioTrack(file.name, videoTracks: unsafe Self.videoTracks(context))
                }
                guard chosen >= 1, chosen <= tracks.count else {
                    throw AudioFormatError.noSuchTrack(file.name, track: chosen, tracks: tracks)
                }
                // Transport streams say nothing about audio whose first packet is too late to be looked at.
                let isDeclared = unsafe context.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT == 0
                try unsafe Self.check(
                    streams[chosen - 1].pointee.codecpar.pointee, isDeclared: isDeclared, file.name, ffmpeg)
                if unsafe strncmp(context.pointee.iformat.pointee.name, "mov,", 4) == 0, !file.isPipe {
                    let isExternal = try MovieReferences(file).isExternal
                    if isExternal.count == tracks.count ? isExternal[chosen - 1] : isExternal.contains(true) {
                        throw AudioFormatError.externalReferences(file.name)
                    }
                }
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
            let format = unsafe context.pointee.iformat.pointee
            hasClockJumps = unsafe format.flags & AVFMT_TS_DISCONT != 0
            let name = unsafe String(cString: format.name)
            isSingleTrackOgg = unsafe name == "ogg" && context.pointee.nb_streams == 1
            largestFrame = Self.rawFrameFormats[name]
            // AVI counts bytes of audio, which gives no time if the bit rate varies; the times of raw frames are
            // counted from the frames found.
            hasReliableTimestamps =
                unsafe format.flags & AVFMT_NOTIMESTAMPS == 0 && name != "avi" && Self.rawFrameFormats[name] == nil
            // With other tracks, most formats declare the length of the longest one.
            let isOnlyTrack = unsafe tracks.count + Self.videoTracks(context) == 1
            isLengthDeclared =
                unsafe context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
                && (isOnlyTrack || name.hasPrefix("mov,") || name == "avi")
            declaredSeconds = unsafe Self.length(context, stream)
            firstTimestamp = unsafe Self.firstTimestamp(context)
            self.input = input
            unsafe self.context = unsafe context
        }

        deinit {
            guard var context = unsafe context else { return }
            _ = unsafe Self.close(&context, input.ffmpeg)
        }

        /// Whether the audio is in other files.
        private(set) lazy var hasExternalReferences =
            unsafe context.map { FFmpegLog.unwatch(UInt(bitPattern: $0)) } ?? false

        /// Reads the next packet of any stream.
        ///
        /// - Returns: FFmpeg's error code.
        func read(_ packet: UnsafeMutablePointer<AVPacket>) -> Int32 {
            unsafe input.ffmpeg.av_read_frame(context, packet)
        }

        /// Converts ticks of the track's time base to seconds.
        func seconds(_ ticks: Int64) -> Double {
            let base = unsafe stream.pointee.time_base
            return base.den > 0 ? Double(ticks) * Double(base.num) / Double(base.den) : 0
        }

        /// Seconds from the start of the file to the audio, on the clock that players show.
        ///
        /// - Parameter timestamp: that of the first decoded sample. The start time of a stream is a guess if its first packet
        ///   was not among those that FFmpeg looks at first.
        func delay(ofAudioAt timestamp: Double) -> Double {
            guard hasReliableTimestamps, let firstTimestamp else { return 0 }
            let delay = timestamp - firstTimestamp
            return (AudioLimits.smallestDelay...Double(AudioLimits.maxSeconds)).contains(delay) ? delay : 0
        }

        /// Bytes of the file that the demuxer has read.
        var position: Int {
            guard let bytes = unsafe context?.pointee.pb else { return 0 }
            return Int(unsafe input.ffmpeg.avio_seek(bytes, 0, SEEK_CUR))
        }

        /// Whether at least a tenth of the file, and more than one packet, follows the start of a packet: the file was
        /// not truncated there.
        func continues(after position: Int) -> Bool {
            guard let size = input.bytes.file.size else { return false }
            return size - position > max(size / 10, isSingleTrackOgg ? Self.oggPacketBytes : Self.packetBytes)
        }

        /// Maximum bytes of a packet. The position of an Ogg packet is that of its page, and a packet may span two
        /// pages.
        private static let oggPacketBytes = 2 << 16
        private static let packetBytes = 1 << 14

        // MARK: -

        private static func opened(
            _ input: FFmpegInput, _ file: OpenFile, _ kind: FileKind
        ) throws(AudioFormatError) -> UnsafeMutablePointer<AVFormatContext> {
            let ffmpeg = input.ffmpeg
            guard let fresh = ffmpeg.avformat_alloc_context() else { throw .outOfMemory(file.name) }
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
            _ context: inout UnsafeMutablePointer<AVFormatContext>, _ ffmpeg: FFmpegFunctions
        ) -> Bool {
            let hasExternalReferences = FFmpegLog.unwatch(UInt(bitPattern: context))
            var gone: UnsafeMutablePointer<AVFormatContext>? = unsafe context
            unsafe ffmpeg.avformat_close_input(&gone)
            return hasExternalReferences
        }

        private static func failure(_ code: Int32, _ file: OpenFile, _ kind: FileKind) -> AudioFormatError {
            switch code {
            case -ENOMEM: .outOfMemory(file.name)
            case FFmpegCode.exit: .cancelled(file.name)
            default:
                kind == .unknown
                    ? .notAudio(file.name, looksLike: kind.name)
                    : file.isPipe ? .needsSeeking(file.name) : .damaged(file.name)
            }
        }

        private static func audioStreams(
            _ context: UnsafeMutablePointer<AVFormatContext>
        ) -> [UnsafeMutablePointer<AVStream>] {
            unsafe (0..<Int(context.pointee.nb_streams)).compactMap { unsafe context.pointee.streams[$0] }
                .filter { unsafe $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO }
        }

        /// Cover art does not count as video.
        private static func videoStreams(
            _ context: UnsafeMutablePointer<AVFormatContext>
        ) -> [UnsafeMutablePointer<AVStream>] {
            unsafe (0..<Int(context.pointee.nb_streams)).compactMap { unsafe context.pointee.streams[$0] }
                .filter {
                    unsafe $0.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
                        && $0.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0
                }
        }

        private static func videoTracks(_ context: UnsafeMutablePointer<AVFormatContext>) -> Int {
            unsafe videoStreams(context).count
        }

        private static func firstTimestamp(_ context: UnsafeMutablePointer<AVFormatContext>) -> Double? {
            let streams = unsafe audioStreams(context) + videoStreams(context)
            let known = unsafe streams.compactMap { stream -> Double? in
                let (start, base) = unsafe (stream.pointee.start_time, stream.pointee.time_base)
                return start == .min || base.den <= 0 ? nil : Double(start) * Double(base.num) / Double(base.den)
            }
            let start = unsafe context.pointee.start_time
            return known.min() ?? (start == .min ? nil : Double(start) / Double(AV_TIME_BASE))
        }

        private static func track(
            _ number: Int, _ stream: UnsafeMutablePointer<AVStream>, _ ffmpeg: FFmpegFunctions
        ) -> AudioFile.Track {
            let parameters = unsafe stream.pointee.codecpar.pointee
            let entry = unsafe ffmpeg.av_dict_get(stream.pointee.metadata, "language", nil, 0)
            let language = unsafe entry.map { unsafe String(cString: $0.pointee.value) }?
                .filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(16)
            return AudioFile.Track(
                number: number, language: language.flatMap { $0.isEmpty || $0 == "und" ? nil : String($0) },
                channels: Int(unsafe parameters.ch_layout.nb_channels), sampleRate: Int(unsafe parameters.sample_rate),
                codec: unsafe ffmpeg.name(of: parameters.codec_id))
        }

        private static func check(
            _ parameters: AVCodecParameters, isDeclared: Bool, _ name: FilePath, _ ffmpeg: FFmpegFunctions
        ) throws(AudioFormatError) {
            let tag = unsafe parameters.codec_tag
            let letters = (0..<4).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) }
            let text = String(decoding: letters, as: UTF8.self)
            let schemes = ["enca": "Common Encryption", "drms": "FairPlay", "aavd": "Audible", "drmi": "FairPlay"]
            if let scheme = schemes[text] { throw .encrypted(name, scheme: scheme) }
            guard unsafe ffmpeg.avcodec_find_decoder(parameters.codec_id) != nil else {
                let isPrintable = letters.allSatisfy { (0x20...0x7e).contains($0) }
                throw .unsupportedCodec(
                    name,
                    tag: tag == 0
                        ? unsafe ffmpeg.name(of: parameters.codec_id)
                        : isPrintable ? "'\(text)'" : WAVSource.name(ofTag: UInt16(truncatingIfNeeded: tag)))
            }
            let channels = Int(unsafe parameters.ch_layout.nb_channels)
            let rate = Int(unsafe parameters.sample_rate)
            if !isDeclared, channels == 0 || rate == 0 { return }
            guard AudioLimits.channels.contains(channels) else { throw .channels(name, channels) }
            guard AudioLimits.sampleRates.contains(rate) else { throw .sampleRate(name, rate) }
        }

        private static func length(
            _ context: UnsafeMutablePointer<AVFormatContext>, _ stream: UnsafeMutablePointer<AVStream>
        ) -> Double? {
            let base = unsafe stream.pointee.time_base
            let own = unsafe stream.pointee.duration
            // Matroska declares its end time, which is not the length if the file starts late.
            let isEnd = unsafe strcmp(context.pointee.iformat.pointee.name, "matroska,webm") == 0
            let start = unsafe isEnd ? Double(max(0, context.pointee.start_time)) : 0
            let whole = unsafe (Double(context.pointee.duration) - start) / Double(AV_TIME_BASE)
            let seconds =
                own > 0 && base.den > 0
                ? Double(own) * Double(base.num) / Double(base.den) : whole
            return seconds > 0 && seconds <= Double(AudioLimits.maxSeconds) ? seconds : nil
        }
    }
#endif
