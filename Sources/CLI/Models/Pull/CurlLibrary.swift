#if HAS_CURL
    import CCurl
    import WhisperEngine

    /// libcurl, opened on first use: linking it would double the time that the program takes to start.
    ///
    /// To use another of its functions, add its name to `Sources/CCurl/shim.h`.
    enum CurlLibrary {
        /// `nil` if it is not installed.
        static let shared = try? load()

        private static func load() throws(SharedLibrary.Missing) -> CurlFunctions {
            // The second is the same library with another TLS implementation.
            let library = try SharedLibrary("libcurl.so.4", "libcurl-gnutls.so.4")
            let curl: CurlFunctions = try unsafe SharedLibrary.functions(of: [library], named: curl_function_name)
            guard curl.curl_global_init(Int(CURL_GLOBAL_SSL)) == CURLE_OK else { throw .library("libcurl.so.4") }
            return curl
        }

        /// Version and TLS library, as in `7.88.1 (OpenSSL/3.0.19)`.
        static var version: String? {
            guard let library = shared, let facts = unsafe library.curl_version_info(CURLVERSION_FIRST)?.pointee,
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
