#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/channel_layout.h>
#include <libavutil/encryption_info.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

// The types of the functions that FFmpegLibrary.swift looks up, as NAME_function.
#define LOOKED_UP(name) typedef __typeof__(name) *name##_function

LOOKED_UP(av_read_frame);
LOOKED_UP(avformat_alloc_context);
LOOKED_UP(avformat_close_input);
LOOKED_UP(avformat_find_stream_info);
LOOKED_UP(avformat_open_input);
LOOKED_UP(avio_alloc_context);
LOOKED_UP(avio_context_free);
LOOKED_UP(avio_seek);
LOOKED_UP(avformat_version);
LOOKED_UP(av_packet_alloc);
LOOKED_UP(av_packet_free);
LOOKED_UP(av_packet_get_side_data);
LOOKED_UP(av_packet_unref);
LOOKED_UP(avcodec_alloc_context3);
LOOKED_UP(avcodec_find_decoder);
LOOKED_UP(avcodec_free_context);
LOOKED_UP(avcodec_get_name);
LOOKED_UP(avcodec_open2);
LOOKED_UP(avcodec_parameters_to_context);
LOOKED_UP(avcodec_receive_frame);
LOOKED_UP(avcodec_send_packet);
LOOKED_UP(avcodec_version);
LOOKED_UP(swr_alloc_set_opts2);
LOOKED_UP(swr_convert);
LOOKED_UP(swr_free);
LOOKED_UP(swr_get_out_samples);
LOOKED_UP(swr_init);
LOOKED_UP(swr_set_matrix);
LOOKED_UP(swresample_version);
LOOKED_UP(av_channel_layout_copy);
LOOKED_UP(av_channel_layout_default);
LOOKED_UP(av_channel_layout_from_mask);
LOOKED_UP(av_dict_get);
LOOKED_UP(av_encryption_info_free);
LOOKED_UP(av_encryption_info_get_side_data);
LOOKED_UP(av_frame_alloc);
LOOKED_UP(av_frame_clone);
LOOKED_UP(av_frame_free);
LOOKED_UP(av_frame_get_buffer);
LOOKED_UP(av_frame_make_writable);
LOOKED_UP(av_frame_unref);
LOOKED_UP(av_free);
LOOKED_UP(av_freep);
LOOKED_UP(av_get_bytes_per_sample);
LOOKED_UP(av_get_packed_sample_fmt);
LOOKED_UP(av_log_set_callback);
LOOKED_UP(av_malloc);
LOOKED_UP(av_max_alloc);
LOOKED_UP(av_sample_fmt_is_planar);
LOOKED_UP(av_samples_set_silence);
LOOKED_UP(av_strdup);
LOOKED_UP(avutil_version);
