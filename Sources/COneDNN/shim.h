#include <dnnl.h>

// The types of the functions that OneDNNLibrary.swift looks up, as NAME_function.
#define LOOKED_UP(name) typedef __typeof__(name) *name##_function

LOOKED_UP(dnnl_sgemm);
LOOKED_UP(dnnl_version);
