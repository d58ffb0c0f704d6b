// Makes calls of the C library fail, for tests: loaded into the program with LD_PRELOAD.
//
//   FAULT_PATH     part of the path of the files that the next variables apply to
//   FAULT_OPEN, FAULT_MKDIR, FAULT_WRITE, FAULT_FSYNC, FAULT_CLOSE, FAULT_RENAME, FAULT_FLOCK
//                  the effect: an errno value, `hang`, or `trap` (an illegal instruction)
//   FAULT_HIDDEN   system folder that appears to be missing
//   FAULT_LIBRARY  part of the name of a library that cannot be loaded
//   FAULT_QUOTA    contents of the control group's cpu.max
//   FAULT_AFFINITY if set: the system does not report the available cores
//   FAULT_MAPS     how many blocks of memory can be mapped before mmap fails
//   FAULT_TEXT     the engine traps when it measures the repetitions of the text with this number
//   FAULT_CLOCK    if set: the wall clock alternates between 1970 and 2106, or with a number above 1, is at that second
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int matches(const char *path) {
    const char *wanted = getenv("FAULT_PATH");
    return wanted && path && strstr(path, wanted);
}

// Whether the call should fail; sets errno.
static int fails(const char *variable, const char *path) {
    const char *fault = getenv(variable);
    if (!fault || !matches(path)) return 0;
    if (!strcmp(fault, "trap")) __builtin_trap();
    if (!strcmp(fault, "hang")) for (;;) pause();
    errno = atoi(fault);
    return 1;
}

static int fails_at(const char *variable, int descriptor) {
    char link[64], path[PATH_MAX + 1];
    if (!getenv(variable)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(variable, path);
}

static int hidden(const char *path) {
    const char *folder = getenv("FAULT_HIDDEN");
    if (!folder || strncmp(path, folder, strlen(folder))) return 0;
    errno = ENOENT;
    return 1;
}

static int creates(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }
static mode_t mode_of(int flags, va_list list) { return creates(flags) ? va_arg(list, mode_t) : 0; }

// A descriptor with the contents of FAULT_QUOTA for the control group's file, else -1.
static int quota(const char *path) {
    const char *contents = getenv("FAULT_QUOTA");
    if (!contents || !strstr(path, "cpu.max")) return -1;
    int descriptor = memfd_create("cpu.max", MFD_CLOEXEC);
    if (NEXT(pwrite64)(descriptor, contents, strlen(contents), 0) < 0) abort();
    return descriptor;
}

int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    if (hidden(path) || (creates(flags) && fails("FAULT_OPEN", path))) return -1;
    int descriptor = quota(path);
    return descriptor >= 0 ? descriptor : NEXT(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = mode_of(flags, list);
    va_end(list);
    if (hidden(path) || (creates(flags) && fails("FAULT_OPEN", path))) return -1;
    int descriptor = quota(path);
    return descriptor >= 0 ? descriptor : NEXT(open64)(path, flags, mode);
}

int mkstemp(char *path) { return fails("FAULT_OPEN", path) ? -1 : NEXT(mkstemp)(path); }
int mkstemp64(char *path) { return fails("FAULT_OPEN", path) ? -1 : NEXT(mkstemp64)(path); }

FILE *fopen(const char *path, const char *mode) {
    return hidden(path) ? NULL : NEXT(fopen)(path, mode);
}

ssize_t readlink(const char *path, char *buffer, size_t size) {
    return hidden(path) ? -1 : NEXT(readlink)(path, buffer, size);
}

int mkdir(const char *path, mode_t mode) { return fails("FAULT_MKDIR", path) ? -1 : NEXT(mkdir)(path, mode); }
int rename(const char *from, const char *to) { return fails("FAULT_RENAME", from) ? -1 : NEXT(rename)(from, to); }
int fsync(int descriptor) { return fails_at("FAULT_FSYNC", descriptor) ? -1 : NEXT(fsync)(descriptor); }
ssize_t write(int descriptor, const void *bytes, size_t count) {
    return fails_at("FAULT_WRITE", descriptor) ? -1 : NEXT(write)(descriptor, bytes, count);
}
int flock(int descriptor, int operation) {
    return fails_at("FAULT_FLOCK", descriptor) ? -1 : NEXT(flock)(descriptor, operation);
}
int fdatasync(int descriptor) { return fails_at("FAULT_FSYNC", descriptor) ? -1 : NEXT(fdatasync)(descriptor); }
ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t position) {
    return fails_at("FAULT_WRITE", descriptor) ? -1 : NEXT(pwrite64)(descriptor, bytes, count, position);
}
int close(int descriptor) {
    int failed = fails_at("FAULT_CLOSE", descriptor), code = errno;
    int result = NEXT(close)(descriptor);
    if (failed) errno = code;
    return failed ? -1 : result;
}

void *dlopen(const char *name, int mode) {
    const char *missing = getenv("FAULT_LIBRARY");
    return missing && name && strstr(name, missing) ? NULL : NEXT(dlopen)(name, mode);
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set) {
    if (!getenv("FAULT_AFFINITY")) return NEXT(sched_getaffinity)(process, size, set);
    errno = EPERM;
    return -1;
}

static void *map(void *place, size_t size, int access, int flags, int descriptor, off64_t offset,
                 void *(*next)(void *, size_t, int, int, int, off64_t)) {
    static _Atomic int count;
    const char *limit = getenv("FAULT_MAPS");
    if (limit && flags & MAP_ANONYMOUS && access & PROT_WRITE && count++ >= atoi(limit)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return next(place, size, access, flags, descriptor, offset);
}
void *mmap(void *place, size_t size, int access, int flags, int descriptor, off_t offset) {
    return map(place, size, access, flags, descriptor, offset,
               (void *(*)(void *, size_t, int, int, int, off64_t))NEXT(mmap));
}
void *mmap64(void *place, size_t size, int access, int flags, int descriptor, off64_t offset) {
    return map(place, size, access, flags, descriptor, offset, NEXT(mmap64));
}

// From zlib; the engine calls it once for each decoded text.
int compress2(unsigned char *to, unsigned long *room, const unsigned char *from, unsigned long count, int level) {
    static _Atomic int texts;
    const char *last = getenv("FAULT_TEXT");
    if (last && ++texts == atoi(last)) __builtin_trap();
    int (*next)(unsigned char *, unsigned long *, const unsigned char *, unsigned long, int) = dlsym(RTLD_NEXT, "compress2");
    return next(to, room, from, count, level);
}

static time_t jumping(void) {
    static int calls;
    long second = atol(getenv("FAULT_CLOCK"));
    return second > 1 || second < 0 ? second : calls++ % 2 ? 4291747200 : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = NEXT(clock_gettime)(clock, now);
    if (clock == CLOCK_REALTIME && getenv("FAULT_CLOCK")) now->tv_sec = jumping();
    return result;
}
int gettimeofday(struct timeval *now, void *zone) {
    int result = NEXT(gettimeofday)(now, zone);
    if (getenv("FAULT_CLOCK")) now->tv_sec = jumping();
    return result;
}
time_t time(time_t *place) {
    time_t now = getenv("FAULT_CLOCK") ? jumping() : NEXT(time)(NULL);
    if (place) *place = now;
    return now;
}
