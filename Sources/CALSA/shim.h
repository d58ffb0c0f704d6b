// Types and constants only; the library is opened at run time (Engine/Audio/Capture/ALSA/ALSALibrary.swift).
#include <alsa/asoundlib.h>
