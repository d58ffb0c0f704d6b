// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The functions keep FFmpeg's names.
import EngineBasics

#if HAS_FFMPEG
    import CFFmpeg

    /// FFmpeg's four libraries, loaded when the first recording needs them: with their dependencies they are more than
    /// a hundred files, and loading them takes longer than everything else at startup.
    ///
    /// To add a function, add its type, taken from the library's header, to `Sources/CFFmpeg/shim.h`, a constant here,
    /// and a line in `init`.
    ///
    /// Invariant: the libraries stay loaded for the lifetime of the process, and so do their functions.
    @safe
    final class FFmpegLibrary: Sendable {
        /// Loaded on first use, permanently; `nil` if a library is not installed, or not in the version whose headers
        /// this program was built with: the layout of FFmpeg's structures differs between versions.
        static let shared = try? FFmpegLibrary()

        /// The Debian packages of the libraries.
        static let packages = [
            "libavformat\(LIBAVFORMAT_VERSION_MAJOR)", "libavcodec\(LIBAVCODEC_VERSION_MAJOR)",
            "libswresample\(LIBSWRESAMPLE_VERSION_MAJOR)", "libavutil\(LIBAVUTIL_VERSION_MAJOR)",
        ]

        // libavformat
        let av_read_frame: av_read_frame_function
        let avformat_alloc_context: avformat_alloc_context_function
        let avformat_close_input: avformat_close_input_function
        let avformat_find_stream_info: avformat_find_stream_info_function
        let avformat_open_input: avformat_open_input_function
        let avio_alloc_context: avio_alloc_context_function
        let avio_context_free: avio_context_free_function
        let avio_seek: avio_seek_function
        let avformat_version: avformat_version_function

        // libavcodec
        let av_packet_alloc: av_packet_alloc_function
        let av_packet_free: av_packet_free_function
        let av_packet_get_side_data: av_packet_get_side_data_function
        let av_packet_unref: av_packet_unref_function
        let avcodec_alloc_context3: avcodec_alloc_context3_function
        let avcodec_find_decoder: avcodec_find_decoder_function
        let avcodec_free_context: avcodec_free_context_function
        let avcodec_get_name: avcodec_get_name_function
        let avcodec_open2: avcodec_open2_function
        let avcodec_parameters_to_context: avcodec_parameters_to_context_function
        let avcodec_receive_frame: avcodec_receive_frame_function
        let avcodec_send_packet: avcodec_send_packet_function
        private let avcodec_version: avcodec_version_function

        // libswresample
        let swr_alloc_set_opts2: swr_alloc_set_opts2_function
        let swr_convert: swr_convert_function
        let swr_free: swr_free_function
        let swr_get_out_samples: swr_get_out_samples_function
        let swr_init: swr_init_function
        let swr_set_matrix: swr_set_matrix_function
        private let swresample_version: swresample_version_function

        // libavutil
        let av_channel_layout_copy: av_channel_layout_copy_function
        let av_channel_layout_default: av_channel_layout_default_function
        let av_channel_layout_from_mask: av_channel_layout_from_mask_function
        let av_dict_get: av_dict_get_function
        let av_encryption_info_free: av_encryption_info_free_function
        let av_encryption_info_get_side_data: av_encryption_info_get_side_data_function
        let av_frame_alloc: av_frame_alloc_function
        let av_frame_clone: av_frame_clone_function
        let av_frame_free: av_frame_free_function
        let av_frame_get_buffer: av_frame_get_buffer_function
        let av_frame_make_writable: av_frame_make_writable_function
        let av_frame_unref: av_frame_unref_function
        let av_free: av_free_function
        let av_freep: av_freep_function
        let av_get_bytes_per_sample: av_get_bytes_per_sample_function
        let av_get_packed_sample_fmt: av_get_packed_sample_fmt_function
        let av_log_set_callback: av_log_set_callback_function
        let av_malloc: av_malloc_function
        let av_max_alloc: av_max_alloc_function
        let av_sample_fmt_is_planar: av_sample_fmt_is_planar_function
        let av_samples_set_silence: av_samples_set_silence_function
        let av_strdup: av_strdup_function
        private let avutil_version: avutil_version_function

        private init() throws(SharedLibrary.Missing) {
            let avformat = try SharedLibrary("libavformat.so.\(LIBAVFORMAT_VERSION_MAJOR)")
            unsafe av_read_frame = try avformat.function("av_read_frame")
            unsafe avformat_alloc_context = try avformat.function("avformat_alloc_context")
            unsafe avformat_close_input = try avformat.function("avformat_close_input")
            unsafe avformat_find_stream_info = try avformat.function("avformat_find_stream_info")
            unsafe avformat_open_input = try avformat.function("avformat_open_input")
            unsafe avio_alloc_context = try avformat.function("avio_alloc_context")
            unsafe avio_context_free = try avformat.function("avio_context_free")
            unsafe avio_seek = try avformat.function("avio_seek")
            avformat_version = try avformat.function("avformat_version")
            let avcodec = try SharedLibrary("libavcodec.so.\(LIBAVCODEC_VERSION_MAJOR)")
            unsafe av_packet_alloc = try avcodec.function("av_packet_alloc")
            unsafe av_packet_free = try avcodec.function("av_packet_free")
            unsafe av_packet_get_side_data = try avcodec.function("av_packet_get_side_data")
            unsafe av_packet_unref = try avcodec.function("av_packet_unref")
            unsafe avcodec_alloc_context3 = try avcodec.function("avcodec_alloc_context3")
            unsafe avcodec_find_decoder = try avcodec.function("avcodec_find_decoder")
            unsafe avcodec_free_context = try avcodec.function("avcodec_free_context")
            unsafe avcodec_get_name = try avcodec.function("avcodec_get_name")
            unsafe avcodec_open2 = try avcodec.function("avcodec_open2")
            unsafe avcodec_parameters_to_context = try avcodec.function("avcodec_parameters_to_context")
            unsafe avcodec_receive_frame = try avcodec.function("avcodec_receive_frame")
            unsafe avcodec_send_packet = try avcodec.function("avcodec_send_packet")
            avcodec_version = try avcodec.function("avcodec_version")
            let swresample = try SharedLibrary("libswresample.so.\(LIBSWRESAMPLE_VERSION_MAJOR)")
            unsafe swr_alloc_set_opts2 = try swresample.function("swr_alloc_set_opts2")
            unsafe swr_convert = try swresample.function("swr_convert")
            unsafe swr_free = try swresample.function("swr_free")
            unsafe swr_get_out_samples = try swresample.function("swr_get_out_samples")
            unsafe swr_init = try swresample.function("swr_init")
            unsafe swr_set_matrix = try swresample.function("swr_set_matrix")
            swresample_version = try swresample.function("swresample_version")
            let avutil = try SharedLibrary("libavutil.so.\(LIBAVUTIL_VERSION_MAJOR)")
            unsafe av_channel_layout_copy = try avutil.function("av_channel_layout_copy")
            unsafe av_channel_layout_default = try avutil.function("av_channel_layout_default")
            unsafe av_channel_layout_from_mask = try avutil.function("av_channel_layout_from_mask")
            unsafe av_dict_get = try avutil.function("av_dict_get")
            unsafe av_encryption_info_free = try avutil.function("av_encryption_info_free")
            unsafe av_encryption_info_get_side_data = try avutil.function("av_encryption_info_get_side_data")
            unsafe av_frame_alloc = try avutil.function("av_frame_alloc")
            unsafe av_frame_clone = try avutil.function("av_frame_clone")
            unsafe av_frame_free = try avutil.function("av_frame_free")
            unsafe av_frame_get_buffer = try avutil.function("av_frame_get_buffer")
            unsafe av_frame_make_writable = try avutil.function("av_frame_make_writable")
            unsafe av_frame_unref = try avutil.function("av_frame_unref")
            unsafe av_free = try avutil.function("av_free")
            unsafe av_freep = try avutil.function("av_freep")
            av_get_bytes_per_sample = try avutil.function("av_get_bytes_per_sample")
            av_get_packed_sample_fmt = try avutil.function("av_get_packed_sample_fmt")
            unsafe av_log_set_callback = try avutil.function("av_log_set_callback")
            unsafe av_malloc = try avutil.function("av_malloc")
            av_max_alloc = try avutil.function("av_max_alloc")
            av_sample_fmt_is_planar = try avutil.function("av_sample_fmt_is_planar")
            unsafe av_samples_set_silence = try avutil.function("av_samples_set_silence")
            unsafe av_strdup = try avutil.function("av_strdup")
            avutil_version = try avutil.function("avutil_version")
            let versions = [
                ("avformat", avformat_version(), LIBAVFORMAT_VERSION_MINOR),
                ("avcodec", avcodec_version(), LIBAVCODEC_VERSION_MINOR),
                ("swresample", swresample_version(), LIBSWRESAMPLE_VERSION_MINOR),
                ("avutil", avutil_version(), LIBAVUTIL_VERSION_MINOR),
            ]
            // The number after `.so` is the major version.
            for (name, version, minor) in versions where version >> 8 & 0xff < minor { throw .library(name) }
            FFmpegLog.install(self)
        }

        func name(of codec: AVCodecID) -> String {
            guard let name = unsafe avcodec_get_name(codec) else { return "unknown" }
            return unsafe String(cString: name)
        }
    }
#endif
