#if HAS_SOUP
    import WhisperEngine
    import WhisperServer

    /// One run of `serve`: checks everything that can be checked in advance, starts listening, loads the models and
    /// runs until it is stopped.
    struct ServeRun {
        private let options: ServeOptions
        private let context: CommandContext
        private let console: Console
        private let settings: ServiceSettings
        private let models: ModelPool

        init(_ options: ServeOptions, context: CommandContext) throws {
            var options = options.withPreset
            try options.vocabulary.load(context.environment)
            try options.spoken.check(options.given)
            if !options.given.contains("--unload-after"),
                let time = context.environment.bytes(ServeOptions.unloadVariable), !time.isEmpty
            {
                options.unloadAfter = try ModelFlags.idleTime(time, of: "$\(ServeOptions.unloadVariable)")
            }
            self.options = options
            self.context = context
            let console = Console(
                streams: context.streams, environment: context.environment, verbosity: options.verbosity,
                progress: false, color: .never)
            self.console = console
            let search = ModelSearch(
                first: options.modelFolder, environment: context.environment, executable: ProcessEnvironment.executable)
            let given = try Self.models(options, search: search, context: context, console: console)
            var settings = try Self.settings(options)
            settings.defaults.guards = options.guards
            settings.defaults.guardDetector = try .installed(search)
            settings.defaults.beamSize = options.beamSize
            settings.defaults.whisper.audioContext = options.audioContext
            options.spoken.apply(to: &settings.defaults, options.given)
            settings.defaults.add(options.vocabulary.all)
            if let detail = options.vocabulary.detail { console.detail(detail) }
            self.settings = settings
            models = ModelPool(
                given.map(\.name),
                library: ModelPool.Library(
                    names: { search.installed().map(\.name) },
                    find: { name in
                        if let match = given.first(where: { $0.name == name }) { return (match.path, match.name) }
                        // Never a path: this is what a client asked for.
                        return search.installed().first { $0.name == name }.map { ($0.path, $0.name) }
                    },
                    speakers: { search.path(of: .speakers) }),
                options: options.compute,
                defaults: settings.defaults, limit: options.maxModels,
                idleTime: options.unloadAfter,
                onLoad: { name, seconds, weights in
                    console.note("model \(name) loaded in \(Int(seconds * 1000)) ms")
                    if let detail = weights.detail { console.detail(detail) }
                },
                onFailure: { name, error in
                    console.warning("model \(name) cannot be loaded: \(ErrorReport(error).singleLine)")
                },
                onUnload: { console.note("model \($0) unloaded") })
        }

        /// The models to load at startup; the first one is the default.
        private static func models(
            _ options: ServeOptions, search: ModelSearch, context: CommandContext, console: Console
        ) throws -> [(path: FilePath, name: String)] {
            guard !options.models.isEmpty else {
                let choice = try ModelChoice(
                    options, for: .both, suits: { unused(options, by: $0) == nil }, context: context)
                for note in choice.notes { console.note(note) }
                if let detail = choice.detail { console.detail(detail) }
                let models = [(path: choice.path, name: choice.name)]
                try check(options, of: models, console: console)
                return models
            }
            var matches: [(path: FilePath, name: String)] = []
            for wanted in options.models {
                do {
                    let match = try search.find(wanted.bytes)
                    if let detail = match.detail { console.detail(detail) }
                    matches.append((match.path, match.name))
                } catch {
                    throw error.report
                }
            }
            try check(options, of: matches, console: console)
            return matches
        }

        /// Opens the models. Rejects an option that none of them has a use for, and warns of those that some ignore.
        private static func check(
            _ options: ServeOptions, of models: [(path: FilePath, name: String)], console: Console
        ) throws {
            let languages = options.spoken.possible
            let ignoring = try models.compactMap { path, name -> (name: String, error: UnusedOptionsError)? in
                let traits = try ModelFamilies.open(path).traits
                let unknown = languages.filter { !traits.knows($0.code) }
                if let first = unknown.first, unknown.count == languages.count {
                    throw Language.LookupError.notInVocabulary(
                        code: first.code, name: first.name, languages: traits.languages.count)
                }
                if !unknown.isEmpty { console.warning("model \(name) \(ModelChecks.ignorance(of: unknown))") }
                if options.spoken.isMixed, !traits.isMultilingual {
                    console.warning("model \(name) \(ModelChecks.ignoresMultilingual(traits))")
                }
                return unused(options, by: traits).map {
                    (name, UnusedOptionsError(names: [$0], family: traits.family))
                }
            }
            if ignoring.count == models.count, let first = ignoring.first { throw first.error }
            for (name, error) in ignoring { console.warning("\(name): \(error)") }
        }

        /// An option on the command line that a model would ignore.
        private static func unused(_ options: ServeOptions, by traits: ModelTraits) -> String? {
            var transcription = TranscriptionOptions()
            transcription.beamSize = options.beamSize
            transcription.whisper.audioContext = options.audioContext
            return ModelChecks.unused(
                transcription, by: traits, given: options.given, defaults: WhisperOptions()
            ).first?.first
        }

        private static func settings(_ options: ServeOptions) throws -> ServiceSettings {
            var settings = ServiceSettings()
            if !options.hosts.isEmpty { settings.http.hosts = options.hosts }
            settings.http.port = options.port
            settings.http.socket = options.socket
            settings.http.allowedHosts = options.allowedHosts
            settings.http.allowedPeers = try options.allowedPeers.map { try addresses($0) }
            settings.http.allowedOrigins = try options.allowedOrigins.map { try origin($0) }
            settings.http.certificate = options.certificate
            settings.http.certificateKey = options.certificateKey
            if let key = try options.keyFile.map({ try key($0) }) {
                settings.http.key = key
                settings.streaming.requiresKey = true
                settings.streaming.isKey = { key.matches($0) }
            }
            settings.wyoming = try options.wyoming.map { try place($0) }
            settings.workers = options.workers ?? max(1, (options.compute.threads ?? Processor.availableCores) / 4)
            settings.maxQueue = options.maxQueue
            settings.openAI.maxUpload =
                options.maxUpload
                ?? (options.isLocal ? OpenAISettings.unlimitedUpload : OpenAISettings.defaultMaxUpload)
            settings.openAI.isStrict = options.isStrict
            settings.openAI.hasStrictModels = options.hasStrictModels
            settings.openAI.created = WallTime.now.milliseconds / 1000
            settings.streaming.isStrict = options.isStrict
            settings.streaming.maxSessions = options.maxSessions
            settings.streaming.fields = AssemblyAISettings.Fields(rawValue: options.fields.rawValue) ?? .auto
            settings.isCachePerModel = options.isCachePerModel
            settings.costPerMinute = options.costPerMinute
            settings.maxDuration = options.maxDuration ?? settings.maxDuration
            settings.version = Version.text
            return settings
        }

        /// `PORT`, `HOST:PORT` or `unix:PATH`.
        private static func place(_ text: FilePath) throws -> WyomingSettings.Place {
            let unix = Array("unix:".utf8)
            if text.bytes.starts(with: unix), text.bytes.count > unix.count {
                return .socket(FilePath(bytes: Array(text.bytes.dropFirst(unix.count))))
            }
            let parts = String(decoding: text.bytes, as: UTF8.self)
            let colon = parts.lastIndex(of: ":")
            var host = colon.map { String(parts[..<$0]) } ?? "127.0.0.1"
            if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
            let digits = colon.map { parts[parts.index(after: $0)...] } ?? parts[...]
            guard let port = Int(digits), (0...65535).contains(port), AddressRange(host) != nil, !host.contains("/")
            else {
                throw UsageError.badValue(
                    option: "--wyoming", value: text.bytes, wanted: "for example 10300, 192.168.1.7:10300 or unix:PATH")
            }
            return .port(host: host, port: port)
        }

        private static func addresses(_ text: String) throws -> AddressRange {
            guard let range = AddressRange(text) else {
                throw UsageError.badValue(
                    option: "--allow-from", value: Array(text.utf8), wanted: "for example 192.168.1.7 or 192.168.1.0/24"
                )
            }
            return range
        }

        private static func origin(_ text: String) throws -> WebOrigin {
            // As it is copied from the address bar.
            guard let origin = WebOrigin(text.hasSuffix("/") ? String(text.dropLast()) : text) else {
                throw UsageError.badValue(
                    option: "--allow-origin", value: Array(text.utf8), wanted: "for example https://notes.example")
            }
            return origin
        }

        /// The key in the first line of a file.
        private static func key(_ path: FilePath) throws -> AccessKey {
            guard case .success(let bytes) = FileSystem.contents(of: path, atMost: 4096) else {
                throw ErrorReport(
                    .noInput, "cannot read the key file \(path)", advice: "check the path and its permissions")
            }
            let line = String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
            guard !line.isEmpty else {
                throw ErrorReport(.badData, "the key file \(path) is empty", advice: "write a key into its first line")
            }
            return AccessKey(line)
        }

        func run() async throws -> ExitStatus {
            let service = await WhisperService(
                settings, models: models, cache: try cache(), recipes: try recipes(),
                log: { [console] in console.note("\(WallTime.now) \($0)") })
            CrashReport.disableCoreFiles()
            let addresses: [String]
            do {
                addresses = try await service.start()
            } catch {
                throw error.report
            }
            let (stops, end) = AsyncStream.makeStream(of: Void.self)
            // Requests still running after the grace period are cut off; closing the sessions then takes a moment.
            context.signals.onInterrupt(stop: { end.finish() }, grace: .seconds(WhisperService.grace + 5))
            for address in addresses { context.streams.writeError("listening on \(address)\n") }
            async let loading: Void = models.loadGiven()
            for await _ in stops {}
            console.note("stopping")
            await service.stop()
            _ = await loading
            return context.signals.received == .interrupted ? .success : context.signals.received ?? .success
        }

        private func cache() throws -> TranscriptCache {
            let place: TranscriptCache.Place =
                switch options.cache {
                case FilePath("off"): .off
                case nil, FilePath("memory"): .memory
                case let path?: .file(path)
                }
            let inMemory = 64 << 20
            return try TranscriptCache(
                place,
                limit: options.cacheSize ?? (place == .memory ? inMemory : TranscriptCache.defaultLimit),
                onFailure: { [console] in console.warning("the cache is not working: \($0)") })
        }

        private func recipes() throws -> RecipeStore? {
            guard options.hasRecipes else { return nil }
            return try RecipeStore(context.environment.dataFile("recipes.db", to: "store recipes"))
        }
    }

    extension HTTPServer.StartError: ReportedError {
        package var report: ErrorReport {
            switch self {
            case .libraryMissing:
                ErrorReport(
                    .unavailable, "libsoup is not installed, and `serve` requires it",
                    advice: "install it: apt-get install \(SoupLibrary.package)")
            case .cannotListen(let address, let reason):
                ErrorReport(
                    .unavailable, "cannot listen on \(address): \(reason)",
                    advice: "stop the program that uses the address, or choose another --port, --host or --socket")
            case .badCertificate(let reason):
                ErrorReport(
                    .badData, "the certificate cannot be used: \(reason)",
                    advice: "check the files of --tls-cert and --tls-key, and install glib-networking")
            }
        }
    }
#endif
