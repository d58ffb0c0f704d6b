#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/encryption_info.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include "../CFunctionTable/function_table.h"

// The functions that FFmpegLibrary.swift looks up: each is a member of the table FFmpegFunctions.
#define FUNCTIONS(F) \
    F(av_read_frame) \
    F(avformat_alloc_context) \
    F(avformat_close_input) \
    F(avformat_find_stream_info) \
    F(avformat_open_input) \
    F(avio_alloc_context) \
    F(avio_context_free) \
    F(avio_seek) \
    F(avformat_version) \
    F(av_packet_alloc) \
    F(av_packet_free) \
    F(av_packet_get_side_data) \
    F(av_packet_unref) \
    F(avcodec_alloc_context3) \
    F(avcodec_find_decoder) \
    F(avcodec_free_context) \
    F(avcodec_get_name) \
    F(avcodec_open2) \
    F(avcodec_parameters_to_context) \
    F(avcodec_receive_frame) \
    F(avcodec_send_packet) \
    F(avcodec_version) \
    F(swr_alloc_set_opts2) \
    F(swr_convert) \
    F(swr_free) \
    F(swr_get_out_samples) \
    F(swr_init) \
    F(swr_set_matrix) \
    F(swresample_version) \
    F(av_channel_layout_copy) \
    F(av_channel_layout_default) \
    F(av_channel_layout_from_mask) \
    F(av_dict_get) \
    F(av_encryption_info_free) \
    F(av_encryption_info_get_side_data) \
    F(av_frame_alloc) \
    F(av_frame_clone) \
    F(av_frame_free) \
    F(av_frame_get_buffer) \
    F(av_frame_make_writable) \
    F(av_frame_unref) \
    F(av_free) \
    F(av_freep) \
    F(av_get_bytes_per_sample) \
    F(av_get_packed_sample_fmt) \
    F(av_log_set_callback) \
    F(av_malloc) \
    F(av_max_alloc) \
    F(av_sample_fmt_is_planar) \
    F(av_samples_set_silence) \
    F(av_strdup) \
    F(avutil_version)

FUNCTION_TABLE(FFmpegFunctions, ffmpeg_function_name)

// Messages without their arguments: Swift 6.2 for ARM crashes when it compiles a closure with a va_list.
typedef void (*ffmpeg_receiver)(void *context, const char *format);

// In a function, because Swift does not emit the variables of headers.
static inline ffmpeg_receiver *ffmpeg_log_receiver(void) {
    static ffmpeg_receiver receiver;
    return &receiver;
}

static inline void ffmpeg_log(void *context, int level, const char *format, va_list arguments) {
    (void)level, (void)arguments;
    (*ffmpeg_log_receiver())(context, format);
}

/// Lets `receiver` have all messages of FFmpeg from now on.
static inline void ffmpeg_receive_log(FFmpegFunctions ffmpeg, ffmpeg_receiver receiver) {
    *ffmpeg_log_receiver() = receiver;
    ffmpeg.av_log_set_callback(ffmpeg_log);
}
