/* Tests libwhisper_local.so through its header (scripts/test-library.sh).
 *
 *     library_tests MODEL RECORDING TEXT      TEXT is what the program transcribes
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <whisper_local.h>

static const char *model_path, *recording, *expected;
static wl_model *model;
static int failures;

#define CHECK(condition) \
    ((condition) ? (void)0 : (void)(failures++, fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition)))

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Whether an error has this code, and its message contains a text; frees it. */
static bool is_error(char *error, const char *code, const char *text)
{
    char start[64];
    snprintf(start, sizeof start, "{\"code\":\"%s\",\"message\":\"", code);
    bool matches = error && strncmp(error, start, strlen(start)) == 0 && strstr(error, text);
    if (!matches) fprintf(stderr, "found %s, not %s … %s\n", error ? error : "no error", code, text);
    wl_free(error);
    return matches;
}

static bool starts(const char *event, const char *type)
{
    char start[64];
    snprintf(start, sizeof start, "{\"type\":\"%s\"", type);
    return event && strncmp(event, start, strlen(start)) == 0;
}

/* The value of a member that is a string without escapes. */
static void copy_member(const char *event, const char *name, char *value, size_t size)
{
    char start[64];
    snprintf(start, sizeof start, "\"%s\":\"", name);
    const char *found = event ? strstr(event, start) : NULL;
    *value = 0;
    if (!found) return;
    found += strlen(start);
    snprintf(value, size, "%.*s", (int)strcspn(found, "\""), found);
}

static float *samples;
static size_t sample_count;

static void load_samples(void)
{
    char *error = NULL;
    CHECK(wl_decode_file(recording, NULL, &samples, &sample_count, &error) == WL_OK);
    CHECK(sample_count > 16000 && error == NULL);
    float *part;
    size_t count;
    CHECK(wl_decode_file(recording, "{\"offset\": 1, \"duration\": 0.5}", &part, &count, NULL) == WL_OK);
    CHECK(count == 8000 && memcmp(part, samples + 16000, count * sizeof *part) == 0);
    wl_free(part);
    CHECK(wl_decode_file(recording, "{\"offset\": 1000}", &part, &count, NULL) == WL_OK && count == 0 && part);
    wl_free(part);
    CHECK(wl_decode_file(recording, "{\"channel\": 2}", &part, &count, &error) == WL_FAILED);
    CHECK(is_error(error, "option", "there is no channel 2"));
}

/* The events of a job up to its end. */
struct outcome {
    char text[1000], code[32];
    int infos, segments, words, others;
    int32_t state;
};

static struct outcome finish(wl_job *job)
{
    struct outcome outcome = {0};
    const char *event;
    size_t length;
    while ((outcome.state = wl_job_next(job, 60000, &event, &length)) == WL_EVENT) {
        CHECK(strlen(event) == length);
        if (starts(event, "info")) {
            outcome.infos++;
            CHECK(outcome.segments == 0);
        } else if (starts(event, "segment")) {
            CHECK(outcome.infos == 1);
            outcome.segments++;
            outcome.words += strstr(event, "\"words\":[{") != NULL;
        } else if (starts(event, "done")) {
            copy_member(event, "text", outcome.text, sizeof outcome.text);
        } else {
            outcome.others++;
        }
    }
    CHECK(outcome.state != WL_TIMEOUT);
    if (outcome.state == WL_FAILED) {
        CHECK(starts(event, "error"));
        copy_member(event, "code", outcome.code, sizeof outcome.code);
    }
    CHECK(wl_job_next(job, 0, &event, &length) == WL_END && event == NULL && length == 0);
    wl_job_free(job);
    return outcome;
}

static bool is_expected(struct outcome outcome)
{
    const char *text = outcome.text + strspn(outcome.text, " ");
    bool matches = outcome.state == WL_END && strcmp(text, expected) == 0 && outcome.infos == 1 && outcome.segments > 0;
    if (!matches) fprintf(stderr, "found %d “%s”, not “%s”\n", outcome.state, text, expected);
    return matches;
}

static void test_library(void)
{
    CHECK(wl_abi() == WL_ABI);
    CHECK(strchr(wl_version(), '.'));
    char *features = wl_features();
    CHECK(features && strncmp(features, "{\"version\":\"", 12) == 0 && strstr(features, "\"srt\""));
    wl_free(features);
    wl_free(NULL);
}

static void test_model_errors(void)
{
    wl_model *none = NULL;
    char *error = NULL;
    CHECK(wl_model_open("no-such-model", NULL, &none, &error) == WL_FAILED && none == NULL);
    CHECK(is_error(error, "not_found", "no-such-model"));
    CHECK(wl_model_open("/no/such/model.bin", NULL, &none, &error) == WL_FAILED);
    CHECK(is_error(error, "not_found", "/no/such/model.bin"));
    CHECK(wl_find_model("no-such-model", NULL, &error) == NULL);
    CHECK(is_error(error, "not_found", "no-such-model"));
    char *found = wl_find_model(model_path, NULL, NULL);
    CHECK(found && strstr(found, "\"name\":\"nano.en\"") && strstr(found, model_path));
    wl_free(found);
    CHECK(wl_model_open(recording, NULL, &none, &error) == WL_FAILED);
    CHECK(is_error(error, "model", ""));
    CHECK(wl_model_open(NULL, NULL, &none, &error) == WL_FAILED);
    CHECK(is_error(error, "option", "NULL"));
    CHECK(wl_model_open(model_path, NULL, NULL, &error) == WL_FAILED);
    CHECK(is_error(error, "option", "NULL"));
    CHECK(wl_model_open(NULL, NULL, NULL, NULL) == WL_FAILED);
    CHECK(wl_model_open(model_path, "{\"compute_typ\": \"int8\"}", &none, &error) == WL_FAILED);
    CHECK(is_error(error, "option", "did you mean \\\"compute_type\\\"?"));
    CHECK(wl_model_open(model_path, "{\"compute_type\": \"int7\"}", &none, &error) == WL_FAILED);
    CHECK(is_error(error, "option", "compute_type must be one of"));
    CHECK(wl_model_open(model_path, "{\"threads\": 0}", &none, &error) == WL_FAILED);
    CHECK(is_error(error, "option", "threads must be an integer from 1 to 1024"));
}

static void test_option_errors(void)
{
    static const struct {
        const char *options, *message;
    } cases[] = {
        {"{", "not valid JSON"},
        {"[]", "must be a JSON object"},
        {"{\"language\": 1}", "language must be a string"},
        {"{\"language\": \"xx\"}", "xx"},
        {"{\"beamsize\": 1}", "did you mean \\\"beam_size\\\"?"},
        {"{\"beam_size\": 0}", "beam_size must be an integer from 1 to 100"},
        {"{\"beam_size\": 1.5}", "beam_size must be an integer"},
        {"{\"beam_size\": 1, \"beam_size\": 2}", "twice"},
        {"{\"temperature\": [0, 2]}", "temperature must be a number from 0.0 to 1.0"},
        {"{\"vad_parameters\": {\"treshold\": 1}}", "did you mean \\\"vad_parameters.threshold\\\"?"},
        {"{\"vad_parameters\": 1}", "vad_parameters must be an object"},
        {"{\"speakers\": true, \"min_speakers\": 3, \"max_speakers\": 2}", "max_speakers must not be below min_speakers"},
        {"{\"vad_model\": \"/no/such/file\"}", "/no/such/file"},
        {"{\"vocabulary\": \"a => b => c\"}", "two =>"},
        {"{\"task\": \"sing\"}", "one of \\\"transcribe\\\", \\\"translate\\\""},
        {"\xff", "not valid JSON"},
        {"{\"prefix\": \"\xff\"}", "UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *error = NULL;
        CHECK(wl_transcribe_samples(model, samples, sample_count, cases[i].options, &error) == NULL);
        bool isFile = strstr(cases[i].options, "/no/such/file");
        CHECK(is_error(error, isFile ? "not_found" : "option", cases[i].message));
    }
    char *error = NULL;
    CHECK(wl_transcribe_file(model, recording, "{\"borrow\": true}", &error) == NULL);
    CHECK(is_error(error, "option", "borrow"));
    CHECK(wl_transcribe_file(model, "/no/such/file.wav", NULL, &error) == NULL);
    CHECK(is_error(error, "not_found", "/no/such/file.wav"));
    CHECK(wl_transcribe_file(model, model_path, NULL, &error) == NULL);
    CHECK(is_error(error, "audio", "a model"));
    CHECK(wl_transcribe_file(model, NULL, NULL, &error) == NULL);
    CHECK(is_error(error, "option", "NULL"));
    CHECK(wl_transcribe_descriptor(model, 12345, NULL, &error) == NULL);
    CHECK(is_error(error, "option", "descriptor 12345 is not open"));
    CHECK(wl_transcribe_samples(model, NULL, 10, NULL, &error) == NULL);
    CHECK(is_error(error, "option", "NULL"));
    CHECK(wl_transcribe_samples(model, samples, SIZE_MAX, NULL, &error) == NULL);
    CHECK(is_error(error, "option", "too many samples"));
    CHECK(wl_speech(samples, SIZE_MAX, NULL, &error) == NULL);
    CHECK(is_error(error, "option", "too many samples"));
    CHECK(wl_speech(NULL, 10, NULL, &error) == NULL);
    CHECK(is_error(error, "option", "NULL"));
    float *none;
    size_t count;
    CHECK(wl_decode_file(NULL, NULL, &none, &count, &error) == WL_FAILED);
    CHECK(is_error(error, "option", "NULL"));
    CHECK(wl_decode_file(recording, NULL, NULL, &count, &error) == WL_FAILED);
    CHECK(is_error(error, "option", "NULL"));
    CHECK(wl_model_encode(model, NULL, &error) == NULL);
    CHECK(is_error(error, "option", "NULL"));
    CHECK(wl_model_decode(model, NULL, 1, &error) == NULL);
    CHECK(is_error(error, "option", "NULL"));
    CHECK(wl_format(NULL, "srt", NULL, &error) == NULL);
    CHECK(is_error(error, "option", "NULL"));
    /* Deeper than any stack. */
    size_t depth = 1000000;
    char *nested = malloc(depth + 1);
    memset(nested, '[', depth);
    nested[depth] = 0;
    CHECK(wl_transcribe_samples(model, samples, sample_count, nested, &error) == NULL);
    CHECK(is_error(error, "option", "nested too deeply"));
    free(nested);
    CHECK(wl_format("{}", "srt", NULL, &error) == NULL);
    CHECK(is_error(error, "option", "segments"));
    CHECK(wl_format("{\"segments\":[{}]}", "srt", NULL, &error) == NULL);
    CHECK(is_error(error, "option", "segment 0"));
    CHECK(wl_format("{\"segments\":[]}", "str", NULL, &error) == NULL);
    CHECK(is_error(error, "option", "did you mean srt?"));
}

/* Handles that were never given out, were closed, or are of something else. */
static void test_handles(void)
{
    const char *event;
    size_t length;
    char *error = NULL;
    wl_model *closed = NULL;
    CHECK(wl_model_open(model_path, NULL, &closed, &error) == WL_OK);
    wl_model_close(closed);
    wl_model_close(closed);
    wl_model_close(NULL);
    wl_job_free(NULL);
    wl_job_cancel(NULL);
    wl_stream_free(NULL);
    void *bad[] = {NULL, (void *)1, &length, closed, (void *)~(uintptr_t)0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(wl_model_info(bad[i]) == NULL);
        CHECK(wl_transcribe_samples(bad[i], samples, sample_count, NULL, &error) == NULL);
        CHECK(is_error(error, "handle", "closed"));
        CHECK(wl_stream_open(bad[i], NULL, &error) == NULL);
        CHECK(is_error(error, "handle", "closed"));
        CHECK(wl_job_next(bad[i], -1, &event, &length) == WL_FAILED && strstr(event, "\"handle\""));
        CHECK(strlen(event) == length);
        CHECK(wl_stream_next(bad[i], -1, &event, NULL) == WL_FAILED && strstr(event, "\"handle\""));
        CHECK(wl_stream_push(bad[i], samples, 10) == WL_FAILED);
        wl_job_cancel(bad[i]);
        wl_job_free(bad[i]);
        wl_stream_free(bad[i]);
    }
    wl_job *job = wl_transcribe_samples(model, samples, sample_count, NULL, NULL);
    CHECK(wl_model_info((wl_model *)job) == NULL);
    CHECK(wl_stream_flush((wl_stream *)job) == WL_FAILED);
    wl_model_close((wl_model *)job);
    CHECK(wl_job_next((wl_job *)model, 0, &event, NULL) == WL_FAILED);
    CHECK(is_expected(finish(job)));
}

static void test_jobs(void)
{
    CHECK(is_expected(finish(wl_transcribe_file(model, recording, NULL, NULL))));
    CHECK(is_expected(finish(wl_transcribe_samples(model, samples, sample_count, "", NULL))));
    CHECK(is_expected(finish(wl_transcribe_samples(model, samples, sample_count, "{\"borrow\":true}", NULL))));
    CHECK(is_expected(finish(wl_transcribe_samples(model, samples, sample_count, "{\"lazy\":true}", NULL))));
    struct outcome words = finish(wl_transcribe_file(model, recording, "{\"word_timestamps\":true}", NULL));
    CHECK(is_expected(words) && words.words == words.segments);
    int descriptor = open(recording, O_RDONLY);
    wl_job *job = wl_transcribe_descriptor(model, descriptor, NULL, NULL);
    CHECK(close(descriptor) == 0);
    CHECK(is_expected(finish(job)));
    struct outcome empty = finish(wl_transcribe_samples(model, NULL, 0, NULL, NULL));
    CHECK(empty.state == WL_END && empty.segments == 0 && empty.infos == 1);
    struct outcome language = finish(wl_detect_language(model, samples, sample_count, NULL, NULL));
    CHECK(language.state == WL_END && language.infos == 1 && language.segments == 0);
    /* A pipe without a writer's data is an error of the job, not of its start. */
    int ends[2];
    CHECK(pipe(ends) == 0);
    job = wl_transcribe_descriptor(model, ends[0], NULL, NULL);
    close(ends[0]);
    close(ends[1]);
    CHECK(strcmp(finish(job).code, "audio") == 0);
    int folder = open("/", O_RDONLY);
    char message[64];
    snprintf(message, sizeof message, "not a recording: /dev/fd/%d\"", folder);
    job = wl_transcribe_descriptor(model, folder, NULL, NULL);
    close(folder);
    const char *event;
    CHECK(wl_job_next(job, -1, &event, NULL) == WL_FAILED && strstr(event, message));
    wl_job_free(job);
    /* Samples at any address: those of a file that was mapped into memory, for example. */
    char *bytes = malloc(sample_count * sizeof *samples + 1);
    memcpy(bytes + 1, samples, sample_count * sizeof *samples);
    CHECK(is_expected(finish(wl_transcribe_samples(model, (void *)(bytes + 1), sample_count, "{\"borrow\":true}", NULL))));
    free(bytes);
    CHECK(wl_job_next(wl_transcribe_file(model, recording, NULL, NULL), 0, NULL, NULL) == WL_TIMEOUT);
}

/* The text of a prefix belongs to the first segment only with prefix_in_text. */
static void test_prefix(void)
{
    struct outcome with = finish(wl_transcribe_samples(
        model, samples, sample_count, "{\"prefix\":\"Turn the fan\",\"prefix_in_text\":true,\"guard\":false}", NULL));
    CHECK(strncmp(with.text, " Turn the fan", 13) == 0);
    struct outcome without = finish(wl_transcribe_samples(
        model, samples, sample_count, "{\"prefix\":\"Turn the fan\",\"without_timestamps\":true,\"guard\":false}", NULL));
    CHECK(without.state == WL_END && strncmp(without.text, " Turn the fan", 13) != 0);
}

static void test_cancellation(void)
{
    const char *event;
    size_t long_count = 100 * sample_count;
    float *recording_of_minutes = malloc(long_count * sizeof *samples);
    for (size_t i = 0; i < long_count; i++) recording_of_minutes[i] = samples[i % sample_count];

    wl_job *job = wl_transcribe_samples(model, recording_of_minutes, long_count, NULL, NULL);
    while (wl_job_next(job, -1, &event, NULL) == WL_EVENT && !starts(event, "segment")) {}
    double start = now();
    wl_job_cancel(job);
    CHECK(strcmp(finish(job).code, "cancelled") == 0);
    CHECK(now() - start < 1);

    /* Freed while they run, at different times; borrowed samples may go at once. */
    for (int i = 0; i < 20; i++) {
        job = wl_transcribe_samples(model, recording_of_minutes, long_count, "{\"borrow\":true}", NULL);
        usleep((useconds_t)(i * 3000));
        start = now();
        wl_job_free(job);
        CHECK(now() - start < 0.5);
        float *moved = malloc(long_count * sizeof *samples);
        memcpy(moved, recording_of_minutes, long_count * sizeof *samples);
        free(recording_of_minutes);
        recording_of_minutes = moved;
    }

    /* The model is closed before its job ends. */
    wl_model *own = NULL;
    CHECK(wl_model_open(model_path, NULL, &own, NULL) == WL_OK);
    job = wl_transcribe_samples(own, samples, sample_count, NULL, NULL);
    wl_model_close(own);
    CHECK(is_expected(finish(job)));

    /* A lazy job computes nothing that nobody asks for. */
    job = wl_transcribe_samples(model, recording_of_minutes, long_count, "{\"lazy\":true}", NULL);
    while (wl_job_next(job, -1, &event, NULL) == WL_EVENT && !starts(event, "info")) {}
    /* It has not read the recording, but knows how long it is. */
    const char *said = strstr(event, "\"duration_after_vad\":");
    CHECK(said != NULL && (size_t)(strtod(strchr(said, ':') + 1, NULL) * 16000 + 0.5) == long_count);
    usleep(100000);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    usleep(500000);
    getrusage(RUSAGE_SELF, &after);
    double seconds = (double)(after.ru_utime.tv_sec - before.ru_utime.tv_sec)
        + 1e-6 * (double)(after.ru_utime.tv_usec - before.ru_utime.tv_usec);
    CHECK(seconds < 0.1);
    /* Asking without waiting is asking, too. */
    int32_t state = wl_job_next(job, 0, &event, NULL);
    for (start = now(); state == WL_TIMEOUT && now() - start < 600; usleep(10000)) state = wl_job_next(job, 0, &event, NULL);
    CHECK(state == WL_EVENT);
    wl_job_free(job);
    free(recording_of_minutes);

    /* Batches start before it is known how much of the recording is speech. */
    job = wl_transcribe_samples(model, samples, sample_count, "{\"batch_size\":2}", NULL);
    while (wl_job_next(job, -1, &event, NULL) == WL_EVENT && !starts(event, "info")) {}
    CHECK(strstr(event, "\"duration_after_vad\":null") != NULL);
    wl_job_free(job);
}

static void *run_job(void *unused)
{
    (void)unused;
    CHECK(is_expected(finish(wl_transcribe_samples(model, samples, sample_count, NULL, NULL))));
    return NULL;
}

static void *wait_for_event(void *job)
{
    const char *event;
    int32_t state = wl_job_next(job, -1, &event, NULL);
    return (void *)(intptr_t)state;
}

static void test_threads(void)
{
    pthread_t threads[4];
    /* The smallest stack that docs/c.md promises to be enough. */
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], &small, run_job, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    pthread_attr_destroy(&small);

    /* Nothing arrives from a pipe whose writer waits. */
    int ends[2];
    const char *event;
    void *state;
    CHECK(pipe(ends) == 0);
    wl_job *job = wl_transcribe_descriptor(model, ends[0], NULL, NULL);
    pthread_create(&threads[0], NULL, wait_for_event, job);
    usleep(100000);
    CHECK(wl_job_next(job, -1, &event, NULL) == WL_FAILED && strstr(event, "another thread"));
    wl_job_free(job);
    pthread_join(threads[0], &state);
    CHECK((intptr_t)state == WL_FAILED);
    close(ends[0]);
    close(ends[1]);
}

static void test_streams(void)
{
    char *error = NULL;
    const char *event;
    int32_t state;
    CHECK(wl_stream_open(model, "{\"polcy\":\"agree\"}", &error) == NULL);
    CHECK(is_error(error, "option", "did you mean \\\"policy\\\"?"));
    CHECK(wl_stream_open(model, "{\"batch_size\":2}", &error) == NULL);
    CHECK(is_error(error, "option", "batch_size"));
    wl_stream *stream = wl_stream_open(model, "{\"deterministic\":true}", &error);
    CHECK(stream != NULL);
    // There is no text without sound, though perhaps a status.
    state = wl_stream_next(stream, 0, &event, NULL);
    CHECK(state == WL_TIMEOUT || (state == WL_EVENT && starts(event, "status")));
    for (size_t start = 0; start < sample_count; start += 1600) {
        size_t count = sample_count - start < 1600 ? sample_count - start : 1600;
        CHECK(wl_stream_push(stream, samples + start, count) == WL_OK);
    }
    CHECK(wl_stream_flush(stream) == WL_OK);
    CHECK(wl_stream_stop(stream) == WL_OK);
    CHECK(wl_stream_push(stream, samples, 1600) == WL_FAILED);
    CHECK(wl_stream_stop(stream) == WL_OK);
    char text[1000] = "", part[1000];
    int volatiles = 0, dones = 0;
    while ((state = wl_stream_next(stream, 60000, &event, NULL)) == WL_EVENT) {
        volatiles += starts(event, "volatile");
        dones += starts(event, "done");
        if (!starts(event, "segment")) continue;
        copy_member(event, "text", part, sizeof part);
        strncat(text, part, sizeof text - strlen(text) - 1);
    }
    CHECK(state == WL_END && volatiles > 0 && dones == 1);
    CHECK(strstr(text, "fan") && strstr(text, "chair"));
    wl_stream_free(stream);

    stream = wl_stream_open(model, NULL, NULL);
    CHECK(wl_stream_push(stream, NULL, 10) == WL_FAILED);
    CHECK(wl_stream_push(stream, samples, SIZE_MAX) == WL_FAILED);
    CHECK(wl_stream_push(stream, samples, sample_count) == WL_OK);
    double start = now();
    wl_stream_free(stream);
    CHECK(now() - start < 0.5);
    CHECK(wl_stream_push(stream, samples, sample_count) == WL_FAILED);

    /* More than ten minutes. */
    stream = wl_stream_open(model, NULL, NULL);
    state = WL_OK;
    for (int i = 0; i < 200 && state == WL_OK; i++) state = wl_stream_push(stream, samples, sample_count);
    CHECK(state == WL_FAILED);
    wl_stream_free(stream);
}

static void test_helpers(void)
{
    char *speech = wl_speech(samples, sample_count, "{\"min_silence_duration_ms\": 100, \"speech_pad_ms\": 30}", NULL);
    CHECK(speech && strncmp(speech, "[{\"start\":", 10) == 0);
    wl_free(speech);
    /* Speech that is too long is split. */
    speech = wl_speech(samples, sample_count, "{\"vad_model\": \"energy\", \"max_speech_duration_s\": 1.5}", NULL);
    int parts = 0;
    for (const char *part = speech; part && (part = strstr(part, "\"start\"")); part++) parts++;
    CHECK(parts > 2);
    wl_free(speech);
    speech = wl_speech(NULL, 0, NULL, NULL);
    CHECK(speech && strcmp(speech, "[]") == 0);
    wl_free(speech);
    char *tokens = wl_model_encode(model, " fan", NULL);
    CHECK(tokens && strcmp(tokens, "[4336]") == 0);
    wl_free(tokens);
    int32_t ids[] = {4336, -1, 50256, 1 << 30};
    char *text = wl_model_decode(model, ids, 4, NULL);
    CHECK(text && strcmp(text, " fan") == 0);
    wl_free(text);
    text = wl_format("{\"segments\":[{\"start\":0,\"end\":1.5,\"text\":\" Hello there.\"}]}", "vtt", NULL, NULL);
    CHECK(text && strstr(text, "00:00.000 --> 00:01.500\nHello there."));
    wl_free(text);
    char *info = wl_model_info(model);
    CHECK(info && strstr(info, "\"multilingual\":false") && strstr(info, "\"languages\":[\"en\"]"));
    wl_free(info);
}

/* In a child everything fails at once. */
static void test_fork(void)
{
    wl_job *job = wl_transcribe_samples(model, samples, sample_count, NULL, NULL);
    wl_stream *stream = wl_stream_open(model, NULL, NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(10);
        const char *event;
        char *error = NULL;
        wl_model *none = NULL;
        failures = 0;
        CHECK(wl_model_open(model_path, NULL, &none, &error) == WL_FAILED && is_error(error, "fork", "set_start_method"));
        CHECK(wl_transcribe_file(model, recording, NULL, &error) == NULL && is_error(error, "fork", "posix_spawn"));
        CHECK(wl_job_next(job, -1, &event, NULL) == WL_FAILED && strstr(event, "\"code\":\"fork\""));
        CHECK(wl_speech(samples, sample_count, NULL, &error) == NULL && is_error(error, "fork", ""));
        CHECK(wl_features() == NULL && wl_model_info(model) == NULL);
        CHECK(wl_transcribe_descriptor(model, 0, NULL, &error) == NULL && is_error(error, "fork", ""));
        CHECK(wl_detect_language(model, samples, sample_count, NULL, &error) == NULL && is_error(error, "fork", ""));
        CHECK(wl_stream_open(model, NULL, &error) == NULL && is_error(error, "fork", ""));
        CHECK(wl_stream_push(stream, samples, sample_count) == WL_FAILED && wl_stream_flush(stream) == WL_FAILED);
        CHECK(wl_stream_stop(stream) == WL_FAILED);
        CHECK(wl_stream_next(stream, -1, &event, NULL) == WL_FAILED && strstr(event, "\"code\":\"fork\""));
        float *decoded;
        size_t count;
        CHECK(wl_decode_file(recording, NULL, &decoded, &count, &error) == WL_FAILED && is_error(error, "fork", ""));
        CHECK(wl_find_model(model_path, NULL, &error) == NULL && is_error(error, "fork", ""));
        CHECK(wl_model_encode(model, "fan", &error) == NULL && is_error(error, "fork", ""));
        CHECK(wl_format("{\"segments\":[]}", "srt", NULL, &error) == NULL && is_error(error, "fork", ""));
        CHECK(wl_abi() == WL_ABI && strchr(wl_version(), '.'));
        wl_job_cancel(job);
        wl_job_free(job);
        wl_stream_free(stream);
        wl_model_close(model);
        _exit(failures);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(is_expected(finish(job)));
    wl_stream_free(stream);
}

int main(int count, char **arguments)
{
    if (count != 4) return 64;
    model_path = arguments[1], recording = arguments[2], expected = arguments[3];

    struct sigaction before[NSIG], after;
    for (int i = 1; i < NSIG; i++) sigaction(i, NULL, &before[i]);

    /* A process may fork before it uses the library. */
    pid_t child = fork();
    char *error = NULL;
    if (wl_model_open(model_path, NULL, &model, &error) != WL_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    load_samples();
    if (child == 0) {
        CHECK(is_expected(finish(wl_transcribe_samples(model, samples, sample_count, NULL, NULL))));
        _exit(failures);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);

    test_library();
    test_model_errors();
    test_option_errors();
    test_handles();
    test_jobs();
    test_prefix();
    test_threads();
    test_cancellation();
    test_streams();
    test_helpers();
    test_fork();

    for (int i = 1; i < NSIG; i++) {
        /* Two signals are the C library's own. */
        if (sigaction(i, NULL, &after) == 0) CHECK(before[i].sa_handler == after.sa_handler);
    }
    wl_free(samples);
    wl_model_close(model);
    if (failures) fprintf(stderr, "%d checks failed\n", failures);
    return failures != 0;
}
