import WhisperEngine

/// A GET request.
struct TransferRequest {
    let url: String
    /// The first byte wanted; 0 requests the whole file.
    var start = 0
    /// The ETag or date of the file that `start` refers to: if it has changed, the server sends all of the new one.
    var validator: String?
    /// Seconds slower than `TransferLimits.speed` after which the transfer fails.
    let timeout: Int
    /// Files and folders with certificates to trust; `nil` uses the system's.
    let certificates: Certificates

    struct Certificates {
        var file: String?
        var folder: String?

        /// As the curl program reads them.
        init(_ environment: ProcessEnvironment) {
            file = environment.text("CURL_CA_BUNDLE") ?? environment.text("SSL_CERT_FILE")
            folder = environment.text("SSL_CERT_DIR")
        }
    }
}

/// The head of a response.
struct TransferResponse {
    let status: Int
    /// By name in lower case.
    private(set) var headers: [String: String] = [:]

    /// - Parameter statusLine: `HTTP/1.1 200 OK`.
    init(statusLine: String) {
        status = statusLine.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    mutating func add(header line: String) {
        guard let colon = line.firstIndex(of: ":") else { return }
        let value = line[line.index(after: colon)...]
        headers[line[..<colon].lowercased()] = String(value.drop { $0 == " " || $0 == "\t" })
    }

    /// The size of the body; `nil` if the server does not announce it.
    var length: Int? { headers["content-length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }

    /// The first byte of a partial response and, unless unknown, the size of the whole file.
    var range: (start: Int, total: Int?)? {
        guard let words = headers["content-range"]?.split(separator: " "), words.count == 2, words[0] == "bytes"
        else { return nil }
        let parts = words[1].split(separator: "/")
        guard parts.count == 2, let start = parts[0].split(separator: "-").first.flatMap({ Int($0) }) else {
            return nil
        }
        return (start, Int(parts[1]))
    }

    /// What to send as `If-Range` later: a strong ETag, or else the date of the file.
    var validator: String? {
        if let tag = headers["etag"], tag.hasPrefix("\"") { return tag }
        return headers["last-modified"]
    }

    /// The media type without its parameters.
    var contentType: String? {
        headers["content-type"]?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
    }
}

/// Where a response goes. Calls come one after another on the thread that runs the transfer.
protocol TransferReceiver: AnyObject {
    /// Receives the head of the response that is not a redirect; returns false to refuse the body.
    func begin(_ response: TransferResponse) -> Bool
    /// Receives bytes of the body; returns false to stop.
    func receive(_ bytes: [UInt8]) -> Bool
    /// Called about once a second or more often; returns false to cancel.
    func mayContinue() -> Bool
}

/// Why a transfer ended early. Texts are libcurl's.
enum TransferFailure: Error, Equatable {
    /// libcurl is not installed, or this program was built without it.
    case noLibrary
    /// libcurl cannot restrict redirects.
    case oldLibrary
    case badAddress
    case hostNotFound(String)
    case proxyNotFound
    case notConnected(String)
    /// The proxy's answer to CONNECT.
    case proxyRefused(status: Int)
    case tls(String)
    /// The TLS handshake broke off, or the two sides have no version or cipher in common.
    case handshake(String)
    /// The file with the trusted certificates cannot be read.
    case noCertificates(String)
    case timedOut
    case interrupted(String)
    case tooManyRedirects
    /// To an address that is neither HTTPS nor, if the first one was not either, HTTP.
    case forbiddenRedirect(String)
    /// More than `TransferLimits.preface` bytes before the file.
    case endless
    /// The receiver wanted no more.
    case refused
    case cancelled
    case failed(String)

    /// Whether trying again may help.
    var isTransient: Bool {
        switch self {
        case .hostNotFound, .notConnected, .handshake, .timedOut, .interrupted: true
        // The proxy could not reach the server.
        case .proxyRefused(let status): (502...504).contains(status)
        default: false
        }
    }
}

/// Limits of a transfer.
enum TransferLimits {
    static let redirects = 10
    /// The lowest speed, in bytes per second: a modem's, at which a small model takes a day.
    static let speed = 1000
    /// The most bytes before the body of the file: the heads of all responses, and the bodies of redirects. libcurl's own
    /// limit, of newer versions, is 300 KiB.
    static let preface = 256 << 10
}
