/* Tells ThreadSanitizer in which order threads run that wait for each other in the Swift runtime, which is not instrumented:
 * for a Mutex (without a wait, its code is compiled into ours, which is), for a task or block that is to run on another thread,
 * for a semaphore, and for a continuation. scripts/test-library.sh links the library with --wrap for these functions. */
#include <Block.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
#define MUTEX(prefix, name) __asm__(prefix "$s15Synchronization12_MutexHandleV" name)

void __tsan_acquire(void *);
void __tsan_release(void *);

SWIFT void __real_lock(uint32_t thread, SELF) MUTEX("__real_", "9_lockSlowyys6UInt32VF");
SWIFT void __wrap_lock(uint32_t thread, SELF) MUTEX("__wrap_", "9_lockSlowyys6UInt32VF");
SWIFT void __wrap_lock(uint32_t thread, SELF)
{
    __real_lock(thread, self);
    __tsan_acquire(self);
}

SWIFT void __real_unlock(SELF) MUTEX("__real_", "11_unlockSlowyyF");
SWIFT void __wrap_unlock(SELF) MUTEX("__wrap_", "11_unlockSlowyyF");
SWIFT void __wrap_unlock(SELF)
{
    __tsan_release(self);
    __real_unlock(self);
}

/* What is to run on another thread; `queue` if it runs after what was put there before. */
struct work {
    void *context, *queue;
    void (*function)(void *);
};

static void run(void *argument)
{
    struct work work = *(struct work *)argument;
    __tsan_acquire(argument);
    free(argument);
    if (work.queue) __tsan_acquire(work.queue);
    work.function(work.context);
    if (work.queue) __tsan_release(work.queue);
}

void __real_dispatch_async_f(void *queue, void *context, void (*function)(void *));

static void start(void *queue, struct work work)
{
    struct work *copy = malloc(sizeof work);
    if (!copy) abort();
    *copy = work;
    __tsan_release(copy);
    __real_dispatch_async_f(queue, copy, run);
}

void __wrap_dispatch_async_f(void *queue, void *context, void (*function)(void *));
void __wrap_dispatch_async_f(void *queue, void *context, void (*function)(void *))
{
    start(queue, (struct work){context, NULL, function});
}

static void call(void *block)
{
    ((void (^)(void))block)();
    Block_release(block);
}

/* Our blocks run on serial queues. */
void __wrap_dispatch_async(void *queue, void (^block)(void));
void __wrap_dispatch_async(void *queue, void (^block)(void))
{
    start(queue, (struct work){Block_copy(block), queue, call});
}

intptr_t __real_dispatch_semaphore_signal(void *semaphore);
intptr_t __wrap_dispatch_semaphore_signal(void *semaphore);
intptr_t __wrap_dispatch_semaphore_signal(void *semaphore)
{
    __tsan_release(semaphore);
    return __real_dispatch_semaphore_signal(semaphore);
}

intptr_t __real_dispatch_semaphore_wait(void *semaphore, uint64_t time);
intptr_t __wrap_dispatch_semaphore_wait(void *semaphore, uint64_t time);
intptr_t __wrap_dispatch_semaphore_wait(void *semaphore, uint64_t time)
{
    intptr_t result = __real_dispatch_semaphore_wait(semaphore, time);
    __tsan_acquire(semaphore);
    return result;
}

/* A continuation that is resumed before its task waits for it is not put on a queue. */
SWIFT void *swift_task_getCurrent(void);

__attribute__((swiftasynccall)) void __real_swift_continuation_await(void *context);
__attribute__((swiftasynccall)) void __wrap_swift_continuation_await(void *context);
__attribute__((swiftasynccall)) void __wrap_swift_continuation_await(void *context)
{
    __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return __real_swift_continuation_await(context);
}

SWIFT void __real_swift_continuation_resume(void *task);
SWIFT void __wrap_swift_continuation_resume(void *task);
SWIFT void __wrap_swift_continuation_resume(void *task)
{
    __tsan_release(task);
    __real_swift_continuation_resume(task);
}

SWIFT void __real_swift_continuation_throwingResume(void *task);
SWIFT void __wrap_swift_continuation_throwingResume(void *task);
SWIFT void __wrap_swift_continuation_throwingResume(void *task)
{
    __tsan_release(task);
    __real_swift_continuation_throwingResume(task);
}

SWIFT void __real_swift_continuation_throwingResumeWithError(void *task, void *error);
SWIFT void __wrap_swift_continuation_throwingResumeWithError(void *task, void *error);
SWIFT void __wrap_swift_continuation_throwingResumeWithError(void *task, void *error)
{
    __tsan_release(task);
    __real_swift_continuation_throwingResumeWithError(task, error);
}
