#if HAS_FFMPEG
    import CFFmpeg
    import Glibc

    /// Lets FFmpeg read from an open file.
    ///
    /// Invariants: the context and its buffer are allocated by FFmpeg and freed only here; the byte reader, to which
    /// FFmpeg holds an unretained pointer, lives as long as this object.
    @safe final class FFmpegInput {
        let bytes: ByteReader
        let ffmpeg: FFmpegFunctions
        private(set) var context: UnsafeMutablePointer<AVIOContext>

        private static let bufferBytes = 1 << 16
        private static let forced: Int32 = 0x20000

        init(_ file: OpenFile, _ ffmpeg: FFmpegFunctions) throws(AudioFormatError) {
            let bytes = ByteReader(file)
            let seek: @convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64 = { opaque, offset, origin in
                unsafe FFmpegInput.seek(opaque, offset, origin)
            }
            guard let buffer = ffmpeg.av_malloc(Self.bufferBytes) else { throw .outOfMemory(file.name) }
            let context = unsafe ffmpeg.avio_alloc_context(
                buffer.assumingMemoryBound(to: UInt8.self), Int32(Self.bufferBytes), 0,
                Unmanaged.passUnretained(bytes).toOpaque(), { unsafe FFmpegInput.read($0, $1, $2) }, nil,
                file.isPipe ? nil : seek)
            guard let context = unsafe context else {
                unsafe ffmpeg.av_free(buffer)
                throw .outOfMemory(file.name)
            }
            self.bytes = bytes
            self.ffmpeg = ffmpeg
            unsafe self.context = context
        }

        deinit {
            unsafe ffmpeg.av_freep(&context.pointee.buffer)
            var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
            unsafe ffmpeg.avio_context_free(&context)
        }

        private static func read(
            _ opaque: UnsafeMutableRawPointer?, _ target: UnsafeMutablePointer<UInt8>?, _ count: Int32
        ) -> Int32 {
            guard let opaque = unsafe opaque, let target = unsafe target else { return -EINVAL }
            if Task.isCancelled { return FFmpegCode.exit }
            let reader = unsafe Unmanaged<ByteReader>.fromOpaque(opaque).takeUnretainedValue()
            guard let bytes = try? reader.read(upTo: Int(count)) else { return -EIO }
            guard !bytes.isEmpty else { return FFmpegCode.endOfFile }
            unsafe UnsafeMutableRawBufferPointer(start: target, count: Int(count)).copyBytes(from: bytes)
            return Int32(bytes.count)
        }

        private static func seek(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ origin: Int32) -> Int64 {
            guard let opaque = unsafe opaque else { return Int64(-EINVAL) }
            let reader = unsafe Unmanaged<ByteReader>.fromOpaque(opaque).takeUnretainedValue()
            let size = reader.file.size ?? 0
            let start: Int
            switch origin & ~forced {
            case AVSEEK_SIZE: return Int64(size)
            case SEEK_SET: start = 0
            case SEEK_CUR: start = reader.position
            case SEEK_END: start = size
            default: return Int64(-EINVAL)
            }
            let (target, overflows) = start.addingReportingOverflow(Int(offset))
            return !overflows && reader.move(to: target) ? Int64(target) : Int64(-EINVAL)
        }
    }

    /// FFmpeg's error codes, which are macros that Swift does not import.
    enum FFmpegCode {
        static let endOfFile = tag("EOF ")
        static let exit = tag("EXIT")
        static let bug = tag("BUG!")
        static let otherBug = tag("BUG ")
        static let external = tag("EXT ")

        private static func tag(_ letters: StaticString) -> Int32 {
            -letters.description.utf8.reversed().reduce(Int32(0)) { $0 << 8 | Int32($1) }
        }
    }
#endif
