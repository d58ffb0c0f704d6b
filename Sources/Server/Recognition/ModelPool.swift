import CMalloc
package import WhisperEngine

/// The installed models, and those of them that are loaded.
///
/// A model is loaded when it is first requested, while the others remain available. The least recently used one is unloaded
/// when there are more than `limit`, and any of them after `idleTime` without use. Recognitions in progress keep their model.
package actor ModelPool: ModelProvider {
    /// Where models come from.
    package struct Library: Sendable {
        /// The names of all installed models.
        package let names: @Sendable () -> [String]
        /// The file or folder of a model and the name to show; `nil` if it is not installed.
        package let find: @Sendable (String) -> (path: FilePath, name: String)?
        /// The file with the speaker networks; `nil` if it is not installed.
        package let speakers: @Sendable () -> FilePath?

        package init(
            names: @escaping @Sendable () -> [String],
            find: @escaping @Sendable (String) -> (path: FilePath, name: String)?,
            speakers: @escaping @Sendable () -> FilePath? = { nil }
        ) {
            self.names = names
            self.find = find
            self.speakers = speakers
        }
    }

    private let library: Library
    private let options: ComputeOptions
    private let defaults: TranscriptionOptions
    private let limit: Int
    /// Called when a model has been loaded.
    private let onLoad: @Sendable (_ name: String, _ seconds: Double, _ weights: PackedWeights) -> Void
    /// Called when a model cannot be loaded.
    private let onFailure: @Sendable (_ name: String, _ error: any Error) -> Void
    private var loading: [FilePath: Task<Result<ServedModel, HTTPError>, Never>] = [:]
    private var loadingSpeakers: Task<Result<SpeakerNetworks, HTTPError>, Never>?
    /// The least recently used first.
    private var order: [FilePath] = []
    private var hasDefault = false
    package nonisolated let idleTime: Double?
    private var uses: [FilePath: Use] = [:]
    private let onUnload: @Sendable (_ name: String) -> Void
    /// Models loaded and dropped since the start.
    package private(set) var (loadCount, unloadCount) = (0, 0)

    private struct Use {
        let name: String
        var count = 0
        /// Of the last use.
        var end = ContinuousClock.now
    }

    private var traits: [ModelStamp: ModelTraits] = [:]
    /// The names given at the start.
    private nonisolated let given: [String]

    package nonisolated let defaultModel: String

    /// - Parameters:
    ///   - models: the models to load at startup; the first one is the default.
    ///   - defaults: what recordings are transcribed with unless the request says otherwise.
    ///   - limit: maximum number of models in memory.
    ///   - idleTime: seconds after its last use in which a model stays in memory; `nil` for ever.
    package init(
        _ models: [String], library: Library, options: ComputeOptions, defaults: TranscriptionOptions,
        limit: Int, idleTime: Double? = nil,
        onLoad: @escaping @Sendable (_ name: String, _ seconds: Double, _ weights: PackedWeights) -> Void,
        onFailure: @escaping @Sendable (_ name: String, _ error: any Error) -> Void,
        onUnload: @escaping @Sendable (_ name: String) -> Void = { _ in }
    ) {
        self.library = library
        self.options = options
        self.defaults = defaults
        self.limit = max(models.count, limit)
        self.onLoad = onLoad
        self.onFailure = onFailure
        self.idleTime = idleTime
        self.onUnload = onUnload
        let names = models.map { library.find($0)?.name ?? $0 }
        defaultModel = names.first ?? ""
        given = names
    }

    /// The models given at the start first.
    package nonisolated var names: [String] {
        given + library.names().filter { !given.contains($0) }
    }

    /// Identifies a model in the cache.
    package nonisolated func stamp(_ name: String) -> ModelStamp {
        ModelStamp(name: name, path: library.find(name)?.path ?? FilePath(name))
    }

    package func traits(of name: String) -> ModelTraits? {
        guard let path = library.find(name)?.path else { return nil }
        let stamp = ModelStamp(name: name, path: path)
        if traits[stamp] == nil { traits[stamp] = (try? ModelFamilies.open(path))?.traits }
        return traits[stamp]
    }

    package nonisolated var hasSpeakerNetworks: Bool { library.speakers() != nil }

    /// Loads the models that were given at the start, the default one first.
    package func loadGiven() async {
        for name in given { _ = try? await model(name) }
    }

    /// Whether the default model is loaded.
    package var isReady: Bool { hasDefault }

    package func speakerNetworks() async throws(HTTPError) -> SpeakerNetworks {
        guard let path = library.speakers() else { throw .noSpeakerNetworks }
        let task: Task<Result<SpeakerNetworks, HTTPError>, Never>
        if let loadingSpeakers {
            task = loadingSpeakers
        } else {
            task = Task { [options, onLoad, onFailure] in
                do {
                    let start = ContinuousClock.now
                    let networks = try SpeakerNetworks(path, computeType: options.computeType)
                    onLoad("\(path.name)", (ContinuousClock.now - start) / .seconds(1), .own)
                    return .success(networks)
                } catch {
                    onFailure("\(path.name)", error)
                    return .failure(.notLoaded("\(path.name)"))
                }
            }
            loadingSpeakers = task
        }
        let result = await task.value
        // The next request tries again.
        if case .failure = result { loadingSpeakers = nil }
        return try result.get()
    }

    package func model(_ requested: String?) async throws(HTTPError) -> ServedModel {
        guard let found = library.find(requested ?? defaultModel) else {
            throw HTTPError(
                404, "The model `\(requested ?? defaultModel)` does not exist.", code: "model_not_found", param: "model"
            )
        }
        let task: Task<Result<ServedModel, HTTPError>, Never>
        let isKnown = loading[found.path] != nil
        if let known = loading[found.path] {
            task = known
        } else {
            task = Task { [options, defaults, onLoad, onFailure] in
                do {
                    let start = ContinuousClock.now
                    let recognizer = try await Recognizer(model: found.path, options: options)
                    onLoad(found.name, (ContinuousClock.now - start) / .seconds(1), recognizer.model.packedWeights)
                    return .success(
                        ServedModel(
                            name: found.name, recognizer: recognizer, defaults: defaults,
                            stamp: ModelStamp(name: found.name, path: found.path)))
                } catch {
                    onFailure(found.name, error)
                    return .failure(.notLoaded(found.name))
                }
            }
            loading[found.path] = task
        }
        // Before the model is loaded: it must not be dropped between that and its use.
        let lease = lease(found)
        order.removeAll { $0 == found.path }
        order.append(found.path)
        while order.count > limit {
            loading[order.removeFirst()] = nil
            unloadCount += 1
        }
        let result = await task.value
        if !isKnown, case .success = result { loadCount += 1 }
        if found.name == defaultModel, case .success = result { hasDefault = true }
        if case .failure = result {
            // The next request tries again.
            loading[found.path] = nil
            order.removeAll { $0 == found.path }
        }
        var model = try result.get()
        model.lease = lease
        return model
    }

    /// The names of the models in memory, those used last at the end.
    package var loaded: [String] { order.compactMap { uses[$0]?.name } }

    private func lease(_ found: (path: FilePath, name: String)) -> ModelLease {
        uses[found.path, default: Use(name: found.name)].count += 1
        let path = found.path
        return ModelLease { end in Task { await self.endUse(of: path, at: end) } }
    }

    private func endUse(of path: FilePath, at end: ContinuousClock.Instant) {
        uses[path]?.count -= 1
        if let use = uses[path] { uses[path]?.end = max(use.end, end) }
        guard let idleTime, let use = uses[path], use.count == 0 else { return }
        Task {
            try? await Task.sleep(until: use.end + .seconds(idleTime))
            await self.dropIfIdle(path)
        }
    }

    /// Drops a model unless it has been used again.
    private func dropIfIdle(_ path: FilePath) async {
        guard let idleTime, let use = uses[path], use.count == 0, loading[path] != nil,
            ContinuousClock.now - use.end >= .seconds(idleTime)
        else { return }
        loading[path] = nil
        order.removeAll { $0 == path }
        unloadCount += 1
        onUnload(use.name)
        // The weights are freed on a thread of their own; what they leave in the allocator goes back to the system.
        try? await Task.sleep(for: Self.release)
        _ = malloc_trim(0)
    }

    private static let release = Duration.milliseconds(500)
}

extension HTTPError {
    fileprivate static func notLoaded(_ name: String) -> HTTPError {
        HTTPError(
            500, "The model `\(name)` could not be loaded.", type: "server_error", code: "internal_error")
    }
}
