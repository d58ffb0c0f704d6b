#ifndef CALSAMESSAGES_H
#define CALSAMESSAGES_H

/// Captures the messages that ALSA would print to standard error on this thread.
/// set_handler: ALSA's function snd_lib_error_set_local.
void ca_collect_messages(void *set_handler);
/// The last captured message on this thread, empty if none.
const char *ca_last_message(void);
void ca_forget_message(void);

#endif
