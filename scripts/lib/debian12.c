// Functions that the Swift library of Debian's unstable distribution expects of the C and C++ libraries and that older ones
// do not have (scripts/lib/arm64.sh). The first three differ from the ones they call only in what they read as binary
// numbers.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }

long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }

int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int count = vsscanf(text, format, values);
    va_end(values);
    return count;
}

size_t strlcpy(char *to, const char *from, size_t room) {
    size_t length = strlen(from);
    if (room > 0) snprintf(to, room, "%s", from);
    return length;
}

float __frexpf(float x, int *exponent) { return frexpf(x, exponent); }

float __ldexpf(float x, int exponent) { return ldexpf(x, exponent); }

float __scalbnf(float x, int exponent) { return scalbnf(x, exponent); }

// std::__glibcxx_assert_fail
_Noreturn void _ZSt21__glibcxx_assert_failPKciS0_S0_(
    const char *file, int line, const char *function, const char *condition) {
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, function, condition);
    abort();
}
