#ifndef CSERVERFILES_H
#define CSERVERFILES_H
#include <stdint.h>

typedef struct {
    /// The path in this folder, such as page/app.js.
    const char *path;
    const uint8_t *bytes;
    long count;
} sf_file;

/// The files that the server sends to browsers, compiled into the program.
const sf_file *sf_files(long *count);

#endif
