#include <alsa/asoundlib.h>
#include "../CFunctionTable/function_table.h"

// The functions that ALSALibrary.swift looks up: each is a member of the table ALSAFunctions.
#define FUNCTIONS(F) \
    F(snd_asoundlib_version) \
    F(snd_device_name_free_hint) \
    F(snd_device_name_get_hint) \
    F(snd_device_name_hint) \
    F(snd_pcm_close) \
    F(snd_pcm_drain) \
    F(snd_pcm_drop) \
    F(snd_pcm_hw_params) \
    F(snd_pcm_hw_params_any) \
    F(snd_pcm_hw_params_free) \
    F(snd_pcm_hw_params_malloc) \
    F(snd_pcm_hw_params_set_access) \
    F(snd_pcm_hw_params_set_buffer_size_near) \
    F(snd_pcm_hw_params_set_channels) \
    F(snd_pcm_hw_params_set_format) \
    F(snd_pcm_hw_params_set_period_size_near) \
    F(snd_pcm_hw_params_set_rate_near) \
    F(snd_pcm_nonblock) \
    F(snd_pcm_open) \
    F(snd_pcm_prepare) \
    F(snd_pcm_readi) \
    F(snd_pcm_resume) \
    F(snd_pcm_set_params) \
    F(snd_pcm_start) \
    F(snd_pcm_wait) \
    F(snd_pcm_writei) \
    F(snd_strerror)

FUNCTION_TABLE(ALSAFunctions, alsa_function_name)
