#include <curl/curl.h>
#include "../CFunctionTable/function_table.h"

// The functions that CurlLibrary.swift looks up: each is a member of the table CurlFunctions.
#define FUNCTIONS(F) \
    F(curl_easy_cleanup) \
    F(curl_easy_getinfo) \
    F(curl_easy_init) \
    F(curl_easy_perform) \
    F(curl_easy_setopt) \
    F(curl_easy_strerror) \
    F(curl_global_init) \
    F(curl_slist_append) \
    F(curl_slist_free_all) \
    F(curl_version_info)

FUNCTION_TABLE(CurlFunctions, curl_function_name)

// Swift cannot call functions with variable arguments. The parentheses around their names keep curl's macros away.

static inline CURLcode curl_set_number(CurlFunctions library, CURL *curl, CURLoption option, long value) {
    return (library.curl_easy_setopt)(curl, option, value);
}

static inline CURLcode curl_set_text(CurlFunctions library, CURL *curl, CURLoption option, const char *value) {
    return (library.curl_easy_setopt)(curl, option, value);
}

static inline CURLcode curl_set_pointer(CurlFunctions library, CURL *curl, CURLoption option, void *value) {
    return (library.curl_easy_setopt)(curl, option, value);
}

static inline CURLcode curl_set_receiver(CurlFunctions library, CURL *curl, CURLoption option, curl_write_callback value) {
    return (library.curl_easy_setopt)(curl, option, value);
}

static inline CURLcode curl_set_observer(CurlFunctions library, CURL *curl, curl_xferinfo_callback value) {
    return (library.curl_easy_setopt)(curl, CURLOPT_XFERINFOFUNCTION, value);
}

static inline long curl_number(CurlFunctions library, CURL *curl, CURLINFO info) {
    long value = 0;
    (library.curl_easy_getinfo)(curl, info, &value);
    return value;
}
