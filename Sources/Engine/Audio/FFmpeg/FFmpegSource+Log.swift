#if HAS_FFMPEG
    import CFFmpeg
    import Glibc
    import Synchronization

    /// Keeps FFmpeg silent, and hears from its log what it tells nowhere else: that sound lies in another file that it was
    /// not allowed to open, and that the check sum of a decoded frame is wrong (WavPack).
    enum FFmpegLog {
        /// Containers being opened and decoders, by address, and whether that was said of them.
        private static let watched = Mutex<[UInt: Bool]>([:])

        /// For the whole process, by the library when it is opened: both settings are FFmpeg's globals.
        static func install(_ ffmpeg: FFmpegLibrary) {
            ffmpeg.av_max_alloc(AudioLimits.decoderBlockBytes)
            unsafe ffmpeg.av_log_set_callback { context, _, format, _ in
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

        /// Whether a watched decoder has found a wrong check sum since it was asked last.
        static func takeDamage(of address: UInt) -> Bool {
            watched.withLock { $0.updateValue(false, forKey: address) ?? false }
        }

        /// - Returns: whether something outside was asked for.
        static func unwatch(_ address: UInt) -> Bool {
            watched.withLock { $0.removeValue(forKey: address) ?? false }
        }
    }
#endif
