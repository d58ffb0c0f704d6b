#if HAS_CURL
    import CCurl
    import WhisperEngine

    /// libcurl, opened on first use: linking it would double the time that the program takes to start.
    ///
    /// Every function has a line in `Sources/CCurl/shim.h` (its type, taken from the library's header), a property here
    /// and a line in `init`.
    ///
    /// Invariant: the library is never closed, so its functions stay valid for the life of the process.
    @safe
    struct CurlLibrary: @unchecked Sendable {
        let create: curl_easy_init_function
        let destroy: curl_easy_cleanup_function
        let perform: curl_easy_perform_function
        let describe: curl_easy_strerror_function
        let appendToList: curl_slist_append_function
        let destroyList: curl_slist_free_all_function
        /// The address of `curl_easy_setopt`.
        let setOption: UnsafeMutableRawPointer
        /// The address of `curl_easy_getinfo`.
        let getInfo: UnsafeMutableRawPointer
        private let getVersion: curl_version_info_function

        /// `nil` if it is not installed.
        static let shared = try? CurlLibrary()

        private init() throws(SharedLibrary.Missing) {
            // The second is the same library with another TLS implementation.
            let library = try SharedLibrary("libcurl.so.4", "libcurl-gnutls.so.4")
            let initialize: curl_global_init_function = try library.function("curl_global_init")
            unsafe create = try library.function("curl_easy_init")
            unsafe destroy = try library.function("curl_easy_cleanup")
            unsafe perform = try library.function("curl_easy_perform")
            unsafe describe = try library.function("curl_easy_strerror")
            unsafe appendToList = try library.function("curl_slist_append")
            unsafe destroyList = try library.function("curl_slist_free_all")
            unsafe setOption = try library.function("curl_easy_setopt")
            unsafe getInfo = try library.function("curl_easy_getinfo")
            unsafe getVersion = try library.function("curl_version_info")
            guard initialize(Int(CURL_GLOBAL_SSL)) == CURLE_OK else { throw .library("libcurl.so.4") }
        }

        /// Version and TLS library, as in `7.88.1 (OpenSSL/3.0.19)`.
        static var version: String? {
            guard let library = shared, let facts = unsafe library.getVersion(CURLVERSION_FIRST)?.pointee,
                let number = unsafe facts.version
            else { return nil }
            let tls = unsafe facts.ssl_version.map { unsafe " (\(String(cString: $0)))" } ?? ", without TLS"
            return unsafe String(cString: number) + tls
        }
    }
#else
    /// A stand-in for builds without libcurl.
    enum CurlLibrary {
        static var version: String? { nil }
    }
#endif
