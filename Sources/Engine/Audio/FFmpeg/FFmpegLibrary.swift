import EngineBasics

#if HAS_FFMPEG
    import CFFmpeg

    /// FFmpeg's four libraries, loaded when the first recording needs them: with their dependencies they are more than
    /// a hundred files, and loading them takes longer than everything else at startup.
    ///
    /// To use another of their functions, add its name to `Sources/CFFmpeg/shim.h`.
    enum FFmpegLibrary {
        /// Loaded on first use, permanently; `nil` if a library is not installed, or not in the version whose headers
        /// this program was built with: the layout of FFmpeg's structures differs between versions.
        static let shared = try? load()

        /// The Debian packages of the libraries.
        static let packages = [
            "libavformat\(LIBAVFORMAT_VERSION_MAJOR)", "libavcodec\(LIBAVCODEC_VERSION_MAJOR)",
            "libswresample\(LIBSWRESAMPLE_VERSION_MAJOR)", "libavutil\(LIBAVUTIL_VERSION_MAJOR)",
        ]

        private static func load() throws(SharedLibrary.Missing) -> FFmpegFunctions {
            let libraries = try [
                SharedLibrary("libavformat.so.\(LIBAVFORMAT_VERSION_MAJOR)"),
                SharedLibrary("libavcodec.so.\(LIBAVCODEC_VERSION_MAJOR)"),
                SharedLibrary("libswresample.so.\(LIBSWRESAMPLE_VERSION_MAJOR)"),
                SharedLibrary("libavutil.so.\(LIBAVUTIL_VERSION_MAJOR)"),
            ]
            let ffmpeg: FFmpegFunctions = try unsafe SharedLibrary.functions(
                of: libraries, named: ffmpeg_function_name)
            let versions = [
                ("avformat", ffmpeg.avformat_version(), LIBAVFORMAT_VERSION_MINOR),
                ("avcodec", ffmpeg.avcodec_version(), LIBAVCODEC_VERSION_MINOR),
                ("swresample", ffmpeg.swresample_version(), LIBSWRESAMPLE_VERSION_MINOR),
                ("avutil", ffmpeg.avutil_version(), LIBAVUTIL_VERSION_MINOR),
            ]
            // The number after `.so` is the major version.
            for (name, version, minor) in versions where version >> 8 & 0xff < minor { throw .library(name) }
            FFmpegLog.install(ffmpeg)
            return ffmpeg
        }
    }

    extension FFmpegFunctions {
        func name(of codec: AVCodecID) -> String {
            guard let name = avcodec_get_name(codec) else { return "unknown" }
            return unsafe String(cString: name)
        }
    }
#endif
