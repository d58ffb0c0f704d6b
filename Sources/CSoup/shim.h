#include <gio/gio.h>
#include <libsoup/soup.h>

// The functions that SoupLibrary.swift looks up: each is a member of the table SoupFunctions.
#define FUNCTIONS(F) \
    F(g_bytes_get_data) \
    F(g_bytes_new) \
    F(g_bytes_unref) \
    F(g_clear_error) \
    F(g_error_matches) \
    F(g_filter_input_stream_get_type) \
    F(g_free) \
    F(g_idle_source_new) \
    F(g_inet_address_to_string) \
    F(g_inet_socket_address_get_address) \
    F(g_inet_socket_address_get_port) \
    F(g_inet_socket_address_get_type) \
    F(g_inet_socket_address_new_from_string) \
    F(g_initable_init) \
    F(g_io_error_quark) \
    F(g_io_stream_close) \
    F(g_io_stream_get_input_stream) \
    F(g_io_stream_get_output_stream) \
    F(g_io_stream_is_closed) \
    F(g_log_set_writer_func) \
    F(g_main_loop_new) \
    F(g_main_loop_run) \
    F(g_object_get_data) \
    F(g_object_new_with_properties) \
    F(g_object_ref) \
    F(g_object_set_data_full) \
    F(g_object_unref) \
    F(g_pollable_input_stream_create_source) \
    F(g_pollable_input_stream_get_type) \
    F(g_pollable_input_stream_is_readable) \
    F(g_pollable_input_stream_read_nonblocking) \
    F(g_pollable_output_stream_write_nonblocking) \
    F(g_pollable_source_new_full) \
    F(g_set_error_literal) \
    F(g_signal_connect_data) \
    F(g_simple_io_stream_new) \
    F(g_socket_connection_get_local_address) \
    F(g_socket_connection_get_remote_address) \
    F(g_socket_connection_get_socket) \
    F(g_socket_get_fd) \
    F(g_socket_listener_add_address) \
    F(g_socket_listener_close) \
    F(g_socket_listener_set_backlog) \
    F(g_socket_service_new) \
    F(g_socket_service_start) \
    F(g_socket_service_stop) \
    F(g_source_attach) \
    F(g_source_set_callback) \
    F(g_source_set_priority) \
    F(g_source_unref) \
    F(g_tcp_wrapper_connection_get_type) \
    F(g_timeout_source_new) \
    F(g_tls_backend_get_default) \
    F(g_tls_backend_get_server_connection_type) \
    F(g_tls_certificate_new_from_files) \
    F(g_tls_connection_get_protocol_version) \
    F(g_type_add_interface_static) \
    F(g_type_check_instance_is_a) \
    F(g_type_register_static_simple) \
    F(g_unix_socket_address_new) \
    F(g_uri_get_host) \
    F(g_uri_get_path) \
    F(g_uri_get_port) \
    F(g_uri_get_query) \
    F(g_value_init) \
    F(g_value_set_boolean) \
    F(g_value_set_object) \
    F(g_value_unset) \
    F(soup_get_major_version) \
    F(soup_get_micro_version) \
    F(soup_get_minor_version) \
    F(soup_message_body_append_bytes) \
    F(soup_message_body_complete) \
    F(soup_message_body_set_accumulate) \
    F(soup_message_headers_append) \
    F(soup_message_headers_foreach) \
    F(soup_message_headers_set_encoding) \
    F(soup_server_accept_iostream) \
    F(soup_server_add_early_handler) \
    F(soup_server_add_handler) \
    F(soup_server_add_websocket_handler) \
    F(soup_server_get_type) \
    F(soup_server_listen) \
    F(soup_server_message_get_http_version) \
    F(soup_server_message_get_method) \
    F(soup_server_message_get_remote_address) \
    F(soup_server_message_get_request_body) \
    F(soup_server_message_get_request_headers) \
    F(soup_server_message_get_response_body) \
    F(soup_server_message_get_response_headers) \
    F(soup_server_message_get_uri) \
    F(soup_server_message_pause) \
    F(soup_server_message_set_status) \
    F(soup_server_message_unpause) \
    F(soup_server_remove_websocket_extension) \
    F(soup_status_get_phrase) \
    F(soup_websocket_connection_close) \
    F(soup_websocket_connection_get_state) \
    F(soup_websocket_connection_send_text) \
    F(soup_websocket_connection_set_keepalive_interval) \
    F(soup_websocket_connection_set_max_incoming_payload_size) \
    F(soup_websocket_extension_deflate_get_type)

#define MEMBER(name) __typeof__(name) *name;
#define NAME(name) #name,

// Swift need not mark its uses as unsafe: a table exists only where all its functions were found.
typedef struct __attribute__((swift_attr("@safe"), swift_attr("@Sendable"))) {
    FUNCTIONS(MEMBER)
} SoupFunctions;

// The names of the members in their order, then a null pointer.
static inline const char *soup_function_name(int index) {
    static const char *const names[] = {FUNCTIONS(NAME) 0};
    return names[index];
}
