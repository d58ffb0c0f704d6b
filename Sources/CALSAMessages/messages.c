// ALSA's error handler has a va_list parameter, which Swift cannot express in a C function type.
#include <stdarg.h>
#include <stdio.h>

#include "CALSAMessages.h"

static _Thread_local char last_message[256];

static void collect(const char *file, int line, const char *function, int code, const char *format, va_list arguments) {
    (void)file, (void)line, (void)function, (void)code;
    vsnprintf(last_message, sizeof last_message, format, arguments);
}

typedef void (*handler)(const char *, int, const char *, int, const char *, va_list);

void ca_collect_messages(void *set_handler) { ((handler(*)(handler))set_handler)(collect); }

const char *ca_last_message(void) { return last_message; }

void ca_forget_message(void) { last_message[0] = 0; }
