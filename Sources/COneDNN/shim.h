#include <dnnl.h>

// The type of each function that Compute/OneDNNLibrary.swift looks up, as NAME_function.
#define LOOKED_UP(name) typedef __typeof__(name) *name##_function

LOOKED_UP(dnnl_sgemm);
LOOKED_UP(dnnl_version);
