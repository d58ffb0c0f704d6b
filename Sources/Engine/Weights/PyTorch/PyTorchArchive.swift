package import EngineBasics

/// A file written by `torch.save`: a ZIP archive with a pickle of the values and an entry for each storage of tensors.
package struct PyTorchArchive: Sendable {
    package let path: FilePath
    let file: ReadOnlyFile
    let pickle: Pickle
    private let zip: ZIPArchive
    private let entries: [String: ZIPArchive.Entry]
    /// The folder that contains all entries, with its slash.
    private let prefix: String

    private static let maxByteOrderBytes = 16
    /// The elements of all tensors per byte of the file. Tensors may repeat elements (stride 0), which makes files smaller
    /// than their contents, but not without limit.
    private static let maxElementsPerByte = 4
    /// The largest permitted network has about 10,000.
    private static let maxTensors = 20_000
    /// How many stored elements a tensor may span for each of its own; limited because the whole span is read at once.
    /// Transposed tensors and single projections of a stack span at most three.
    private static let maxSpread = 16

    /// Reads the archive's directory and the pickle, but no tensors.
    ///
    /// - Parameter skipsOthers: whether what weights do not consist of is skipped instead of an error.
    package init(_ path: FilePath, skipsOthers: Bool = false) throws(ModelError) {
        let file: ReadOnlyFile
        do throws(FileError) {
            file = try ReadOnlyFile(path)
        } catch { throw ModelError(error, path: path) }
        try self.init(file, skipsOthers: skipsOthers)
    }

    /// - Parameter file: may be a part of another one.
    init(_ file: ReadOnlyFile, skipsOthers: Bool = false) throws(ModelError) {
        self.file = file
        path = file.path
        zip = try ZIPArchive(file, skipsCompressed: skipsOthers)
        entries = Dictionary(uniqueKeysWithValues: zip.entries.map { ($0.name, $0) })
        let pickles = zip.entries.filter { $0.name.hasSuffix("/data.pkl") }
        guard let entry = pickles.first else {
            throw .anotherFormat(
                path: path, looksLike: "a ZIP archive without a PyTorch model", instead: "unpack it first")
        }
        if pickles.count > 1 {
            let names = pickles.prefix(2).map { ShellQuoting.shown($0.name) }.joined(separator: " and ")
            throw .badArchive(path: path, problem: "has several pickles: \(names)")
        }
        let prefix = String(entry.name.dropLast("data.pkl".count))
        self.prefix = prefix
        if let stray = zip.entries.first(where: { !$0.name.hasPrefix(prefix) }) {
            throw .badArchive(
                path: path,
                problem: "has an entry \(ShellQuoting.shown(stray.name)) outside \(ShellQuoting.shown(prefix))")
        }
        try Self.checkByteOrder(entries[prefix + "byteorder"], in: zip, path: path)
        guard entry.bytes.count <= PickleReader.maxBytes else {
            throw .badPickle(
                path: path, offset: 0,
                problem: "has \(entry.bytes.count) bytes, at most \(PickleReader.maxBytes) are supported")
        }
        let bytes = try zip.content(entry)
        do throws(PickleReader.Problem) {
            pickle = try PickleReader.read(bytes, skipsOthers: skipsOthers)
        } catch {
            switch error {
            case .damaged(let offset, let what): throw .badPickle(path: path, offset: offset, problem: what)
            case .foreignName(let name): throw .foreignName(path: path, name: name)
            }
        }
    }

    private static func checkByteOrder(
        _ entry: ZIPArchive.Entry?, in zip: ZIPArchive, path: FilePath
    ) throws(ModelError) {
        guard let entry else { return }
        let order = entry.bytes.count <= maxByteOrderBytes ? try zip.content(entry) : []
        let text = String(decoding: order, as: UTF8.self)
        guard text == "little" || text == "little\n" else {
            throw .badArchive(path: path, problem: "has the byte order \(ShellQuoting.shown(text)), expected little")
        }
    }

    /// Checks all entries against their checksums, which reads the whole file.
    package func verify() throws(ModelError) { try zip.verify() }

    /// The value of the file.
    ///
    /// - Throws: `ModelError.badCheckpoint` if it is not a dictionary.
    package var root: PyTorchDictionary {
        get throws(ModelError) {
            guard let root = PyTorchDictionary(pickle.root, in: self) else {
                throw .badCheckpoint(path: path, problem: "is not a dictionary")
            }
            return root
        }
    }

    fileprivate func tensors(
        _ members: [(key: PickleValue, value: PickleValue)]
    ) throws(ModelError) -> [String: WeightTensor] {
        guard members.count <= Self.maxTensors else {
            throw .badCheckpoint(
                path: path, problem: "has \(members.count) tensors, at most \(Self.maxTensors) are supported")
        }
        var tensors: [String: WeightTensor] = [:], left = Self.maxElementsPerByte * file.count
        for (key, value) in members {
            guard let name = key.text else { throw .badCheckpoint(path: path, problem: "has a tensor without a name") }
            if WeightTensor.isCounter(name) { continue }
            guard case .tensor(let index) = value else {
                throw .badTensor(path: path, tensor: ShellQuoting.shown(name), problem: "is not a tensor")
            }
            let tensor = try tensor(pickle.tensors[index], name: name)
            left -= min(left + 1, tensor.count)
            if left < 0 {
                throw .badTensor(
                    path: path, tensor: ShellQuoting.shown(name),
                    problem: "repeats its elements: more than \(Self.maxElementsPerByte) for each byte of the file")
            }
            try tensors.add(tensor)
        }
        return tensors
    }

    /// The bytes of a storage; `nil` if there is none with this key.
    func storage(_ key: String) throws(ModelError) -> [UInt8]? {
        guard let entry = entries["\(prefix)data/\(key)"] else { return nil }
        return try zip.content(entry)
    }

    /// - Throws: `ModelError` for elements of other types, and for tensors that do not fit in their storage.
    func tensor(_ view: PickleTensor, name: String) throws(ModelError) -> WeightTensor {
        let storage = pickle.storages[view.storage]
        var quoted: String { ShellQuoting.shown(name) }
        func bad(_ problem: String) -> ModelError { .badTensor(path: path, tensor: quoted, problem: problem) }
        guard let type = storage.element.weightType else {
            throw .unsupportedType(path: path, tensor: quoted, type: storage.element.rawValue)
        }
        guard let entry = entries["\(prefix)data/\(storage.key)"] else {
            throw bad("is in storage \(ShellQuoting.shown(storage.key)), which is missing")
        }
        let (size, isTooLarge) = storage.count.multipliedReportingOverflow(by: type.blockBytes)
        guard !isTooLarge, size == entry.bytes.count else {
            throw bad(
                "is in storage \(ShellQuoting.shown(storage.key)) of \(storage.count) elements, "
                    + "which has \(entry.bytes.count) bytes")
        }
        guard let layout = StridedLayout(sizes: view.sizes, strides: view.strides),
            layout.span <= storage.count - view.offset
        else {
            throw bad(
                "has sizes \(view.sizes), strides \(view.strides) and offset \(view.offset), "
                    + "which exceed its storage of \(storage.count) elements")
        }
        guard (layout.span - 1) / Self.maxSpread < max(1, layout.count) else {
            throw bad(
                "spreads its \(layout.count) elements over \(layout.span) of its storage, at most "
                    + "\(Self.maxSpread) for each are supported")
        }
        let start = entry.bytes.lowerBound + (layout.span == 0 ? 0 : view.offset) * type.blockBytes
        return WeightTensor(
            name: name, shape: view.sizes, type: type, file: file,
            bytes: start..<(start + layout.span * type.blockBytes),
            strides: layout.isContiguous ? nil : view.strides)
    }
}

/// A dictionary in a PyTorch file, a key possibly several times: the last one counts.
package struct PyTorchDictionary {
    private let archive: PyTorchArchive
    private let members: [(key: PickleValue, value: PickleValue)]

    /// - Returns: `nil` if `value` is not a dictionary.
    fileprivate init?(_ value: PickleValue, in archive: PyTorchArchive) {
        guard let members = archive.pickle.members(value) else { return nil }
        self.archive = archive
        self.members = members
    }

    /// The keys that are text, in their order.
    package var keys: [String] { members.compactMap(\.key.text) }

    private func value(_ key: String) -> PickleValue? { members.last { $0.key.text == key }?.value }

    package func integer(_ key: String) -> Int? { value(key)?.int }

    package func dictionary(_ key: String) -> PyTorchDictionary? {
        value(key).flatMap { PyTorchDictionary($0, in: archive) }
    }

    /// The tensors of a state dictionary by name.
    ///
    /// - Throws: `ModelError` for other values, repeated names, and tensors that do not fit in their storage.
    package func tensors() throws(ModelError) -> [String: WeightTensor] { try archive.tensors(members) }
}
