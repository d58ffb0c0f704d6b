// Types and constants only: the library itself is loaded at run time (Audio/Capture/ALSA/ALSALibrary.swift).
#include <alsa/asoundlib.h>
