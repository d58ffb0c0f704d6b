// Types and constants only: the library itself is opened at run time (Audio/ALSALibrary.swift).
#include <alsa/asoundlib.h>
