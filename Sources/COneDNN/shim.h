#include <dnnl.h>
