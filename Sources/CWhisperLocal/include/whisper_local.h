/*
 * whisper_local.h: offline speech recognition for programs in any language.
 *
 *     wl_model *model = NULL;
 *     char *error = NULL;
 *     if (wl_model_open("tiny.en", NULL, &model, &error) != WL_OK) { puts(error); wl_free(error); return 1; }
 *     wl_job *job = wl_transcribe_file(model, "talk.wav", "{\"beam_size\": 1}", &error);
 *     const char *event;
 *     size_t length;
 *     for (int32_t state; (state = wl_job_next(job, 100, &event, &length)) >= WL_TIMEOUT;)
 *         if (state == WL_EVENT) puts(event);
 *     wl_job_free(job);
 *     wl_model_close(model);
 *
 * Options and events are JSON objects in UTF-8. Options may be NULL or empty for the defaults; an unknown option is an
 * error that names the nearest one. docs/c.md explains them; the tables below are complete.
 *
 * Threads: every function may be called from any thread with a stack of at least 128 KB. Jobs of one model run in parallel,
 * on shared weights. Only wl_job_next and wl_stream_next of one handle must not run in two threads at a time: the second
 * call fails.
 *
 * Handles: a closed, freed or invented handle is an error with the code `handle`, never a crash; NULL too, except that
 * closing and freeing NULL does nothing. A model may be closed while its jobs and streams run: its memory is freed with the
 * last of them.
 *
 * Memory: whatever is returned as char * or float * belongs to the caller, who frees it with wl_free. An event belongs to
 * its handle and is valid until the next call of wl_job_next or wl_stream_next with it, or until the handle is freed.
 *
 * fork: in a child of a process that has used the library, all functions fail with the code `fork`. Start the child anew
 * (exec, posix_spawn; in Python multiprocessing.set_start_method("spawn")), or fork before the first use.
 *
 * The library prints nothing, installs no signal handlers, changes no environment variables but OPENBLAS_CORETYPE while
 * it loads OpenBLAS, never exits, downloads nothing and opens no microphone.
 */
#ifndef WHISPER_LOCAL_H
#define WHISPER_LOCAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes only if a function's meaning or signature changes. Functions, options, types of events and members of objects
 * may be added at any time: skip what you do not know. */
#define WL_ABI 1

#define WL_EVENT 1     /* an event has been returned */
#define WL_OK 0        /* it has worked */
#define WL_TIMEOUT 0   /* no event yet */
#define WL_END (-1)    /* the job or stream has ended, and all its events have been returned */
#define WL_FAILED (-2) /* it has failed; wl_job_next and wl_stream_next have returned an event of type "error" */

typedef struct wl_model wl_model;   /* the weights of a network */
typedef struct wl_job wl_job;       /* the transcription of a recording, or the detection of its language */
typedef struct wl_stream wl_stream; /* a live session */

/* ---------------------------------------------------------------------------------------------------------------------
 * Errors
 *
 * Functions with `char **error` set it to {"code": "option", "message": "there is no option “beam”; …"} if they fail, and
 * leave it alone otherwise. It may be NULL. Codes:
 *
 *     not_found  there is no such model or file                    model      the model is damaged or not supported
 *     option     an option, its value or an argument is wrong      audio      the audio cannot be read or decoded
 *     memory     there is not enough of it                         cancelled  by wl_job_cancel
 *     handle     a handle is NULL, closed, freed or in use         fork       see above
 *     internal   anything else
 */

/* ---------------------------------------------------------------------------------------------------------------------
 * The library
 */

/* WL_ABI of the library; compare it with that of this header before anything else. */
uint32_t wl_abi(void);

/* The version of the program that the library belongs to, such as "0.1.0". Not to be freed. */
const char *wl_version(void);

/* What there is on this machine, or NULL after a fork:
 *
 *     version       "0.1.0"                        instruction_set  "avx512vnni", the kernels in use
 *     cores         those available to the process  libraries       {"ffmpeg": true, "openblas": true}
 *     formats       ["txt", "srt", …] for wl_format  compute_types  ["auto", "float32", …]
 *     speech_network, speaker_network               paths, or null if they are not installed
 *     models        [{"name": "tiny.en", "path": "/…"}, …], in the order in which wl_model_open looks for names
 */
char *wl_features(void);

/* Frees what the library has returned. NULL does nothing. */
void wl_free(void *memory);

/* ---------------------------------------------------------------------------------------------------------------------
 * Models
 *
 * By path (a ggml or GGUF file, an openai-whisper checkpoint, a CTranslate2 or Hugging Face folder, a NeMo archive), by
 * name ("tiny.en") or by repository ("Systran/faster-whisper-tiny.en"). Names are looked for in the option `model_dir`, in
 * $WHISPER_LOCAL_MODELS, in the user's model folder, in the caches of openai-whisper and Hugging Face, and in the folder
 * of this library, where the network for speech detection is looked for as well. Options:
 *
 *     compute_type    "auto" (default), "float32", "bfloat16", "int16", "int8"
 *     threads         1 to 1024; default one for each core. All jobs of a model share them.
 *     backend         "auto" (default), "openblas", "reference"
 *     model_dir       a folder to search first
 *     packed_weights  a folder in which processes share the memory of models
 */

/* Loads a model; blocks until it is loaded. WL_OK or WL_FAILED. */
int32_t wl_model_open(const char *path_or_name, const char *options, wl_model **model, char **error);

/* Where wl_model_open finds a model, as {"name", "path"}, without loading it; or NULL. Option: model_dir. */
char *wl_find_model(const char *path_or_name, const char *options, char **error);

/* {"name", "path", "family": "Whisper", "multilingual": true, "languages": ["en", …], "compute_type": "int16",
 * "kernels", "threads", "vocabulary_size", "format", "parameters", "bytes" (of its files), "memory" (an estimate of the
 * process's peak), "demonstration": false, "warnings": ["…"], "details": {…} as in `whisper-local models info --json`}, or
 * NULL for a bad handle. */
char *wl_model_info(wl_model *model);

/* The ids of a text's tokens as a JSON array, as the model's tokenizer splits it, without special tokens; and the text of
 * ids, special tokens left out. NULL if it fails. */
char *wl_model_encode(wl_model *model, const char *text, char **error);
char *wl_model_decode(wl_model *model, const int32_t *tokens, size_t count, char **error);

void wl_model_close(wl_model *model);

/* ---------------------------------------------------------------------------------------------------------------------
 * Jobs
 *
 * Options of a transcription. null is the default, except where it is said to turn something off. Names are those of
 * faster-whisper where the meaning is the same; otherwise those of the program (whisper-local transcribe --help), whose
 * descriptions hold here too. Options below the line "Whisper only" are errors for other models.
 *
 *     task                         "transcribe" (default), "translate"
 *     language                     "en"; null (default) detects it. Ignored by models of one language.
 *     languages                    ["en", "de"]: detects one of these only
 *     multilingual                 false; detects the language of each window
 *     beam_size                    1 is greedy search; default 5, or 1 for models without beams
 *     word_timestamps              false
 *     vad_filter                   transcribes only speech; default false, but true with batch_size and without clips
 *     vad_parameters               {"threshold": 0.5, "neg_threshold": null, "min_speech_duration_ms": 0,
 *                                   "max_speech_duration_s": null, "min_silence_duration_ms": 2000, "speech_pad_ms": 400}
 *     vad_model                    "energy", "silero" or a path; default silero if it is installed, else energy
 *     clip_timestamps              [start, end, start, …] in seconds; [] (default) is everything
 *     batch_size                   1 (default) to 64: windows decoded at a time, of the speech of vad_filter or of the clips.
 *                                  Above 1, no window is prompted with the text before it.
 *     guard                        true, false; default true if Silero's network is installed
 *     speakers                     false; true or their number: identifies them by voice
 *     min_speakers, max_speakers   null
 *     speaker_names                ["Anna", "Ben"]
 *     token_logprobs               false
 *     vocabulary                   "": the text of a vocabulary file (docs/vocabulary.md)
 *     terms                        []: names and terms to prefer
 *     offset, duration             0, null: the part to transcribe, in seconds
 *     volatile                     false; true sends events of that type
 *     lazy                         false; true computes only what is asked for: nothing beyond "info" before the next call
 *                                  of wl_job_next, and then at most a window (or batch) ahead of it
 *   of files and descriptors:
 *     track                        the audio track, from 1; default the first
 *     channel                      the channel, from 1; default a mix of all
 *     raw                          "s16le:16000:1": samples without a header
 *   of samples:
 *     borrow                       false; true: the samples are not copied, and stay where they are until WL_END,
 *                                  WL_FAILED or wl_job_free
 *   Whisper only:
 *     language_detection_segments  1: the number of windows of 30 s from the start to detect the language in, until one
 *                                  passes; if none does, the language of most windows
 *     language_detection_threshold null, by which `guard` decides on further windows; 0.5 in faster-whisper
 *     best_of                      5
 *     patience                     null
 *     length_penalty               null; 0 to 1: openai-whisper's, score / ((5 + length) / 6)^p
 *     length_exponent              null; faster-whisper's length_penalty, score / length^p; 1 is the same as null
 *     repetition_penalty           1
 *     no_repeat_ngram_size         0
 *     temperature                  [0, 0.2, 0.4, 0.6, 0.8, 1], or a number
 *     compression_ratio_threshold  2.4; null turns it off
 *     log_prob_threshold           -1; null turns it off
 *     no_speech_threshold          0.6; null turns it off
 *     condition_on_previous_text   true
 *     prompt_reset_on_temperature  0.5
 *     initial_prompt               null; a text or a list of token ids
 *     carry_initial_prompt         false
 *     prefix                       null; a text
 *     prefix_in_text               false (openai-whisper: the text goes on after the prefix); true (faster-whisper: it
 *                                  begins with it)
 *     hotwords                     null; a text
 *     suppress_blank               true
 *     suppress_tokens              [-1]; null or [] is none
 *     without_timestamps           false
 *     max_initial_timestamp        1; null is no limit
 *     max_new_tokens               null
 *     chunk_length                 30: seconds of audio in a window; 1 to 30
 *     audio_ctx                    "full" (default), "auto", or 1 to 1500
 *     prepend_punctuations         "\"'“¿([{-"
 *     append_punctuations          "\"'.。,，!！?？:：”)]}、"
 *     hallucination_silence_threshold null
 *     seed                         0
 *
 * Options of wl_detect_language: language_detection_segments, language_detection_threshold, languages, vad_filter,
 * vad_parameters, vad_model, borrow.
 *
 * Events; `type` is always their first member, and times are seconds from the start of the recording:
 *
 *     {"type": "info", "language": "en", "language_probability": 0.98, "all_language_probs": [["en", 0.98], …],
 *      "duration": 11.0, "duration_after_vad": 11.0}
 *         Once, before all segments and after the audio has been read and its language detected; only notices may come
 *         before it. If the language is given, or if the model knows only one, language_probability is 1 and
 *         all_language_probs null. With batch_size the audio may still be read: "duration" is what its header says, null if
 *         that is nothing, and "duration_after_vad" null unless all of it had to be read to detect the language. Lazy jobs
 *         on samples do not wait for the search for speech that the guards make, and detect the language in the first five
 *         minutes if anything is said there. offset and duration of the options apply.
 *     {"type": "segment", "id": 0, "seek": 0, "start": 0.0, "end": 4.2, "text": " Hello there.", "tokens": [50363, …],
 *      "temperature": 0.0, "avg_logprob": -0.2, "compression_ratio": 1.1, "no_speech_prob": 0.01,
 *      "words": [{"start": 0.0, "end": 0.4, "word": " Hello", "probability": 0.9}, …]}
 *         Never changes again. words is null without word_timestamps; seek, temperature, compression_ratio and
 *         no_speech_prob are null for models other than Whisper. If they are known: "language", "speaker" (also of words),
 *         "token_logprobs".
 *     {"type": "volatile", "start": 4.2, "end": 9.0, "text": " How are"}
 *         What the next segments may be. Replaces the one before; text is null if it is withdrawn.
 *     {"type": "progress", "position": 30.0, "duration": 120.0}
 *     {"type": "notice", "level": "detail", "text": "0:30–0:41 skipped: …"}
 *         What was skipped, dropped or decoded again; "level": "warning" for problems of the recording.
 *     {"type": "done", "text": "…", "language": "en", "duration": 11.0}
 *         The last event of a transcription that has succeeded. If they are known: "turns" [{"start", "end", "speaker"}]
 *         and "speech" [{"start", "end"}], of a channel with its "speaker". With the segments as "segments" it is a
 *         transcript for wl_format.
 *     {"type": "error", "code": "audio", "message": "…"}
 *         The last event of a job that has failed, returned with WL_FAILED. Segments before it are valid.
 */

/* Starts a transcription. Samples are 16 kHz, mono, -1 to 1. NULL if an argument or an option is wrong, or if the file
 * cannot be opened. The descriptor is duplicated and read from its current position. */
wl_job *wl_transcribe_samples(wl_model *model, const float *samples, size_t count, const char *options, char **error);
wl_job *wl_transcribe_file(wl_model *model, const char *path, const char *options, char **error);
wl_job *wl_transcribe_descriptor(wl_model *model, int32_t descriptor, const char *options, char **error);

/* Detects the language only: "info", then WL_END. */
wl_job *wl_detect_language(wl_model *model, const float *samples, size_t count, const char *options, char **error);

/* Waits for the next event for at most this long; 0 does not wait, a negative number waits without limit.
 *
 * WL_EVENT: *event is the event, with a terminating zero, and *length its bytes without it (length may be NULL).
 * WL_TIMEOUT, WL_END: *event is NULL. WL_FAILED: *event is an "error"; the next call returns WL_END. */
int32_t wl_job_next(wl_job *job, int32_t milliseconds, const char **event, size_t *length);

/* Discards what has not been returned. A waiting wl_job_next returns WL_FAILED at once, with the code `cancelled`; the
 * computation ends within a token. Does nothing after the end. */
void wl_job_cancel(wl_job *job);

/* Frees the handle, and cancels its job if it has not ended. Returns at once. */
void wl_job_free(wl_job *job);

/* ---------------------------------------------------------------------------------------------------------------------
 * Live streams
 *
 * Options are those of a transcription that make sense for live audio, of which `task`, `language`, `languages`,
 * `multilingual`, `initial_prompt`, `terms`, `vocabulary`, `word_timestamps`, `vad_model` and `speakers` are the most
 * useful, and:
 *
 *     policy               "align" (default), "agree", "utterance": when words become final (docs/streaming.md)
 *     step                 0.8: seconds between passes over an open utterance, 0.25 to 2
 *     minimum_audio        0.5: seconds of an utterance before its first pass, 0 to 2
 *     end_silence          0.5: seconds of silence that end an utterance, 0.1 to 10
 *     max_window           28: seconds after which speech without a pause is cut, 1 to 28
 *     minimum_probability  0.5: less probable words wait, 0 to 1
 *     word_patience        1.6: seconds that they wait at most, 0 to 20
 *     volatile_probability 0.3: where volatile text ends, 0 to 1
 *     spoken_punctuation   false; true writes "comma" as a sign
 *     vad_threshold        0.5: the probability from which Silero's network hears speech
 *     deterministic        false; true runs every pass, so that the same audio always gives the same text
 *     volatile             true (here the default); false sends no events of that type
 *
 * Events: as of jobs, without "info" and "progress"; segments also have "utterance", their number from 0, and the audio
 * counts from the first sample. Further ones:
 *
 *     {"type": "language", "language": "en", "language_probability": 0.98}
 *     {"type": "status", "state": "listening", "clock": 12.3, "decoded": 11.9, "lag": 0.4, "speech": true,
 *      "level_dbfs": -31.0}
 *         At most once a second of audio, and when the state changes (listening, paused, draining, stopped, failed).
 *     {"type": "gap", "clock": 12.3, "lost": 0.1}
 *     {"type": "done", "duration": 61.2}
 */
wl_stream *wl_stream_open(wl_model *model, const char *options, char **error);

/* Takes the next samples and returns without waiting: they are queued in memory, and beyond half a minute in a temporary
 * file. WL_FAILED if more than ten minutes wait, if there is no space, after wl_stream_stop, or for a bad handle. */
int32_t wl_stream_push(wl_stream *stream, const float *samples, size_t count);

/* Ends the open utterance: what was pushed becomes final, and the stream goes on. */
int32_t wl_stream_flush(wl_stream *stream);

/* Makes what was pushed final; then the stream ends with WL_END. */
int32_t wl_stream_stop(wl_stream *stream);

/* As wl_job_next. */
int32_t wl_stream_next(wl_stream *stream, int32_t milliseconds, const char **event, size_t *length);

/* Ends the stream without another pass, and frees the handle. Returns at once. */
void wl_stream_free(wl_stream *stream);

/* ---------------------------------------------------------------------------------------------------------------------
 * Audio and text without a model
 */

/* Decodes a recording to samples of 16 kHz, mono, multiples of 1/32768. Options: track, channel and raw, as of jobs;
 * offset and duration in seconds. WL_OK or WL_FAILED; *samples is to be freed with wl_free, and not NULL even if *count
 * is 0. */
int32_t wl_decode_file(const char *path, const char *options, float **samples, size_t *count, char **error);

/* Where samples contain speech, as [{"start": 1234, "end": 5678}, …] in samples, or NULL. Options: those of vad_parameters
 * (threshold, neg_threshold, min_speech_duration_ms, max_speech_duration_s, min_silence_duration_ms, speech_pad_ms),
 * vad_model, and probabilities: true returns instead Silero's probability of each 512 samples, as [0.01, 0.98, …]; the
 * last ones are padded with zeros. */
char *wl_speech(const float *samples, size_t count, const char *options, char **error);

/* A transcript as the text of a file, or NULL. The transcript has the members of "done", and "segments" with those of the
 * events; only "segments" with "start", "end" and "text" is needed, and unknown members are skipped. Formats: txt, srt,
 * vtt, ass, tsv, json, csv, lrc, rttm. Options: style ("readable", "netflix", "bbc", "whisper"), max_line_width,
 * max_line_count, max_words_per_line, highlight_words. */
char *wl_format(const char *transcript, const char *format, const char *options, char **error);

#ifdef __cplusplus
}
#endif
#endif
