// Included by the `shim.h` of each library that is opened at run time.
#pragma once

#define MEMBER(name) __typeof__(name) *name;
#define NAME(name) #name,

// Declares a table whose members are the functions in `FUNCTIONS(F)`, and a function that returns the names of the
// members in their order, then a null pointer.
//
// Swift need not mark its uses as unsafe: a table exists only where all its functions were found.
#define FUNCTION_TABLE(TABLE, NAME_OF_MEMBER) \
    typedef struct __attribute__((swift_attr("@safe"), swift_attr("@Sendable"))) { \
        FUNCTIONS(MEMBER) \
    } TABLE; \
    static inline const char *NAME_OF_MEMBER(int index) { \
        static const char *const names[] = {FUNCTIONS(NAME) 0}; \
        return names[index]; \
    }
