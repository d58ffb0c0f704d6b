package import EngineBasics
package import EngineModels
package import EngineWeights

/// Locates models: by path, by the ID of a repository on the Hugging Face hub, or by name in a list of places.
package struct ModelSearch: Sendable {
    package static let variable = "WHISPER_LOCAL_MODELS"

    /// The places in search order.
    ///
    /// The folders that the user names come first, then the folder of this program's downloads, whose files were chosen
    /// for this program and verified. Other programs' caches come after them, because those programs may update or clean
    /// them up at any time. The models that come with this program are last.
    package let places: [ModelPlace]

    /// - Parameters:
    ///   - first: the folder given on the command line.
    ///   - executable: this program's path, from which `<prefix>/share` and the repository's `Models/` are derived.
    ///   - beside: the folder of a library that comes with networks of its own.
    package init(
        first: FilePath? = nil, environment: ProcessEnvironment, executable: FilePath?, beside: FilePath? = nil
    ) {
        var places = [first.map { ModelPlace($0, .option) }]
        if let list = environment.bytes(Self.variable) {
            places += list.split(separator: UInt8(ascii: ":")).map { ModelPlace(FilePath(bytes: $0), .variable) }
        }
        places += [
            Self.ownFolder(environment).map { ModelPlace($0, .own) },
            environment.cacheFolder.map { ModelPlace($0.appending("whisper"), .openAIWhisper) },
            HuggingFaceCache.folder(environment).map { ModelPlace($0, .huggingFace) },
        ]
        if let executable {
            places.append(ModelPlace(executable.folder.folder.appending("share/whisper-local/models"), .program))
            places.append(Self.repository(of: executable).map { ModelPlace($0.appending("Models"), .repository) })
        }
        places.append(beside.map { ModelPlace($0, .program) })
        self.places = places.reduce(into: []) { places, place in
            guard let place else { return }
            guard let index = places.firstIndex(where: { $0.folder == place.folder }) else {
                places.append(place)
                return
            }
            // A folder that the user also names is searched earlier but keeps its owner, which decides how its models
            // are found and whether they may be deleted. If the program is installed in ~/.local, its folder is the
            // user's own one, and is treated as such.
            if [.option, .variable].contains(places[index].owner), place.owner != .variable { places[index] = place }
        }
    }

    /// Searches as the program does without options.
    package static let standard = ModelSearch(environment: .process, executable: ProcessEnvironment.executable)

    /// The folder for the user's own models; `nil` if neither `XDG_DATA_HOME` nor `HOME` is an absolute path.
    package static func ownFolder(_ environment: ProcessEnvironment) -> FilePath? {
        environment.dataFolder?.appending("models")
    }

    /// The model that a path, a repository's ID or a name refers to.
    package func find(_ wanted: [UInt8]) throws(ModelSearchError) -> ModelMatch {
        let path = FilePath(bytes: wanted)
        let status = FileSystem.status(path)
        if wanted.contains(UInt8(ascii: "/")) {
            if case .failure(.notPermitted) = status { throw .notPermitted(path) }
            if case .success = status { return try match(path) }
            do throws(ModelSearchError) { return try find(named: wanted) } catch {
                if case .notInstalled = error { throw .noPath(path) }
                throw error
            }
        }
        // In the current folder, only a model hides an installed one: output is often redirected to a file named after
        // the model.
        if Self.looksLikeModel(path) { return try match(path) }
        do throws(ModelSearchError) { return try find(named: wanted) } catch {
            guard case .notInstalled = error, case .success(let status) = status, status.kind != .folder else {
                throw error
            }
            // Opening it shows what it is.
            return try match(path)
        }
    }

    /// The installed model that a repository's ID or a name refers to, whatever the current folder contains.
    package func find(named name: [UInt8]) throws(ModelSearchError) -> ModelMatch {
        let found = candidates(name)
        let usable = found.filter { $0.state == .usable }.map(\.model)
        if let model = usable.first { return ModelMatch(model: model, others: Array(usable.dropFirst())) }
        if let model = found.first(where: { $0.state == .notPermitted })?.model { throw .notPermitted(model.path) }
        if let first = found.first {
            if first.state == .onnx { return ModelMatch(model: first.model, others: []) }
            throw .incomplete(first.model)
        }
        throw .notInstalled(ModelAbsence(name: name, installed: installed().map(\.name)))
    }

    private func match(_ path: FilePath) throws(ModelSearchError) -> ModelMatch {
        guard FileSystem.isReadable(path) else { throw .notPermitted(path) }
        return ModelMatch(path: path)
    }

    /// Whether a folder has the files of a model, or a file begins like one.
    private static func looksLikeModel(_ path: FilePath) -> Bool {
        guard case .success(let status) = FileSystem.status(path) else { return false }
        if status.kind == .folder { return ModelState(of: path) == .usable }
        return status.kind == .file && ModelFamilies.recognize(path)
    }

    /// All models with a name, in search order.
    package func candidates(_ name: [UInt8]) -> [FoundModel] { places.flatMap { $0.candidates(name) } }

    /// All models in all places, in search order; those that cannot be used included.
    package func all() -> [FoundModel] { places.flatMap { $0.models() } }

    /// The models that can be used by name; of several with the same name, the one that `find` returns.
    package func installed() -> [InstalledModel] {
        var names: Set<String> = []
        return all().filter { $0.state == .usable && names.insert($0.model.name).inserted }.map(\.model)
    }

    /// The installed model of a preferred family that suits a task best, for a user who has named no model: preferably
    /// one that knows several languages; among those, for live audio, one trained for it; among those, one with a beam
    /// search, whose decoder knows what it has written.
    ///
    /// - Returns: the model, if there is one, and what is wrong with those that are damaged. Nothing is wrong with models
    ///   of other programs, such as folders with ONNX files.
    package func preferred(
        forLiveAudio isLive: Bool, where suits: (ModelTraits) -> Bool
    ) -> (match: ModelMatch?, damaged: [ModelError]) {
        var names: Set<String> = []
        var damaged: [ModelError] = []
        var models: [(model: InstalledModel, traits: ModelTraits)] = []
        for found in all() where found.state == .usable && !names.contains(found.model.name) {
            let model = found.model
            do throws(ModelError) {
                if ModelFamilies.isPreferred(model.path) {
                    models.append((model, try ModelFamilies.open(model.path).traits))
                }
                names.insert(model.name)
            } catch {
                if case .anotherFormat = error { continue }
                damaged.append(error)
            }
        }
        func rank(_ traits: ModelTraits) -> Int {
            (traits.isMultilingual ? 4 : 0) + (isLive && traits.hearsStreams ? 2 : 0) + (traits.beams == nil ? 0 : 1)
        }
        // The first of several that are as good.
        let best = models.filter { suits($0.traits) }.max { rank($0.traits) < rank($1.traits) }
        return (best.map { ModelMatch(model: $0.model, others: []) }, damaged)
    }

    /// The first file of that name in the folders, if any.
    package func file(named name: String) -> (place: ModelPlace, path: FilePath)? {
        places.map { ($0, $0.folder.appending(name)) }.first { _, path in
            if case .success(let status) = FileSystem.status(path) { status.kind == .file } else { false }
        }
    }

    /// Where a network for speech or speakers is installed, if it is.
    package func path(of network: HelperNetwork) -> FilePath? { file(named: network.fileName)?.path }

    /// The repository that contains the executable as `.build/…/whisper-local`, if any.
    package static func repository(of executable: FilePath) -> FilePath? {
        var folder = executable.folder
        for _ in 0..<16 {
            if folder.name == FilePath(".build") { return folder.folder }
            if folder.folder == folder { return nil }
            folder = folder.folder
        }
        return nil
    }
}

/// The result of a search.
package struct ModelMatch: Sendable, Hashable {
    package let path: FilePath
    /// The name used in messages and output files.
    package let name: String
    /// The installed model; `nil` if a path was given.
    package let model: InstalledModel?
    /// Models with the same name in later places.
    package let others: [InstalledModel]

    init(model: InstalledModel, others: [InstalledModel]) {
        (path, name, self.model, self.others) = (model.path, model.name, model, others)
    }

    init(path: FilePath) {
        self.path = path
        name = ModelPlace.name(of: path) ?? String(decoding: path.name.bytes, as: UTF8.self)
        (model, others) = (nil, [])
    }

    /// Where the model was found and where else there is one with its name, for `--verbose`.
    package var detail: String? {
        guard let model else { return nil }
        let others = others.map { "\($0.path) in \($0.origin)" }.joined(separator: ", ")
        return "model \(ShellQuoting.quoted(name)): found in \(model.origin)"
            + (others.isEmpty ? "" : "; not used: \(others)")
    }
}
