/* Transcribes a recording and prints subtitles.
 *
 *     cc transcribe.c $(pkg-config --cflags --libs whisper_local) -o transcribe
 *     ./transcribe tiny.en talk.wav > talk.srt
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <whisper_local.h>

static int fail(char *error)
{
    fprintf(stderr, "%s\n", error);
    wl_free(error);
    return 1;
}

int main(int count, char **arguments)
{
    if (count != 3 || wl_abi() != WL_ABI) {
        fprintf(stderr, "usage: %s MODEL RECORDING, with version %d of the library's interface\n", arguments[0], WL_ABI);
        return 64;
    }
    char *error = NULL;
    wl_model *model = NULL;
    if (wl_model_open(arguments[1], NULL, &model, &error) != WL_OK) return fail(error);
    wl_job *job = wl_transcribe_file(model, arguments[2], "{\"word_timestamps\": true}", &error);
    wl_model_close(model); /* the job keeps it */
    if (!job) return fail(error);

    /* The segments become the transcript that wl_format takes, so that nothing has to be parsed. */
    char *transcript = NULL;
    size_t length;
    FILE *segments = open_memstream(&transcript, &length);
    const char *event, *separator = "{\"segments\":[";
    int32_t state;
    while ((state = wl_job_next(job, 1000, &event, NULL)) >= WL_TIMEOUT) {
        if (state != WL_EVENT || strncmp(event, "{\"type\":\"segment\"", 17) != 0) continue;
        fprintf(segments, "%s%s", separator, event);
        separator = ",";
    }
    if (state == WL_FAILED) fprintf(stderr, "%s\n", event);
    wl_job_free(job);
    fputs(*separator == '{' ? "{\"segments\":[]}" : "]}", segments);
    fclose(segments);

    char *subtitles = wl_format(transcript, "srt", NULL, &error);
    free(transcript);
    if (!subtitles) return fail(error);
    fputs(subtitles, stdout);
    wl_free(subtitles);
    return state == WL_FAILED;
}
