/* Unloads the library after a job: its threads go on, so that it must stay in memory.
 *
 *     unload LIBRARY MODEL RECORDING
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count != 4) return 64;
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        int32_t (*open)(const char *, const char *, void **, char **);
        void *(*transcribe)(void *, const char *, const char *, char **);
        int32_t (*next)(void *, int32_t, const char **, size_t *);
        *(void **)&open = dlsym(library, "wl_model_open");
        *(void **)&transcribe = dlsym(library, "wl_transcribe_file");
        *(void **)&next = dlsym(library, "wl_job_next");
        void *model;
        if (open(arguments[2], NULL, &model, NULL) != 0) return 1;
        void *job = transcribe(model, arguments[3], NULL, NULL);
        const char *event;
        /* Not to the end. */
        if (next(job, -1, &event, NULL) != 1) return 1;
        dlclose(library);
        usleep(300000);
    }
    return 0;
}
