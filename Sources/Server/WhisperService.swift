package import WhisperEngine

/// The settings of `whisper-local serve`.
package struct ServiceSettings: Sendable {
    package var http = ServerSettings()
    package var openAI = OpenAISettings()
    package var streaming = AssemblyAISettings()
    /// Where Wyoming's clients connect; `nil` for nowhere.
    package var wyoming: WyomingSettings.Place?
    /// Recognitions at a time.
    package var workers = 1
    /// Recognitions that may wait for their turn.
    package var maxQueue = 32
    /// Seconds of audio in an uploaded recording.
    package var maxDuration = 4.0 * 3600
    /// What recordings are transcribed with unless the request says otherwise.
    package var defaults = TranscriptionOptions()
    /// Whether only transcripts by the current model count as cached for videos.
    package var isCachePerModel = false
    /// The cost per transcribed minute that video responses report.
    package var costPerMinute = 0.0
    /// The program's version, for clients that ask for one.
    package var version = ""

    package init() {}
}

/// The service: recognition, and the routes of each protocol on one HTTP server.
package final class WhisperService: Sendable {
    /// Seconds that running requests get when the service stops.
    package static let grace = 10.0

    private let server: HTTPServer
    private let wyoming: WyomingServer?

    /// - Parameters:
    ///   - recipes: the record store of `/api/app/recipes`; `nil` omits it.
    ///   - log: receives one line for each request, and for each recognition that failed. Neither contains what was said.
    @EventLoop
    package init(
        _ settings: ServiceSettings, models: ModelPool, cache: TranscriptCache, recipes: RecipeStore?,
        log: @escaping @Sendable (String) -> Void
    ) {
        let metrics = ServerMetrics()
        let recognition = RecognitionService(
            cache: cache, metrics: metrics, workers: settings.workers, maxWaiting: settings.maxQueue,
            maxDuration: settings.maxDuration, log: log)
        let slots = SessionSlots(limit: settings.streaming.maxSessions, idleTime: settings.streaming.idleTime)
        let sessions = AssemblyAIServer(settings.streaming, models: models, slots: slots)
        var realTime = RealtimeSettings()
        realTime.key = settings.http.key
        realTime.isStrict = settings.openAI.isStrict
        realTime.hasStrictModels = settings.openAI.hasStrictModels
        let conversations = RealtimeServer(realTime, models: models, slots: slots)
        let refusal = OpenAIErrors.response
        var videos = VideoRoutes.Settings { models.stamp($0) }
        videos.options = settings.defaults
        videos.isPerModel = settings.isCachePerModel
        videos.costPerMinute = settings.costPerMinute
        var routes = StatusRoutes.routes(
            health: {
                guard await models.isReady else { return .loading }
                return await recognition.isFull ? .busy : .ready
            },
            metrics: {
                let load = await recognition.load
                return metrics.text(
                    counters: [
                        ("model_loads_total", "Models that were loaded.", await models.loadCount),
                        ("model_unloads_total", "Models that have left the memory again.", await models.unloadCount),
                    ],
                    gauges: [
                        ("recognitions_running", "Recognitions in progress.", load.running),
                        ("recognitions_waiting", "Recognitions waiting for their turn.", load.waiting),
                        ("connections", "Open connections.", metrics.connections),
                        ("streaming_sessions", "Open streaming sessions.", slots.count),
                        ("models_loaded", "Models in memory.", await models.loaded.count),
                    ])
            }, loaded: { await models.loaded }, refusal: refusal)
        routes += OpenAIRoutes.routes(recognition, models: models, settings: settings.openAI)
        routes += WhisperCppRoutes.routes(recognition, models: models, maxUpload: settings.openAI.maxUpload)
        routes += ASRRoutes.routes(
            recognition, models: models, maxUpload: settings.openAI.maxUpload, maxDuration: settings.maxDuration,
            version: settings.version)
        routes += AssemblyAIRoutes.routes(sessions)
        routes += RealtimeRoutes.routes(conversations)
        routes += VideoRoutes.routes(recognition, models: models, cache: cache, settings: videos)
        if let recipes { routes += RecipeRoutes.routes(recipes) }
        routes += PageRoutes.routes(
            recognition, models: models, fileLimit: settings.openAI.fileLimit, refusal: refusal)
        wyoming = settings.wyoming.map { place in
            var wyoming = WyomingSettings(place)
            wyoming.allowedPeers = settings.http.allowedPeers
            wyoming.maxDuration = settings.maxDuration
            wyoming.version = settings.version
            return WyomingServer(wyoming, models: models, transcriber: recognition, slots: slots, log: log)
        }
        server = HTTPServer(
            settings.http, routes: routes,
            webSockets: AssemblyAIRoutes.webSockets(sessions) + RealtimeRoutes.webSockets(conversations),
            refusal: refusal,
            onRecord: { record in
                metrics.answered(record)
                log(record.line)
            }, onConnections: { metrics.setConnections($0) })
        server.onShortage = { limit in
            log("no connections are accepted while descriptors are scarce: raise their limit of \(limit) (ulimit -n)")
        }
    }

    /// Starts to listen.
    ///
    /// - Returns: the addresses, such as `http://127.0.0.1:8178`.
    @EventLoop
    package func start() throws(HTTPServer.StartError) -> [String] {
        try server.start() + (wyoming.map { (server) throws(HTTPServer.StartError) in [try server.start()] } ?? [])
    }

    /// Accepts no new requests, finishes running ones and closes all sessions.
    @EventLoop
    package func stop() async {
        async let other: Void? = wyoming?.stop(within: Self.grace)
        await server.stop(within: Self.grace)
        _ = await other
    }
}
