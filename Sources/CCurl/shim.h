#include <curl/curl.h>

// The types of the functions that CurlLibrary.swift looks up, as NAME_function.
#define LOOKED_UP(name) typedef __typeof__(name) *name##_function

LOOKED_UP(curl_easy_cleanup);
LOOKED_UP(curl_easy_init);
LOOKED_UP(curl_easy_perform);
LOOKED_UP(curl_easy_strerror);
LOOKED_UP(curl_global_init);
LOOKED_UP(curl_slist_append);
LOOKED_UP(curl_slist_free_all);
LOOKED_UP(curl_version_info);

// Swift cannot call functions with variable arguments: `function` is the address of curl_easy_setopt or
// curl_easy_getinfo.

static inline CURLcode curl_set_number(void *function, CURL *curl, CURLoption option, long value) {
    return ((CURLcode(*)(CURL *, CURLoption, ...))function)(curl, option, value);
}

static inline CURLcode curl_set_text(void *function, CURL *curl, CURLoption option, const char *value) {
    return ((CURLcode(*)(CURL *, CURLoption, ...))function)(curl, option, value);
}

static inline CURLcode curl_set_pointer(void *function, CURL *curl, CURLoption option, void *value) {
    return ((CURLcode(*)(CURL *, CURLoption, ...))function)(curl, option, value);
}

static inline CURLcode curl_set_receiver(void *function, CURL *curl, CURLoption option, curl_write_callback value) {
    return ((CURLcode(*)(CURL *, CURLoption, ...))function)(curl, option, value);
}

static inline CURLcode curl_set_observer(void *function, CURL *curl, curl_xferinfo_callback value) {
    return ((CURLcode(*)(CURL *, CURLoption, ...))function)(curl, CURLOPT_XFERINFOFUNCTION, value);
}

static inline long curl_number(void *function, CURL *curl, CURLINFO info) {
    long value = 0;
    ((CURLcode(*)(CURL *, CURLINFO, ...))function)(curl, info, &value);
    return value;
}
