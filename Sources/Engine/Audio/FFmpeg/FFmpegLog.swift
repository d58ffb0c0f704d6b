#if HAS_FFMPEG
    import CFFmpeg
    import Glibc
    import Synchronization

    /// Silences FFmpeg's log, and detects two conditions that FFmpeg reports only there: audio in an external file that
    /// it was not allowed to open, and a wrong checksum of a decoded frame (WavPack).
    enum FFmpegLog {
        /// The addresses of containers being opened and of decoders, with whether the condition was logged for them.
        private static let watched = Mutex<[UInt: Bool]>([:])

        /// Called once, when the library is loaded: both settings are global in FFmpeg.
        static func install(_ ffmpeg: FFmpegFunctions) {
            ffmpeg.av_max_alloc(AudioLimits.decoderBlockBytes)
            unsafe ffmpeg_receive_log(ffmpeg) { context, format in
                guard let context = unsafe context, let format = unsafe format,
                    unsafe strncmp(format, "Skipped opening external track", 30) == 0
                        || strcmp(format, "CRC error\n") == 0
                else { return }
                let address = UInt(bitPattern: context)
                FFmpegLog.watched.withLock { if $0[address] != nil { $0[address] = true } }
            }
        }

        static func watch(_ address: UInt) {
            watched.withLock { $0[address] = false }
        }

        /// Returns whether a watched decoder has logged a wrong checksum since the last call.
        static func takeDamage(of address: UInt) -> Bool {
            watched.withLock { $0.updateValue(false, forKey: address) ?? false }
        }

        /// - Returns: whether an external file was requested.
        static func unwatch(_ address: UInt) -> Bool {
            watched.withLock { $0.removeValue(forKey: address) ?? false }
        }
    }
#endif
