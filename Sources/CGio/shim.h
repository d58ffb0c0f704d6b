#include <gio/gio.h>
#include "../CFunctionTable/function_table.h"

// The functions that SessionBus.swift looks up: each is a member of the table GioFunctions.
#define FUNCTIONS(F) \
    F(g_bus_get_sync) \
    F(g_clear_error) \
    F(g_dbus_connection_call_sync) \
    F(g_dbus_connection_is_closed) \
    F(g_dbus_connection_set_exit_on_close) \
    F(g_dbus_connection_signal_subscribe) \
    F(g_dbus_error_get_remote_error) \
    F(g_dbus_error_strip_remote_error) \
    F(g_free) \
    F(g_main_context_iteration) \
    F(g_main_context_new) \
    F(g_main_context_pop_thread_default) \
    F(g_main_context_push_thread_default) \
    F(g_main_context_wakeup) \
    F(g_variant_classify) \
    F(g_variant_get_child_value) \
    F(g_variant_get_string) \
    F(g_variant_get_uint32) \
    F(g_variant_is_container) \
    F(g_variant_n_children) \
    F(g_variant_parse) \
    F(g_variant_unref)

FUNCTION_TABLE(GioFunctions, gio_function_name)

// In Swift, the members of GError belong to the first module that includes GLib, which is another one.
static inline const char *gio_error_message(const GError *error) {
    return error ? error->message : "";
}
