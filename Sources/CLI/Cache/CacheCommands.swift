import WhisperEngine

#if HAS_SOUP
    import WhisperServer
#endif

/// The `cache` commands: the transcripts that `serve` has cached.
enum CacheCommands {
    static let group = CommandGroup(
        name: "cache", summary: "List and delete transcripts cached by serve",
        notes: [
            "`serve --cache` stores its transcripts, so that nothing is transcribed twice. The cache contains "
                + "their text, but no audio and no addresses."
        ],
        members: [CacheListCommand.self, CacheClearCommand.self])

    /// The error of these commands in a build without the server.
    static let noServer = ErrorReport(
        .unavailable, "this build has no server and no cache: it was built without libsoup",
        advice: "install libsoup-3.0-dev and build again")

    /// Where the cache is unless `--cache` names another file.
    static func defaultPath(_ environment: ProcessEnvironment) -> FilePath? {
        environment.cacheFolder?.appending("whisper-local").appending("transcripts.db")
    }

    /// `--cache FILE`
    static func flag<Options: OptionValues>(sets path: Path<Options, FilePath?>) -> Flag<Options> {
        .path(
            "--cache", nil, "FILE", in: .output, "the cache", example: "transcripts.db",
            defaultValue: "$XDG_CACHE_HOME/whisper-local/transcripts.db", offers: .files, sets: path)
    }
}

#if HAS_SOUP
    extension CacheCommands {
        /// The cache that the options and the environment name.
        struct Target {
            /// `nil` if it is not a file.
            let path: FilePath?
            /// `nil` if there is none.
            let cache: TranscriptCache?
            /// Why there is nothing in it.
            let absence: String

            init(_ option: FilePath?, _ environment: ProcessEnvironment) throws(StoreError) {
                // The words that `serve --cache` accepts may come from the config file.
                if let option, [FilePath("off"), FilePath("memory")].contains(option) {
                    (path, cache, absence) = (nil, nil, "no transcripts: --cache \(option) does not use a file")
                    return
                }
                guard let path = option ?? CacheCommands.defaultPath(environment) else {
                    (self.path, cache) = (nil, nil)
                    absence = "no transcripts: neither XDG_CACHE_HOME nor HOME is an absolute path"
                    return
                }
                self.path = path
                cache = try TranscriptCache.open(existing: path)
                absence = cache == nil ? "no transcripts yet: \(path) does not exist" : "no transcripts in \(path)"
            }
        }
    }

    extension StoreError: ReportedError {
        package var report: ErrorReport {
            switch self {
            case .damaged(let path):
                ErrorReport(.badData, description, advice: "mv \(path) \(path.adding(".damaged")) to start a new one")
            case .notAFile: ErrorReport(.badData, description, advice: "name another file")
            case .newer: ErrorReport(.badData, description, advice: "update whisper-local")
            case .notPermitted: ErrorReport(.notPermitted, description, advice: "name a file of your own")
            case .readOnly: ErrorReport(.cannotCreate, description, advice: "name a file in a writable folder")
            case .busy: ErrorReport(.tryAgain, description, advice: "run again when the other program has finished")
            case .noSpace: ErrorReport(.inputOutput, description, advice: "free some space and run again")
            case .outOfMemory: ErrorReport(.tryAgain, description, advice: "close other programs and run again")
            case .failed: ErrorReport(.inputOutput, description, advice: "check that the disk is available")
            }
        }
    }
#endif
