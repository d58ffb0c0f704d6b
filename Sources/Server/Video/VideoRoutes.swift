package import WhisperEngine

/// `/api/app/video/get-or-transcribe`: the transcript of a video that an application sends, from the cache if any of
/// its users has requested it before.
package enum VideoRoutes {
    package struct Settings: Sendable {
        package var options = TranscriptionOptions()
        /// Whether only transcripts by the current model count as cached.
        package var isPerModel = false
        /// The cost per transcribed minute that responses report.
        package var costPerMinute = 0.0
        /// Identifies a served model by its name.
        package var stamp: @Sendable (_ model: String) -> ModelStamp

        package init(stamp: @escaping @Sendable (_ model: String) -> ModelStamp) {
            self.stamp = stamp
        }
    }

    package static func routes(
        _ transcriber: any Transcriber, models: any ModelProvider, cache: TranscriptCache, settings: Settings
    ) -> [Route] {
        [
            Route(
                "POST", "/api/app/video/get-or-transcribe", body: .stored(limit: VideoRequest.bodyLimit),
                refusal: { VideoRefusal($0).response }
            ) { (request) throws(HTTPError) in
                let video = VideoImport(
                    transcriber: transcriber, models: models, cache: cache, settings: settings)
                do throws(VideoRefusal) {
                    return try await video.response(to: request)
                } catch {
                    return error.response
                }
            }
        ]
    }
}

/// One request. An actor, because decoding a recording takes a while and must not block a shared thread.
private actor VideoImport {
    private let executor = ComputeExecutor()
    private let transcriber: any Transcriber
    private let models: any ModelProvider
    private let model: ModelStamp
    private let cache: TranscriptCache
    private let settings: VideoRoutes.Settings

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    init(
        transcriber: any Transcriber, models: any ModelProvider, cache: TranscriptCache, settings: VideoRoutes.Settings
    ) {
        self.transcriber = transcriber
        self.models = models
        model = settings.stamp(models.defaultModel)
        self.cache = cache
        self.settings = settings
    }

    func response(to request: Request) async throws(VideoRefusal) -> Response {
        guard AccessKey.bearer(request.head.headers) != nil else { throw .noToken }
        guard case .stored(let body) = request.body else { throw .invalidJSON }
        let video = try VideoRequest(body)
        let link = video.id.map { "\(video.platform.rawValue):\($0)" }
        if let link, let id = video.id, let hit = await cache.lookup(alias: link, model: requiredModel) {
            return response(hit, videoID: id, video)
        }
        guard let audio = video.audio else { throw .audioRequired }
        let (bytes, isValid): (Int, Bool)
        do throws(HTTPError) { (bytes, isValid) = try audio.measure() } catch { throw .failed(error) }
        guard bytes <= EncodedAudio.limit else { throw .tooLarge(bytes: bytes) }
        guard isValid else { throw .invalidAudio }
        guard bytes > 0 else { throw .audioRequired }
        let upload: Upload
        do throws(HTTPError) { upload = try audio.upload() } catch { throw .failed(error) }
        let digest = upload.sha256
        let id = video.id ?? "sha256-\(digest.prefix(32))"
        if let hit = await cached(digest, link: link) { return response(hit, videoID: id, video) }
        let transcription = try await transcription(of: upload, link: link, client: request.head.client)
        let cost = transcription.transcript.duration / 60 * settings.costPerMinute
        return VideoResponse(
            transcript: transcription.transcript, videoID: id, platform: video.platform,
            origin: .recognition(seconds: transcription.seconds, cost: cost)
        ).response
    }

    /// The model that must have made a transcript for it to count as cached; `nil` is any.
    private var requiredModel: ModelStamp? { settings.isPerModel ? model : nil }

    private func response(_ hit: TranscriptCache.Hit, videoID: String, _ video: VideoRequest) -> Response {
        VideoResponse(
            transcript: hit.transcript, videoID: videoID, platform: video.platform,
            origin: .cache(accesses: hit.accesses)
        ).response
    }

    /// The transcript of the same file, which came with another link or by another route.
    private func cached(_ digest: String, link: String?) async -> TranscriptCache.Hit? {
        let name = "sha256:\(digest)"
        if let hit = await cache.lookup(alias: name, model: requiredModel) {
            if let link { await cache.addAlias(link, for: name) }
            return hit
        }
        let key = CacheKey(audio: digest, model: model, options: settings.options)
        guard let hit = await cache.lookup(key) else { return nil }
        await cache.store(hit.transcript, key, seconds: hit.seconds, aliases: [name] + (link.map { [$0] } ?? []))
        return hit
    }

    private func transcription(
        of upload: Upload, link: String?, client: String
    ) async throws(VideoRefusal) -> Transcription {
        let model: ServedModel, transcription: Transcription
        do throws(HTTPError) {
            model = try await models.model(nil)
            transcription = try await transcriber.transcribe(
                upload, with: model, options: settings.options, client: client, updates: { _ in })
        } catch {
            throw .failed(error)
        }
        let digest = upload.sha256
        let key = CacheKey(audio: digest, model: model.stamp, options: settings.options)
        await cache.store(
            transcription.transcript, key, seconds: transcription.seconds,
            aliases: ["sha256:\(digest)"] + (link.map { [$0] } ?? []))
        return transcription
    }
}
