import WhisperEngine

extension ServeCommand {
    static let flags: [Flag<ServeOptions>] =
        modelFlags + listeningFlags + limitFlags + ModelFlags.preset()
        + VocabularyFlags.all(sets: \.vocabulary) + answerFlags + messageFlags

    private static let modelFlags: [Flag<ServeOptions>] =
        [
            list(
                "--model", "-m", "NAME|PATH", in: .model,
                "model to load at startup, repeatable; the first one is the default", example: "tiny.en",
                defaultValue: "$WHISPER_LOCAL_MODEL, or the first of tiny.en, Parakeet, nano.en that is installed",
                offers: .files
            ) { $0.models.append($1) },
            ModelFlags.folder(sets: \.modelFolder),
            .integer(
                "--max-models", in: .model, "maximum number of models in memory; the least recently used is unloaded",
                range: 1...64, sets: \.maxModels),
            ModelFlags.unloadAfter(
                "unload a model that has been idle for this long; the next request loads it again",
                in: .model, defaultValue: "$\(ServeOptions.unloadVariable), or off", sets: \.unloadAfter),
            SpokenLanguages.listFlag(
                "languages to detect if a request names none; one is assumed without detection",
                sets: \.spoken.possible),
            .boolean(
                "--multilingual", in: .model,
                "if a request names no language, detect it again in each window of the recording",
                sets: \.spoken.isMixed),
        ] + ModelFlags.compute()

    private static let listeningFlags: [Flag<ServeOptions>] = [
        list(
            "--host", nil, "ADDRESS", in: .server, "IP address to listen on, repeatable", example: "192.168.1.7",
            defaultValue: "127.0.0.1 and ::1"
        ) { $0.hosts.append(String(decoding: $1.bytes, as: UTF8.self)) },
        .integer("--port", in: .server, "port to listen on; 0 chooses a free one", range: 0...65535, sets: \.port),
        .path(
            "--socket", nil, "PATH", in: .server, "also listen on this Unix socket", example: "whisper.sock",
            offers: .files, sets: \.socket),
        .path(
            "--wyoming", nil, "[HOST:]PORT|unix:PATH", in: .server,
            "also answer Home Assistant (Wyoming protocol) here", example: "10300", offers: .files, sets: \.wyoming),
        .path(
            "--api-key-file", nil, "FILE", in: .server, "clients must send the key in this file", example: "key.txt",
            offers: .files, sets: \.keyFile),
        .path(
            "--tls-cert", nil, "FILE", in: .server, "encrypt with this certificate (PEM)", example: "cert.pem",
            offers: .files, sets: \.certificate),
        .path(
            "--tls-key", nil, "FILE", in: .server, "the certificate's private key (PEM)", example: "key.pem",
            offers: .files, sets: \.certificateKey),
        list(
            "--allow-from", nil, "ADDRESS[/BITS]", in: .server,
            "where programs that cannot send a key, such as Home Assistant and Bazarr, may come from, repeatable",
            example: "192.168.1.0/24"
        ) { $0.allowedPeers.append(String(decoding: $1.bytes, as: UTF8.self)) },
        list(
            "--allow-host", nil, "NAME", in: .server, "a name that clients may use for this server, repeatable",
            example: "whisper.home"
        ) { $0.allowedHosts.append(String(decoding: $1.bytes, as: UTF8.self)) },
        list(
            "--allow-origin", nil, "ORIGIN", in: .server, "origin of a web page that may call this server, repeatable",
            example: "https://notes.example", formerName: "--cors-origin"
        ) { $0.allowedOrigins.append(String(decoding: $1.bytes, as: UTF8.self)) },
    ]

    private static let limitFlags: [Flag<ServeOptions>] = [
        .optionalInteger(
            "--workers", nil, in: .limits, "maximum number of recordings transcribed at once",
            range: 1...64, noneAllowed: false, defaultValue: "one for every four threads", sets: \.workers),
        .integer(
            "--max-queue", in: .limits,
            "maximum number of waiting recordings, half of them of one client; more are rejected",
            range: 0...100_000, sets: \.maxQueue),
        .integer(
            "--max-sessions", in: .limits, "maximum number of concurrent streaming sessions", range: 0...1000,
            sets: \.maxSessions),
        size(
            "--max-upload", in: .limits, "maximum size of a recording",
            defaultValue: "100MiB; none if only this machine can connect"
        ) { $0.maxUpload = $1 },
        .time(
            "--max-duration", in: .limits, "maximum length of a recording (default 4:00:00)", example: "4:00:00",
            sets: \.maxDuration),
    ]

    private static let answerFlags: [Flag<ServeOptions>] = [
        ModelFlags.audioContext { $0.audioContext = $1 },
        .optionalInteger(
            "--beam-size", in: .decoding, "number of beams; 1 is greedy search, which is faster", range: 1...100,
            noneAllowed: false, defaultValue: ModelFlags.defaultBeams, sets: \.beamSize),
        .toggle(
            "--strict-api", in: .server, "reject whatever the cloud rejects", sets: \.isStrict, to: true),
        .toggle(
            "--strict-models", in: .server,
            "reject names of models that are not installed, instead of using the "
                + "default model", sets: \.hasStrictModels, to: true),
        .choice(
            "--streaming-fields", in: .server,
            "names in streaming messages: v3, or those of v2 as well; auto: as the client seems to expect",
            sets: \.fields),
        .path(
            "--cache", nil, "off|memory|FILE", in: .server,
            "where to cache transcripts, so that nothing is "
                + "transcribed twice", example: "transcripts.db", defaultValue: "memory", offers: .files, sets: \.cache),
        size(
            "--cache-size", in: .server, "maximum size of the cache; the least recently used transcripts make room",
            defaultValue: "1GiB, 64MiB in memory"
        ) { $0.cacheSize = $1 },
        .toggle(
            "--cache-per-model", in: .server, "transcribe a video again if another model made its transcript",
            sets: \.isCachePerModel, to: true),
        .number(
            "--report-cost-per-minute", in: .server, "cost per transcribed minute that the video route reports",
            NumberRange(0...1_000_000.0), sets: \.costPerMinute),
        .toggle(
            "--enable-recipes", in: .server, "store recipes sent to /api/app/recipes/save-community-recipe",
            sets: \.hasRecipes, to: true),
    ]

    private static let messageFlags: [Flag<ServeOptions>] = [
        .quiet(sets: \.verbosity), .verbose(sets: \.verbosity),
    ]

    /// An option that may be given several times.
    private static func list(
        _ name: String, _ short: String?, _ placeholder: String, in group: FlagGroup, _ help: String, example: String,
        defaultValue: String? = nil, offers completion: FlagEntry.Completion = .nothing, formerName: String? = nil,
        add: @escaping @Sendable (inout ServeOptions, FilePath) -> Void
    ) -> Flag<ServeOptions> {
        let entry = FlagEntry(
            name: name, short: short, group: group, shape: .value, placeholder: placeholder, help: help,
            defaultValue: defaultValue, example: example, completion: completion, isList: true, formerName: formerName)
        return Flag(entry) { (value, options) throws(UsageError) in
            guard !value.isEmpty, !value.contains(0) else {
                throw .badValue(option: name, value: value, wanted: "for example \(example)")
            }
            add(&options, FilePath(bytes: value))
        }
    }

    /// A number of bytes: `100M`, `100MiB`, `104857600`.
    private static func size(
        _ name: String, in group: FlagGroup, _ help: String, defaultValue: String,
        set: @escaping @Sendable (inout ServeOptions, Int) -> Void
    ) -> Flag<ServeOptions> {
        let entry = FlagEntry(
            name: name, group: group, shape: .value, placeholder: "SIZE", help: help, defaultValue: defaultValue,
            example: "100MiB")
        return Flag(entry) { (value, options) throws(UsageError) in
            guard let bytes = SizeSyntax.bytes(value), bytes > 0 else {
                throw .badValue(option: name, value: value, wanted: "a size, such as 100MiB")
            }
            set(&options, bytes)
        }
    }
}
