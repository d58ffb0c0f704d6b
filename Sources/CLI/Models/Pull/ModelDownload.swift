import WhisperEngine

/// Downloads a model's file: resumes, tries again after interruptions, and checks the result.
final class ModelDownload: TransferReceiver {
    /// Attempts in a row without progress before the download fails.
    private static let maxFailures = 4
    /// An attempt that brought fewer bytes, or was slower than `TransferLimits.speed`, counts as one without progress.
    private static let leastProgress = 1 << 14
    /// How often the server may send the file from the start before that counts as a failure.
    private static let maxRestarts = 3
    private static let longestWait = Duration.seconds(60)

    private let model: WantedModel
    private let part: PartialFile
    private let url: String
    private let timeout: Int
    private let certificates: TransferRequest.Certificates
    private let console: Console
    private let stop: CancellationFlag
    /// The first bytes of the file, until they have been checked.
    private var head: [UInt8] = []
    private var hasCheckedHead = false
    /// The most bytes that a file with this head can have; `nil` until it has been checked.
    private var limit: Int?
    private var speed = DownloadSpeed()
    private var received = 0
    /// The most bytes of the file that were present at once.
    private var most = 0
    private var restarts = 0
    /// The number of bytes present when the server was asked whether there are more; `nil` if it was not.
    private var assumedEnd: Int?
    /// Whether the request was for a part of the file.
    private var asksForRest = false
    /// Why a response or a part of it was refused.
    private var refusal: Refusal?

    private enum Refusal {
        case error(PullError)
        /// Everything starts over: the bytes present do not belong to the server's file.
        case restart
        /// The server has no more bytes than those present, or does not send parts, so that this cannot be known.
        case end
        /// The server is overloaded, or has an internal error.
        case later(PullError, after: Duration?)
    }

    /// Why an attempt has not completed the file, though another one may.
    private struct Setback {
        let error: PullError
        /// How long the server wants us to wait.
        var wait: Duration?

        var isUnreachable: Bool {
            switch error {
            case .transfer(.hostNotFound, _), .transfer(.notConnected, _): true
            default: false
            }
        }
    }

    init(
        _ model: WantedModel, into part: PartialFile, url: String, timeout: Int, environment: ProcessEnvironment,
        console: Console, stop: CancellationFlag
    ) {
        (self.model, self.part, self.url, self.timeout) = (model, part, url, timeout)
        (self.console, self.stop) = (console, stop)
        certificates = TransferRequest.Certificates(environment)
    }

    /// Downloads and checks the file. Nothing else runs in the meantime, so blocking a thread is fine.
    ///
    /// - Returns: false if `stop` was set; what has arrived is kept.
    func run() async throws(PullError) -> Bool {
        var failures = 0
        most = part.canResume ? part.count : 0
        while !part.isComplete {
            let problem = try attempt()
            if stop.isSet { return false }
            guard let problem else {
                // Without an announced length, a lost connection looks like the end.
                if isEndCertain { break }
                assumedEnd = part.count
                continue
            }
            let progress = max(Self.leastProgress, TransferLimits.speed * timeout)
            failures = part.count >= most + progress ? 0 : failures + 1
            most = max(most, part.count)
            guard failures <= Self.maxFailures else { throw problem.error }
            // A host that could not be reached at all is unlikely to be reachable a moment later.
            if received == 0, problem.isUnreachable { throw problem.error }
            let wait = problem.wait ?? (failures == 0 ? .milliseconds(100) : .seconds(1 << (failures - 1)))
            if wait >= .seconds(1) {
                console.note("\(problem.error); trying again in \(wait.components.seconds) s")
            }
            guard await pause(wait) else { return false }
        }
        return try check()
    }

    // MARK: Attempts

    /// One request.
    ///
    /// - Returns: `nil` if it completed the file, else why it did not.
    /// - Throws: if trying again is pointless.
    private func attempt() throws(PullError) -> Setback? {
        (refusal, head, hasCheckedHead, limit) = (nil, [], false, nil)
        var request = TransferRequest(url: url, timeout: timeout, certificates: certificates)
        if part.canResume, part.count >= ModelFileKind.headBytes {
            (request.start, request.validator) = (part.count, part.validator)
            head = (try? DiskAccess.contents(of: part.path, atMost: ModelFileKind.headBytes)) ?? []
            try checkHead()
        }
        asksForRest = request.start > 0
        do throws(TransferFailure) {
            try CurlTransfer.run(request, into: self)
        } catch {
            guard error == .refused, let refusal else {
                let failure = PullError.transfer(error, url: shownURL)
                guard error.isTransient || error == .cancelled else { throw failure }
                return Setback(error: failure)
            }
            switch refusal {
            case .error(let error): throw error
            case .restart:
                part.forget()
                measureFromStart()
                return Setback(
                    error: .incomplete(url: shownURL, count: 0, total: nil), wait: .milliseconds(100))
            case .end: return nil
            case .later(let error, let wait): return Setback(error: error, wait: wait)
            }
        }
        guard let total = part.total ?? model.bytes, part.count < total else { return nil }
        return Setback(error: .incomplete(url: shownURL, count: part.count, total: total))
    }

    /// Whether asking the server for more bytes is needless or impossible.
    private var isEndCertain: Bool {
        part.total ?? model.bytes != nil || !part.canResume || part.count < ModelFileKind.headBytes
            || part.count == assumedEnd
    }

    /// Measures progress anew because the server has another version of the file, but at most `maxRestarts` times:
    /// otherwise a server that always starts over would be retried forever.
    private func measureFromStart() {
        restarts += 1
        if restarts <= Self.maxRestarts { most = 0 }
    }

    /// Waits unless the download is cancelled.
    private func pause(_ wait: Duration) async -> Bool {
        let end = ContinuousClock.now + wait
        while ContinuousClock.now < end {
            if stop.isSet { return false }
            try? await Task.sleep(for: min(.milliseconds(50), end - .now))
        }
        return !stop.isSet
    }

    private var shownURL: String { ModelSource.shown(url) }

    // MARK: Receiving

    func begin(_ response: TransferResponse) -> Bool {
        do throws(PullError) {
            refusal = try refusal(of: response)
        } catch {
            refusal = .error(error)
        }
        return refusal == nil
    }

    private func refusal(of response: TransferResponse) throws(PullError) -> Refusal? {
        switch response.status {
        // The whole file was requested.
        case 206 where !asksForRest, 416 where !asksForRest:
            throw .status(response.status, url: shownURL, name: model.name)
        case 206:
            guard let range = response.range, range.start == part.count, part.count > 0 else { return .restart }
            if let total = part.total, let other = range.total, other != total { return .restart }
            if let validator = response.validator, validator != part.validator { return .restart }
            if let total = range.total, part.total == nil {
                do { try part.announce(total: total) } catch { throw .disk(error) }
            }
        // 416: there is nothing after these bytes. 200: the server does not send parts, so this cannot be known.
        case 200 where part.count == assumedEnd, 416 where part.count == assumedEnd: return .end
        case 200:
            try checkType(response)
            try checkSize(response.length)
            if part.count > 0 {
                console.note("\(model.name): the server sends the file from the start")
                if part.validator != nil, response.validator != part.validator { measureFromStart() }
            }
            do { try part.restart(validator: response.validator, total: response.length) } catch { throw .disk(error) }
            (head, hasCheckedHead) = ([], false)
        case 416: return .restart
        case 408, 429, 500...599:
            let seconds = response.headers["retry-after"].flatMap { Int($0) }
            return .later(
                .status(response.status, url: shownURL, name: model.name),
                after: seconds.map { min(Self.longestWait, .seconds(max(0, $0))) })
        default: throw .status(response.status, url: shownURL, name: model.name)
        }
        guard let total = part.total ?? model.bytes else { return nil }
        try Self.checkSpace(for: total - part.count, in: part.path.folder)
        return nil
    }

    func receive(_ bytes: [UInt8]) -> Bool {
        do throws(PullError) {
            if let limit = model.bytes, part.count + bytes.count > limit {
                throw .wrongSize(url: shownURL, found: part.count + bytes.count, expected: limit)
            }
            if !hasCheckedHead {
                head += bytes.prefix(ModelFileKind.headBytes - head.count)
                if head.count == ModelFileKind.headBytes {
                    try checkHead()
                }
            }
            if let limit, part.count + bytes.count > limit { throw .tooLong(url: shownURL, limit: limit) }
            do { try part.append(bytes) } catch { throw .disk(error) }
        } catch {
            refusal = .error(error)
            // A full disk is no reason to lose what has arrived, unless the server may go on for ever.
            if case .disk = error, part.total ?? model.bytes != nil {} else { part.discard() }
            return false
        }
        received += bytes.count
        showProgress()
        return true
    }

    func mayContinue() -> Bool {
        showProgress()
        return !stop.isSet
    }

    private func showProgress() {
        guard received > 0 else { return }
        console.show(
            progress: DownloadProgress(
                name: model.name, count: part.count, total: part.total ?? model.bytes, speed: speed.update(received)))
    }

    // MARK: Checks

    /// Throws unless the folder's file system has room for this many more bytes.
    static func checkSpace(for bytes: Int, in folder: FilePath) throws(PullError) {
        guard let free = try? DiskAccess.freeBytes(in: folder), free < bytes else { return }
        throw .noSpace(folder, needs: bytes, free: free)
    }

    /// Web pages and error messages have their own types; model files are sent as bytes or without a type.
    private func checkType(_ response: TransferResponse) throws(PullError) {
        guard let type = response.contentType else { return }
        let isText = type.hasPrefix("text/") && type != "text/plain"
        if isText || type.hasSuffix("json") || type.hasSuffix("xml") {
            throw .notAModel(url: shownURL, looksLike: type == "text/html" ? "a web page" : "\(type)")
        }
    }

    private func checkSize(_ found: Int?) throws(PullError) {
        guard let expected = model.bytes, let found, found != expected else { return }
        throw .wrongSize(url: shownURL, found: found, expected: expected)
    }

    private func checkHead() throws(PullError) {
        hasCheckedHead = true
        let size = part.total ?? head.count
        if WantedModel.Format(of: head, size: size) == model.format {
            limit = model.limit(head: head)
            head = []
            if let limit, let total = part.total, total > limit { throw .tooLong(url: shownURL, limit: limit) }
        } else if case .other(let looksLike, _) = ModelFileKind(first: head, size: size) {
            throw .notAModel(url: shownURL, looksLike: looksLike)
        } else {
            throw .notAModel(url: shownURL, looksLike: "a file that is not in \(model.format.rawValue) format")
        }
    }

    /// Checks the whole file.
    ///
    /// - Returns: false if `stop` was set.
    private func check() throws(PullError) -> Bool {
        do throws(PullError) {
            if !hasCheckedHead, !head.isEmpty { try checkHead() }
            try checkSize(part.count)
            guard let digest = model.digest else {
                do { _ = try ModelFamilies.open(part.path) } catch { throw .damaged(url: shownURL, error) }
                return true
            }
            guard let found = try Self.digest(digest, of: part.path, name: model.name, console: console, stop: stop)
            else { return false }
            if found != digest.text {
                throw .wrongDigest(url: shownURL, kind: digest.kind, found: found, expected: digest.text)
            }
            return true
        } catch {
            if case .unreadable = error {} else { part.discard() }
            throw error
        }
    }

    /// - Returns: `nil` if `stop` was set.
    static func digest(
        _ digest: PublishedDigest, of path: FilePath, name: String, console: Console, stop: CancellationFlag
    ) throws(PullError) -> String? {
        do {
            let file = try ReadOnlyFile(path)
            return try digest.computed(of: file) { done in
                console.show(progress: CheckProgress(name: name, count: done, total: file.count))
                return !stop.isSet
            }
        } catch {
            throw .unreadable(path)
        }
    }
}

/// The text of the progress line while a file is checked.
struct CheckProgress: ProgressText {
    let name: String
    let count: Int
    let total: Int

    var text: String { "\(name): checking (\(total > 0 ? 100 * count / total : 100)%)" }
}
