import WhisperEngine

/// Why a model is not downloaded or not installed. Addresses are without passwords.
enum PullError: Error, Equatable {
    case badName([UInt8])
    case unknownModel(String, nearest: String?)
    /// No Python package with this model is known.
    case notPackaged(String)
    /// `$WHISPER_LOCAL_MODEL_URL` is not an address.
    case badMirror(String)
    case noFolder
    /// Another process is downloading the same model.
    case busy(name: String, process: Int?)
    case installedDiffers(name: String, FilePath, problem: String)
    case noSpace(FilePath, needs: Int, free: Int)
    case disk(OutputError)
    case unreadable(FilePath)
    case transfer(TransferFailure, url: String)
    case status(Int, url: String, name: String)
    case notAModel(url: String, looksLike: String)
    case wrongSize(url: String, found: Int, expected: Int)
    /// The file is longer than its head allows.
    case tooLong(url: String, limit: Int)
    case wrongDigest(url: String, kind: String, found: String, expected: String)
    case damaged(url: String, ModelError)
    /// The server does not resume correctly, or not at all.
    case incomplete(url: String, count: Int, total: Int?)
    /// There is no pip to download packages with.
    case noPip(name: String)
    case pip(name: String, reason: String)
    case badPackage([String], problem: String)

    /// Whether another source of the same model may do better.
    var isOfSource: Bool {
        switch self {
        case .transfer, .status, .notAModel, .wrongSize, .tooLong, .wrongDigest, .damaged, .incomplete: true
        default: false
        }
    }
}

extension PullError: CustomStringConvertible {
    var description: String {
        switch self {
        case .badName(let name): "invalid model name \(ShellQuoting.inQuotes(name))"
        case .unknownModel(let name, _) where ModelCatalogue.isQuantized(name):
            "the digest of \(ShellQuoting.inQuotes(name.utf8)) is not known"
        case .unknownModel(let name, let nearest):
            "no published model is called \(ShellQuoting.inQuotes(name.utf8))"
                + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        case .notPackaged(let name): "no Python package with \(ShellQuoting.inQuotes(name.utf8)) is known"
        case .badMirror(let address):
            "$\(ModelSource.variable) is not an HTTP or HTTPS address: "
                + ShellQuoting.inQuotes(ModelSource.shown(address).utf8)
        case .noFolder: "no folder for models: neither XDG_DATA_HOME nor HOME is an absolute path"
        case .busy(let name, let process):
            "\(process.map { "process \($0)" } ?? "another process") is already downloading \(name)"
        case .installedDiffers(let name, let path, let problem): "\(name) is already installed, but \(problem): \(path)"
        case .noSpace(let folder, let needs, let free):
            "not enough disk space in \(folder): \(ByteCount.text(needs)) needed, "
                + "\(ByteCount.text(free)) free"
        case .disk(let error): error.description
        case .unreadable(let path): "cannot read \(path)"
        case .transfer(let failure, let url): failure.description(url: url)
        case .status(let status, let url, _): "the server answered \(status)\(Self.meaning(status)): \(url)"
        case .notAModel(let url, let looksLike): "the server sent \(looksLike) instead of a model: \(url)"
        case .wrongSize(let url, let found, let expected):
            "the server's file has \(found) bytes, the published one \(expected): \(url)"
        case .tooLong(let url, let limit):
            "the server sends more than the \(limit) bytes that a model with this header can have: \(url)"
        case .wrongDigest(let url, let kind, let found, let expected):
            "the downloaded file has the \(kind) \(found), expected \(expected): \(url)"
        case .damaged(let url, let error): "the downloaded file is not a usable model (\(error)): \(url)"
        case .incomplete(let url, let count, let total):
            "the download ended after \(count)\(total.map { " of \($0)" } ?? "") bytes: \(url)"
        case .noPip(let name): "\(name) comes in Python packages, which need pip"
        case .pip(let name, let reason): "cannot download the Python packages of \(name): \(reason)"
        case .badPackage(let packages, let problem):
            "the Python packages \(packages.joined(separator: " and ")) \(problem)"
        }
    }

    private static func meaning(_ status: Int) -> String {
        switch status {
        case 401: " (login required)"
        case 403: " (forbidden)"
        case 404, 410: " (not found)"
        case 407: " (the proxy requires a login)"
        case 408, 504: " (timeout)"
        case 206: " (a part of the file, but the whole was requested)"
        case 416: " (it has no such part, but the whole file was requested)"
        case 429: " (too many requests)"
        case 511: " (this network requires a login)"
        case 500...599: " (server error)"
        default: ""
        }
    }
}

extension TransferFailure {
    func description(url: String) -> String {
        let host = url.split(separator: "/").dropFirst().first.map(String.init) ?? url
        return switch self {
        case .noLibrary: "downloads need libcurl, which is not installed"
        case .oldLibrary: "downloads need libcurl 7.85 or newer, which can refuse redirects from HTTPS to HTTP"
        case .badAddress: "invalid address: \(url)"
        case .hostNotFound(let text): "cannot reach \(host): no network or no name server (\(text))"
        case .proxyNotFound: "cannot find the proxy's host"
        case .notConnected(let text): "cannot connect to \(host) (\(text))"
        case .proxyRefused(let status): "the proxy refused to connect to \(host) (status \(status))"
        case .tls(let text), .handshake(let text): "no secure connection to \(host): \(text)"
        case .noCertificates(let text): "cannot read the trusted certificates: \(text)"
        case .timedOut: "\(host) sent no data, or very little, for too long"
        case .interrupted(let text): "the connection to \(host) was lost: \(text)"
        case .tooManyRedirects: "more than \(TransferLimits.redirects) redirects: \(url)"
        case .forbiddenRedirect(let text): "the server redirects to an address that is not allowed (\(text)): \(url)"
        case .endless: "the server's headers or redirects are too long: \(url)"
        case .refused, .cancelled: "the download was cancelled: \(url)"
        case .failed(let text): "the download failed (\(text)): \(url)"
        }
    }
}
