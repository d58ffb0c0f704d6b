// Tests every kernel of CKernels, with each instruction set of the processor, against double precision or, for
// integers, exactly. `scripts/test-arm64.sh` runs it on emulated processors.
//
//   kernel-tests [--only] SET…     fails unless the processor supports just these sets; --only tests the last
//   kernel-tests --choice SET…     the same without tests
#include "check.h"
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

static long checks, failures, reported;

void check(double found, double expected, double bound, const char *format, ...) {
    checks++;
    if (fabs(found - expected) <= bound || found == expected || (isnan(found) && isnan(expected))) return;
    failures++;
    if (reported++ >= 3) return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", ck_instruction_set());
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, ": %.9g instead of %.9g, bound %.3g\n", found, expected, bound);
}

typedef struct {
    char *base;
    size_t pages;
} block;
static block blocks[1 << 12], unused[1 << 12];
static int block_count, unused_count;

void *memory(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page;
    block found = {NULL, pages};
    // The last that was released is the likeliest to have the size, and mapping is slow.
    for (int i = unused_count - 1; i >= 0 && !found.base; i--)
        if (unused[i].pages == pages) {
            found = unused[i];
            unused[i] = unused[--unused_count];
            memset(found.base, 0, pages * page);
        }
    if (!found.base) {
        found.base = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found.base == MAP_FAILED || mprotect(found.base + pages * page, page, PROT_NONE)) abort();
    }
    if (block_count == 1 << 12) abort();
    blocks[block_count++] = found;
    return found.base + pages * page - (bytes + 63) / 64 * 64;
}

int taken(void) { return block_count; }

void release(int count) {
    while (block_count > count) {
        if (unused_count == 1 << 12) abort();
        unused[unused_count++] = blocks[--block_count];
    }
}

static uint32_t random_bits(uint32_t *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

float *numbers(long count, double scale, unsigned seed) {
    float *x = memory(4 * (size_t)count);
    uint32_t state = seed * 2654435761u + 1;
    for (long i = 0; i < count; i++) x[i] = (float)(scale * (random_bits(&state) / 8388608.0 - 1));
    return x;
}

float *wholes(long rows, long columns, int top, unsigned seed) {
    float *x = numbers(rows * columns, top - 1, seed);
    for (long i = 0; i < rows * columns; i++) x[i] = rintf(x[i]);
    for (long r = 0; r < rows; r++)
        for (long c = r * 7 % (columns < 128 ? columns : 128); c < columns; c += 128)
            x[r * columns + c] = (float)(r % 2 ? -top : top);
    return x;
}

double activated(double x, int activation) {
    switch (activation) {
    case CK_GELU: return x / 2 * erfc(-x / sqrt(2));
    case CK_SILU: return x / (1 + exp(-x));
    case CK_RELU: return x < 0 ? 0 : x;
    default: return x;
    }
}

const char *kind_name(int kind) {
    static const char *const names[] = {"float32", "bfloat16", "int8", "int16"};
    return names[kind];
}

int main(int count, char **names) {
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        {"products", test_products}, {"convolutions", test_convolutions}, {"attention", test_attention},
        {"cached attention", test_cached_attention}, {"few rows", test_few_rows}, {"bytes", test_bytes},
        {"layers", test_layers}, {"networks", test_networks}, {"numbers", test_numbers}, {"logits", test_logits},
        {"log-mel", test_log_mel},
    };
    int supported = 0, is_only = count > 1 && !strcmp(names[1], "--only");
    int is_choice = count > 1 && !strcmp(names[1], "--choice");
    if (is_only || is_choice) names++, count--;
    const char *best = ck_instruction_set(), *name;
    for (long i = 0; (name = ck_instruction_set_name(i)); i++) {
        if (!ck_use_instruction_set(name)) continue;
        supported++;
        if (count > 1 && (supported >= count || strcmp(name, names[supported]))) {
            fprintf(stderr, "error: the processor supports %s\n", name);
            failures++;
        }
        if (is_choice || (is_only && supported < count - 1)) continue;
        long before = checks;
        for (size_t t = 0; t < sizeof tests / sizeof *tests; t++) {
            long failed = failures;
            reported = 0;
            tests[t].run();
            release(0);
            if (failures > failed) fprintf(stderr, "%s: %s failed\n", name, tests[t].name);
        }
        printf("%s: %ld numbers checked", name, checks - before);
        for (int kind = 0; kind < 4; kind++)
            if (ck_tile_kernels_of(kind)) printf(", %s (%s)", kind_name(kind), ck_tile_kernels_of(kind)->instructions);
        printf("\n");
    }
    ck_use_instruction_set(NULL);
    if (count > 1 && (supported != count - 1 || strcmp(best, names[count - 1]))) {
        fprintf(stderr, "error: %d instruction sets, %s in use\n", supported, best);
        failures++;
    }
    if (failures && checks) fprintf(stderr, "error: %ld of %ld numbers are wrong\n", failures, checks);
    return failures > 0;
}
