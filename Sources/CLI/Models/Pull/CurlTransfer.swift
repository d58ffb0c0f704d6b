// Invariant: the handle, the list of headers and the exchange live until `perform` has returned, and libcurl copies all
// strings; the callbacks run on the calling thread during `perform` only.
import WhisperEngine

#if HAS_CURL
    import CCurl

    /// Downloads over HTTP and HTTPS with libcurl, which also obeys `https_proxy`, `http_proxy`, `all_proxy` and
    /// `no_proxy`.
    enum CurlTransfer {
        /// Blocks until the response has been received.
        static func run(_ request: TransferRequest, into receiver: any TransferReceiver) throws(TransferFailure) {
            guard let library = CurlLibrary.shared else { throw .noLibrary }
            guard let curl = library.curl_easy_init() else { throw .failed("out of memory") }
            defer { unsafe library.curl_easy_cleanup(curl) }
            let exchange = Exchange(receiver)
            var list: UnsafeMutablePointer<curl_slist>?
            defer { unsafe library.curl_slist_free_all(list) }
            if request.start > 0, let validator = request.validator {
                unsafe list = library.curl_slist_append(list, "If-Range: \(validator)")
                unsafe curl_set_text(library, curl, CURLOPT_RANGE, "\(request.start)-")
                unsafe curl_set_pointer(library, curl, CURLOPT_HTTPHEADER, list)
            }
            try unsafe configure(library, curl, request)
            let code = withExtendedLifetime(exchange) {
                unsafe connect(library, curl, exchange)
                return unsafe library.curl_easy_perform(curl)
            }
            if code == CURLE_OK, exchange.beginIfNeeded() { return }
            throw unsafe failure(code, exchange, library, curl)
        }

        private static func configure(
            _ library: CurlFunctions, _ curl: UnsafeMutableRawPointer, _ request: TransferRequest
        ) throws(TransferFailure) {
            let isSecure = request.url.lowercased().hasPrefix("https:")
            unsafe curl_set_text(library, curl, CURLOPT_URL, request.url)
            unsafe curl_set_text(library, curl, CURLOPT_USERAGENT, "whisper-local/\(Version.text)")
            // Older libraries do not know these two, and would follow a redirect from HTTPS to HTTP.
            let allowed = unsafe curl_set_text(library, curl, CURLOPT_PROTOCOLS_STR, "http,https")
            let redirects = unsafe curl_set_text(
                library, curl, CURLOPT_REDIR_PROTOCOLS_STR, isSecure ? "https" : "http,https")
            guard allowed == CURLE_OK, redirects == CURLE_OK else {
                throw .oldLibrary
            }
            unsafe curl_set_number(library, curl, CURLOPT_FOLLOWLOCATION, 1)
            unsafe curl_set_number(library, curl, CURLOPT_MAXREDIRS, TransferLimits.redirects)
            unsafe curl_set_number(library, curl, CURLOPT_NOSIGNAL, 1)
            unsafe curl_set_number(library, curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            unsafe curl_set_number(library, curl, CURLOPT_CONNECTTIMEOUT, request.timeout)
            unsafe curl_set_number(library, curl, CURLOPT_LOW_SPEED_LIMIT, TransferLimits.speed)
            unsafe curl_set_number(library, curl, CURLOPT_LOW_SPEED_TIME, request.timeout)
            if let file = request.certificates.file { unsafe curl_set_text(library, curl, CURLOPT_CAINFO, file) }
            if let folder = request.certificates.folder { unsafe curl_set_text(library, curl, CURLOPT_CAPATH, folder) }
        }

        private static func connect(_ library: CurlFunctions, _ curl: UnsafeMutableRawPointer, _ exchange: Exchange) {
            let context = unsafe Unmanaged.passUnretained(exchange).toOpaque()
            unsafe curl_set_pointer(library, curl, CURLOPT_HEADERDATA, context)
            unsafe curl_set_pointer(library, curl, CURLOPT_WRITEDATA, context)
            unsafe curl_set_pointer(library, curl, CURLOPT_XFERINFODATA, context)
            unsafe curl_set_pointer(library, curl, CURLOPT_ERRORBUFFER, exchange.message)
            unsafe curl_set_number(library, curl, CURLOPT_NOPROGRESS, 0)
            unsafe curl_set_receiver(library, curl, CURLOPT_HEADERFUNCTION) { start, _, count, context in
                let isWanted = unsafe Exchange.at(context)?.head(Exchange.bytes(start, count)) ?? false
                return isWanted ? count : 0
            }
            unsafe curl_set_receiver(library, curl, CURLOPT_WRITEFUNCTION) { start, _, count, context in
                let isWanted = unsafe Exchange.at(context)?.body(Exchange.bytes(start, count)) ?? false
                // Any other number stops the transfer.
                return isWanted ? count : 0
            }
            unsafe curl_set_observer(library, curl) { context, _, received, _, _ in
                unsafe Exchange.at(context)?.mayContinue(after: Int(received)) ?? false ? 0 : 1
            }
        }

        private static func failure(
            _ code: CURLcode, _ exchange: Exchange, _ library: CurlFunctions, _ curl: UnsafeMutableRawPointer
        ) -> TransferFailure {
            let meaning = unsafe library.curl_easy_strerror(code).map { unsafe String(cString: $0) }
            let text = exchange.text ?? meaning ?? "error \(code.rawValue)"
            let proxy = unsafe curl_number(library, curl, CURLINFO_HTTP_CONNECTCODE)
            if exchange.isRefused { return .refused }
            if exchange.isEndless { return .endless }
            if exchange.isCancelled { return .cancelled }
            if proxy >= 300 { return .proxyRefused(status: proxy) }
            return switch code {
            case CURLE_URL_MALFORMAT: .badAddress
            case CURLE_COULDNT_RESOLVE_HOST: .hostNotFound(text)
            case CURLE_COULDNT_RESOLVE_PROXY: .proxyNotFound
            case CURLE_COULDNT_CONNECT: .notConnected(text)
            // Either no connection was made in time, or the transfer is too slow. Only libcurl's message shows which,
            // because its times add up over redirects.
            case CURLE_OPERATION_TIMEDOUT: text.hasPrefix("Operation too slow") ? .timedOut : .notConnected(text)
            case CURLE_TOO_MANY_REDIRECTS: .tooManyRedirects
            case CURLE_UNSUPPORTED_PROTOCOL: .forbiddenRedirect(text)
            case CURLE_SSL_CACERT_BADFILE: .noCertificates(text)
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
                CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
                .tls(text)
            case CURLE_SSL_CONNECT_ERROR: .handshake(text)
            case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2,
                CURLE_HTTP2_STREAM:
                .interrupted(text)
            default: .failed(text)
            }
        }
    }

    /// The state shared with libcurl's callbacks.
    @safe
    private final class Exchange {
        private let receiver: any TransferReceiver
        private var response: TransferResponse?
        private var hasBegun = false
        private(set) var isRefused = false
        private(set) var isCancelled = false
        /// Whether the file did not begin within `TransferLimits.preface`.
        private(set) var isEndless = false
        private var headBytes = 0
        /// Receives libcurl's description of an error.
        let message: UnsafeMutablePointer<CChar>

        init(_ receiver: any TransferReceiver) {
            self.receiver = receiver
            unsafe message = .allocate(capacity: Int(CURL_ERROR_SIZE))
            unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        }

        deinit { unsafe message.deallocate() }

        /// libcurl's description of the error.
        var text: String? {
            let text = unsafe String(cString: message).replacingControlCharacters()
            return text.isEmpty ? nil : text
        }

        static func at(_ context: UnsafeMutableRawPointer?) -> Exchange? {
            unsafe context.map { unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
        }

        static func bytes(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> [UInt8] {
            unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        /// A header line, or a trailer line of a chunked body; false if there are too many.
        func head(_ line: [UInt8]) -> Bool {
            headBytes += line.count
            isEndless = headBytes > TransferLimits.preface
            guard !hasBegun, !isEndless else { return !isEndless }
            let text = String(decoding: line, as: UTF8.self).filter { !$0.isNewline }
            if text.hasPrefix("HTTP/") {
                response = TransferResponse(statusLine: text)
            } else {
                response?.add(header: text)
            }
            return true
        }

        func body(_ bytes: [UInt8]) -> Bool {
            guard beginIfNeeded() else { return false }
            if !receiver.receive(bytes) { isRefused = true }
            return !isRefused
        }

        /// Passes the head on; false if the body is not wanted.
        func beginIfNeeded() -> Bool {
            guard !hasBegun else { return !isRefused }
            hasBegun = true
            isRefused = !(response.map { receiver.begin($0) } ?? false)
            return !isRefused
        }

        /// - Parameter received: the bytes of the bodies so far. Those of redirects go nowhere.
        func mayContinue(after received: Int) -> Bool {
            if !hasBegun, received > TransferLimits.preface { isEndless = true }
            if isEndless { return false }
            if !receiver.mayContinue() { isCancelled = true }
            return !isCancelled
        }
    }
#else
    /// A stand-in for builds without libcurl.
    enum CurlTransfer {
        static func run(_ request: TransferRequest, into receiver: any TransferReceiver) throws(TransferFailure) {
            throw .noLibrary
        }
    }
#endif
