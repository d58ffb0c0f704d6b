import WhisperEngine

/// The options of `serve`.
struct ServeOptions: PresetOptions {
    var given: Set<String> = []

    // Models
    /// Required by `ModelOptions`; `serve` uses `models` instead.
    var model: FilePath?
    /// Names or paths of the models to load at once.
    var models: [FilePath] = []
    var modelFolder: FilePath?
    var compute = ComputeOptions()
    var maxModels = 2
    /// Seconds; `nil` for never.
    var unloadAfter: Double?
    /// Says it where options cannot be given.
    static let unloadVariable = "WHISPER_LOCAL_UNLOAD_AFTER"

    // Listening
    var hosts: [String] = []
    var port = 8178
    var socket: FilePath?
    var allowedHosts: [String] = []
    var allowedOrigins: [String] = []
    var allowedPeers: [String] = []
    var wyoming: FilePath?
    var keyFile: FilePath?
    var certificate: FilePath?
    var certificateKey: FilePath?

    /// Whether only programs on this machine can connect.
    var isLocal: Bool { hosts.allSatisfy { $0.hasPrefix("127.") || $0 == "::1" } }

    // Limits
    /// `nil` is one for every four threads.
    var workers: Int?
    var maxQueue = 32
    /// `nil` is the default, which depends on who can connect.
    var maxUpload: Int?
    var maxDuration: Double? = 4 * 3600
    var maxSessions = 16

    // Answers
    /// For requests that name no language.
    var spoken = SpokenLanguages()
    var vocabulary = VocabularyChoice()
    /// `nil` is the default of the model's family.
    var beamSize: Int?
    var audioContext = AudioContext.full
    var preset = Preset.standard
    var guards: Bool?
    var isStrict = false
    var hasStrictModels = false
    var fields = StreamingFields.auto
    var cache: FilePath?
    var cacheSize: Int?
    var isCachePerModel = false
    var costPerMinute = 0.0
    var hasRecipes = false

    // Messages
    var verbosity = Verbosity.normal

    /// The names in the messages of streaming sessions.
    enum StreamingFields: String, CaseIterable, Sendable {
        case auto, v3, hybrid
    }
}
