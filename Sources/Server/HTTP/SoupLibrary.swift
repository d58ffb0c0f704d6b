// swift-format-ignore-file: AlwaysUseLowerCamelCase
import CSoup
import WhisperEngine

/// libsoup and GLib, opened on first use: linking them would slow down the start of every command.
///
/// Every function has a line in `Sources/CSoup/shim.h` (its type, taken from the library's header), a property here and a
/// line in `init`.
///
/// Invariant: the library is never closed, so its functions stay valid for the life of the process.
@safe
package struct SoupLibrary: @unchecked Sendable {
    /// The Debian package.
    package static let package = "libsoup-3.0-0"
    /// `nil` if it is not installed.
    package static let shared = try? SoupLibrary()

    let g_bytes_get_data: g_bytes_get_data_function
    let g_bytes_new: g_bytes_new_function
    let g_bytes_unref: g_bytes_unref_function
    let g_clear_error: g_clear_error_function
    let g_error_matches: g_error_matches_function
    let g_filter_input_stream_get_type: g_filter_input_stream_get_type_function
    let g_free: g_free_function
    let g_idle_source_new: g_idle_source_new_function
    let g_inet_address_to_string: g_inet_address_to_string_function
    let g_inet_socket_address_get_address: g_inet_socket_address_get_address_function
    let g_inet_socket_address_get_port: g_inet_socket_address_get_port_function
    let g_inet_socket_address_get_type: g_inet_socket_address_get_type_function
    let g_inet_socket_address_new_from_string: g_inet_socket_address_new_from_string_function
    let g_initable_init: g_initable_init_function
    let g_io_error_quark: g_io_error_quark_function
    let g_io_stream_close: g_io_stream_close_function
    let g_io_stream_get_input_stream: g_io_stream_get_input_stream_function
    let g_io_stream_get_output_stream: g_io_stream_get_output_stream_function
    let g_io_stream_is_closed: g_io_stream_is_closed_function
    let g_log_set_writer_func: g_log_set_writer_func_function
    let g_main_loop_new: g_main_loop_new_function
    let g_main_loop_run: g_main_loop_run_function
    let g_object_get_data: g_object_get_data_function
    let g_object_new_with_properties: g_object_new_with_properties_function
    let g_object_ref: g_object_ref_function
    let g_object_set_data_full: g_object_set_data_full_function
    let g_object_unref: g_object_unref_function
    let g_pollable_input_stream_create_source: g_pollable_input_stream_create_source_function
    let g_pollable_input_stream_get_type: g_pollable_input_stream_get_type_function
    let g_pollable_input_stream_is_readable: g_pollable_input_stream_is_readable_function
    let g_pollable_input_stream_read_nonblocking: g_pollable_input_stream_read_nonblocking_function
    let g_pollable_output_stream_write_nonblocking: g_pollable_output_stream_write_nonblocking_function
    let g_pollable_source_new_full: g_pollable_source_new_full_function
    let g_set_error_literal: g_set_error_literal_function
    let g_signal_connect_data: g_signal_connect_data_function
    let g_simple_io_stream_new: g_simple_io_stream_new_function
    let g_socket_connection_get_local_address: g_socket_connection_get_local_address_function
    let g_socket_connection_get_remote_address: g_socket_connection_get_remote_address_function
    let g_socket_connection_get_socket: g_socket_connection_get_socket_function
    let g_socket_get_fd: g_socket_get_fd_function
    let g_socket_listener_add_address: g_socket_listener_add_address_function
    let g_socket_listener_close: g_socket_listener_close_function
    let g_socket_listener_set_backlog: g_socket_listener_set_backlog_function
    let g_socket_service_new: g_socket_service_new_function
    let g_socket_service_start: g_socket_service_start_function
    let g_socket_service_stop: g_socket_service_stop_function
    let g_source_attach: g_source_attach_function
    let g_source_set_callback: g_source_set_callback_function
    let g_source_set_priority: g_source_set_priority_function
    let g_source_unref: g_source_unref_function
    let g_tcp_wrapper_connection_get_type: g_tcp_wrapper_connection_get_type_function
    let g_timeout_source_new: g_timeout_source_new_function
    let g_tls_backend_get_default: g_tls_backend_get_default_function
    let g_tls_backend_get_server_connection_type: g_tls_backend_get_server_connection_type_function
    let g_tls_certificate_new_from_files: g_tls_certificate_new_from_files_function
    let g_tls_connection_get_protocol_version: g_tls_connection_get_protocol_version_function
    let g_type_add_interface_static: g_type_add_interface_static_function
    let g_type_check_instance_is_a: g_type_check_instance_is_a_function
    let g_type_register_static_simple: g_type_register_static_simple_function
    let g_unix_socket_address_new: g_unix_socket_address_new_function
    let g_uri_get_host: g_uri_get_host_function
    let g_uri_get_path: g_uri_get_path_function
    let g_uri_get_port: g_uri_get_port_function
    let g_uri_get_query: g_uri_get_query_function
    let g_value_init: g_value_init_function
    let g_value_set_boolean: g_value_set_boolean_function
    let g_value_set_object: g_value_set_object_function
    let g_value_unset: g_value_unset_function
    let soup_get_major_version: soup_get_major_version_function
    let soup_get_micro_version: soup_get_micro_version_function
    let soup_get_minor_version: soup_get_minor_version_function
    let soup_message_body_append_bytes: soup_message_body_append_bytes_function
    let soup_message_body_complete: soup_message_body_complete_function
    let soup_message_body_set_accumulate: soup_message_body_set_accumulate_function
    let soup_message_headers_append: soup_message_headers_append_function
    let soup_message_headers_foreach: soup_message_headers_foreach_function
    let soup_message_headers_set_encoding: soup_message_headers_set_encoding_function
    let soup_server_accept_iostream: soup_server_accept_iostream_function
    let soup_server_add_early_handler: soup_server_add_early_handler_function
    let soup_server_add_handler: soup_server_add_handler_function
    let soup_server_add_websocket_handler: soup_server_add_websocket_handler_function
    let soup_server_get_type: soup_server_get_type_function
    let soup_server_listen: soup_server_listen_function
    let soup_server_message_get_http_version: soup_server_message_get_http_version_function
    let soup_server_message_get_method: soup_server_message_get_method_function
    let soup_server_message_get_remote_address: soup_server_message_get_remote_address_function
    let soup_server_message_get_request_body: soup_server_message_get_request_body_function
    let soup_server_message_get_request_headers: soup_server_message_get_request_headers_function
    let soup_server_message_get_response_body: soup_server_message_get_response_body_function
    let soup_server_message_get_response_headers: soup_server_message_get_response_headers_function
    let soup_server_message_get_uri: soup_server_message_get_uri_function
    let soup_server_message_pause: soup_server_message_pause_function
    let soup_server_message_set_status: soup_server_message_set_status_function
    let soup_server_message_unpause: soup_server_message_unpause_function
    let soup_server_remove_websocket_extension: soup_server_remove_websocket_extension_function
    let soup_status_get_phrase: soup_status_get_phrase_function
    let soup_websocket_connection_close: soup_websocket_connection_close_function
    let soup_websocket_connection_get_state: soup_websocket_connection_get_state_function
    let soup_websocket_connection_send_text: soup_websocket_connection_send_text_function
    let soup_websocket_connection_set_keepalive_interval: soup_websocket_connection_set_keepalive_interval_function
    let soup_websocket_connection_set_max_incoming_payload_size:
        soup_websocket_connection_set_max_incoming_payload_size_function
    let soup_websocket_extension_deflate_get_type: soup_websocket_extension_deflate_get_type_function

    private init() throws(SharedLibrary.Missing) {
        // Functions of GLib are found through it, because it depends on them.
        let library = try SharedLibrary("libsoup-3.0.so.0")
        unsafe g_bytes_get_data = try library.function("g_bytes_get_data")
        unsafe g_bytes_new = try library.function("g_bytes_new")
        unsafe g_bytes_unref = try library.function("g_bytes_unref")
        unsafe g_clear_error = try library.function("g_clear_error")
        unsafe g_error_matches = try library.function("g_error_matches")
        g_filter_input_stream_get_type = try library.function("g_filter_input_stream_get_type")
        unsafe g_free = try library.function("g_free")
        unsafe g_idle_source_new = try library.function("g_idle_source_new")
        unsafe g_inet_address_to_string = try library.function("g_inet_address_to_string")
        unsafe g_inet_socket_address_get_address = try library.function("g_inet_socket_address_get_address")
        unsafe g_inet_socket_address_get_port = try library.function("g_inet_socket_address_get_port")
        g_inet_socket_address_get_type = try library.function("g_inet_socket_address_get_type")
        unsafe g_inet_socket_address_new_from_string = try library.function("g_inet_socket_address_new_from_string")
        unsafe g_initable_init = try library.function("g_initable_init")
        g_io_error_quark = try library.function("g_io_error_quark")
        unsafe g_io_stream_close = try library.function("g_io_stream_close")
        unsafe g_io_stream_get_input_stream = try library.function("g_io_stream_get_input_stream")
        unsafe g_io_stream_get_output_stream = try library.function("g_io_stream_get_output_stream")
        unsafe g_io_stream_is_closed = try library.function("g_io_stream_is_closed")
        unsafe g_log_set_writer_func = try library.function("g_log_set_writer_func")
        unsafe g_main_loop_new = try library.function("g_main_loop_new")
        unsafe g_main_loop_run = try library.function("g_main_loop_run")
        unsafe g_object_get_data = try library.function("g_object_get_data")
        unsafe g_object_new_with_properties = try library.function("g_object_new_with_properties")
        unsafe g_object_ref = try library.function("g_object_ref")
        unsafe g_object_set_data_full = try library.function("g_object_set_data_full")
        unsafe g_object_unref = try library.function("g_object_unref")
        unsafe g_pollable_input_stream_create_source = try library.function("g_pollable_input_stream_create_source")
        g_pollable_input_stream_get_type = try library.function("g_pollable_input_stream_get_type")
        unsafe g_pollable_input_stream_is_readable = try library.function("g_pollable_input_stream_is_readable")
        unsafe g_pollable_input_stream_read_nonblocking = try library.function(
            "g_pollable_input_stream_read_nonblocking")
        unsafe g_pollable_output_stream_write_nonblocking = try library.function(
            "g_pollable_output_stream_write_nonblocking")
        unsafe g_pollable_source_new_full = try library.function("g_pollable_source_new_full")
        unsafe g_set_error_literal = try library.function("g_set_error_literal")
        unsafe g_signal_connect_data = try library.function("g_signal_connect_data")
        unsafe g_simple_io_stream_new = try library.function("g_simple_io_stream_new")
        unsafe g_socket_connection_get_local_address = try library.function("g_socket_connection_get_local_address")
        unsafe g_socket_connection_get_remote_address = try library.function("g_socket_connection_get_remote_address")
        unsafe g_socket_connection_get_socket = try library.function("g_socket_connection_get_socket")
        unsafe g_socket_get_fd = try library.function("g_socket_get_fd")
        unsafe g_socket_listener_add_address = try library.function("g_socket_listener_add_address")
        unsafe g_socket_listener_close = try library.function("g_socket_listener_close")
        unsafe g_socket_listener_set_backlog = try library.function("g_socket_listener_set_backlog")
        unsafe g_socket_service_new = try library.function("g_socket_service_new")
        unsafe g_socket_service_start = try library.function("g_socket_service_start")
        unsafe g_socket_service_stop = try library.function("g_socket_service_stop")
        unsafe g_source_attach = try library.function("g_source_attach")
        unsafe g_source_set_callback = try library.function("g_source_set_callback")
        unsafe g_source_set_priority = try library.function("g_source_set_priority")
        unsafe g_source_unref = try library.function("g_source_unref")
        g_tcp_wrapper_connection_get_type = try library.function("g_tcp_wrapper_connection_get_type")
        unsafe g_timeout_source_new = try library.function("g_timeout_source_new")
        unsafe g_tls_backend_get_default = try library.function("g_tls_backend_get_default")
        unsafe g_tls_backend_get_server_connection_type = try library.function(
            "g_tls_backend_get_server_connection_type")
        unsafe g_tls_certificate_new_from_files = try library.function("g_tls_certificate_new_from_files")
        unsafe g_tls_connection_get_protocol_version = try library.function("g_tls_connection_get_protocol_version")
        unsafe g_type_add_interface_static = try library.function("g_type_add_interface_static")
        unsafe g_type_check_instance_is_a = try library.function("g_type_check_instance_is_a")
        unsafe g_type_register_static_simple = try library.function("g_type_register_static_simple")
        unsafe g_unix_socket_address_new = try library.function("g_unix_socket_address_new")
        unsafe g_uri_get_host = try library.function("g_uri_get_host")
        unsafe g_uri_get_path = try library.function("g_uri_get_path")
        unsafe g_uri_get_port = try library.function("g_uri_get_port")
        unsafe g_uri_get_query = try library.function("g_uri_get_query")
        unsafe g_value_init = try library.function("g_value_init")
        unsafe g_value_set_boolean = try library.function("g_value_set_boolean")
        unsafe g_value_set_object = try library.function("g_value_set_object")
        unsafe g_value_unset = try library.function("g_value_unset")
        soup_get_major_version = try library.function("soup_get_major_version")
        soup_get_micro_version = try library.function("soup_get_micro_version")
        soup_get_minor_version = try library.function("soup_get_minor_version")
        unsafe soup_message_body_append_bytes = try library.function("soup_message_body_append_bytes")
        unsafe soup_message_body_complete = try library.function("soup_message_body_complete")
        unsafe soup_message_body_set_accumulate = try library.function("soup_message_body_set_accumulate")
        unsafe soup_message_headers_append = try library.function("soup_message_headers_append")
        unsafe soup_message_headers_foreach = try library.function("soup_message_headers_foreach")
        unsafe soup_message_headers_set_encoding = try library.function("soup_message_headers_set_encoding")
        unsafe soup_server_accept_iostream = try library.function("soup_server_accept_iostream")
        unsafe soup_server_add_early_handler = try library.function("soup_server_add_early_handler")
        unsafe soup_server_add_handler = try library.function("soup_server_add_handler")
        unsafe soup_server_add_websocket_handler = try library.function("soup_server_add_websocket_handler")
        soup_server_get_type = try library.function("soup_server_get_type")
        unsafe soup_server_listen = try library.function("soup_server_listen")
        unsafe soup_server_message_get_http_version = try library.function("soup_server_message_get_http_version")
        unsafe soup_server_message_get_method = try library.function("soup_server_message_get_method")
        unsafe soup_server_message_get_remote_address = try library.function("soup_server_message_get_remote_address")
        unsafe soup_server_message_get_request_body = try library.function("soup_server_message_get_request_body")
        unsafe soup_server_message_get_request_headers = try library.function("soup_server_message_get_request_headers")
        unsafe soup_server_message_get_response_body = try library.function("soup_server_message_get_response_body")
        unsafe soup_server_message_get_response_headers = try library.function(
            "soup_server_message_get_response_headers")
        unsafe soup_server_message_get_uri = try library.function("soup_server_message_get_uri")
        unsafe soup_server_message_pause = try library.function("soup_server_message_pause")
        unsafe soup_server_message_set_status = try library.function("soup_server_message_set_status")
        unsafe soup_server_message_unpause = try library.function("soup_server_message_unpause")
        unsafe soup_server_remove_websocket_extension = try library.function("soup_server_remove_websocket_extension")
        unsafe soup_status_get_phrase = try library.function("soup_status_get_phrase")
        unsafe soup_websocket_connection_close = try library.function("soup_websocket_connection_close")
        unsafe soup_websocket_connection_get_state = try library.function("soup_websocket_connection_get_state")
        unsafe soup_websocket_connection_send_text = try library.function("soup_websocket_connection_send_text")
        unsafe soup_websocket_connection_set_keepalive_interval = try library.function(
            "soup_websocket_connection_set_keepalive_interval")
        unsafe soup_websocket_connection_set_max_incoming_payload_size = try library.function(
            "soup_websocket_connection_set_max_incoming_payload_size")
        soup_websocket_extension_deflate_get_type = try library.function(
            "soup_websocket_extension_deflate_get_type")
        // What the libraries have to say is about their own functions: no user could make sense of it.
        unsafe g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
    }

    /// Such as `3.2.3`.
    package static var version: String? {
        shared.map { "\($0.soup_get_major_version()).\($0.soup_get_minor_version()).\($0.soup_get_micro_version())" }
    }
}
