// swift-tools-version:6.2
// Dependencies are Debian packages, detected by their headers when the manifest is evaluated.
// FFmpeg, libcurl and libsoup are optional: without FFmpeg the engine reads only WAV, without libcurl no models can be
// downloaded, without libsoup there is no `serve`, and `whisper-local doctor` reports it.
// WHISPER_LOCAL_WITHOUT=ffmpeg,curl,soup builds without them even if they are installed.
// WHISPER_LOCAL_SYSROOT=FOLDER looks for them in the system in this folder, for which `--swift-sdk` compiles.
// WHISPER_LOCAL_STATIC=1 links the program with the static Swift runtime, so that it runs without Swift. Only the link
// differs: `--static-swift-stdlib` would compile everything a second time.
import Foundation
import PackageDescription

let excluded = Set((Context.environment["WHISPER_LOCAL_WITHOUT"] ?? "").split(separator: ",").map(String.init))

// The only architecture besides the build machine's is ARM; of two, the wrong one's headers might be found first.
let sysroot = Context.environment["WHISPER_LOCAL_SYSROOT"] ?? ""
let architectures = sysroot.isEmpty ? ["x86_64-linux-gnu", "aarch64-linux-gnu"] : ["aarch64-linux-gnu"]

func isInstalled(_ name: String, header: String) -> Bool {
    let folders =
        ["/usr/include"] + architectures.map { "/usr/include/\($0)" } + (sysroot.isEmpty ? ["/usr/local/include"] : [])
    return !excluded.contains(name)
        && folders.contains { FileManager.default.fileExists(atPath: "\(sysroot)\($0)/\(header)") }
}

var audioLibraries = ["CALSA", "CALSAMessages"]
var cliDependencies: [Target.Dependency] = ["WhisperEngine", "BuildRecord", "CMalloc"]
var cliTestDependencies: [Target.Dependency] = [
    "WhisperEngine", "WhisperCommands", "TestModels", "whisper-local", "scripted-program", "capture-probe",
    "instruction-probe", "journal-writer",
    "model-fuzzer", "transcribe-file", "live-captions", "samples-to-srt",
]
var features: [SwiftSetting] = []
var optionalTargets: [Target] = []
var serverTests: [Target] = []

if isInstalled("ffmpeg", header: "libavformat/avformat.h"), isInstalled("ffmpeg", header: "libswresample/swresample.h")
{
    optionalTargets.append(.systemLibrary(name: "CFFmpeg", path: "Sources/CFFmpeg"))
    audioLibraries.append("CFFmpeg")
    features.append(.define("HAS_FFMPEG"))
}

if isInstalled("curl", header: "curl/curl.h") {
    optionalTargets.append(.systemLibrary(name: "CCurl", path: "Sources/CCurl"))
    cliDependencies.append("CCurl")
    features.append(.define("HAS_CURL"))
}

// GLib's and libsoup's headers include each other by paths below these folders. pkg-config would also link the libraries,
// which are opened at run time.
let soupFolders: [String] =
    ["/usr/include/libsoup-3.0", "/usr/include/glib-2.0"] + architectures.map { "/usr/lib/\($0)/glib-2.0/include" }
let hasSoup = isInstalled("soup", header: "libsoup-3.0/libsoup/soup.h")
let soupHeaders: [SwiftSetting] =
    hasSoup ? [.unsafeFlags(soupFolders.flatMap { ["-Xcc", "-I\(sysroot)\($0)"] })] : []
if hasSoup {
    cliDependencies += ["WhisperServer", "CGio"]
    cliTestDependencies.append("WhisperServer")
    features.append(.define("HAS_SOUP"))
}

// Typed, or Swift 6.2 takes minutes to find the types of the sums below.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// Tests without heavy computation of their own are compiled without optimization, in half the time. The code that they
// test is optimized.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"])]
let settings: [SwiftSetting] = strict + features
let serverSettings: [SwiftSetting] = settings + soupHeaders
let serverTestSettings: [SwiftSetting] = serverSettings + unoptimized

// The engine's modules from the bottom up, and those that each one sees; `WhisperEngine` re-exports all of them.
let engineModules = [
    "Basics", "Weights", "Compute", "Audio", "Voices", "Transcripts", "Vocabulary", "Models", "Whisper", "Parakeet",
    "Installed", "Transcription", "Alignment", "Streaming", "Sessions", "Tools",
]
let belowModels = ["Basics", "Weights", "Compute", "Audio", "Voices", "Transcripts", "Vocabulary"]
let uses: [String: [String]] = [
    "Basics": [], "Weights": ["Basics"], "Compute": ["Basics", "Weights"], "Audio": ["Basics"],
    "Voices": ["Basics", "Weights", "Compute", "Audio"], "Transcripts": ["Basics"],
    "Vocabulary": ["Basics", "Transcripts"], "Models": belowModels,
    "Whisper": belowModels + ["Models"], "Parakeet": belowModels + ["Models"],
    "Installed": ["Basics", "Weights", "Models", "Whisper", "Parakeet"],
    "Transcription": belowModels + ["Models", "Installed"],
    "Alignment": ["Basics", "Audio", "Voices", "Transcripts", "Vocabulary", "Models", "Transcription"],
    "Streaming": ["Basics", "Compute", "Audio", "Voices", "Transcripts", "Vocabulary", "Models", "Transcription"],
    "Sessions": ["Basics", "Audio", "Voices", "Transcripts", "Streaming"],
    "Tools": engineModules.dropLast(),
]
let engineLibraries: [String: [String]] = [
    "Basics": ["CKernels", "CSystemCalls", "CZlib"], "Compute": ["CKernels", "CSystemCalls", "COpenBLAS"],
    "Audio": audioLibraries, "Whisper": ["CVocabularies"], "Sessions": ["CSQLite"],
]

func modules(_ names: [String]) -> [Target.Dependency] { names.map { .target(name: "Engine\($0)") } }

let engineTargets: [Target] = engineModules.map { name in
    .target(
        name: "Engine\(name)",
        dependencies: modules(uses[name] ?? []) + (engineLibraries[name] ?? []).map { .target(name: $0) },
        path: "Sources/Engine/\(name)", swiftSettings: settings,
        linkerSettings: name == "Basics" ? [.linkedLibrary("m"), .linkedLibrary("dl")] : [])
}

// libFuzzer comes with the compiler, but only builds with `-sanitize=fuzzer` can use it (scripts/fuzz.sh).
if Context.environment["WHISPER_LOCAL_LIBFUZZER"] == "1" {
    optionalTargets.append(
        .executableTarget(
            name: "model-libfuzzer", dependencies: ["TestModels", "WhisperEngine"], path: "Tests/ModelLibFuzzer",
            swiftSettings: settings))
}

if hasSoup {
    optionalTargets += [
        .systemLibrary(name: "CSoup", path: "Sources/CSoup"),
        // GLib, which libsoup uses, for the desktop's message bus.
        .systemLibrary(name: "CGio", path: "Sources/CGio"),
        // The page and openapi.json are embedded by files.c.
        .target(name: "CServerFiles", path: "Sources/ServerFiles", exclude: ["openapi.json", "page"]),
        .target(
            name: "WhisperServer", dependencies: ["WhisperEngine", "CSoup", "CServerFiles", "CMalloc"],
            path: "Sources/Server",
            swiftSettings: serverSettings),
    ]
    serverTests = [
        .testTarget(
            name: "ServerTests", dependencies: ["WhisperServer", "WhisperEngine"], path: "Tests/ServerTests",
            swiftSettings: serverTestSettings)
    ]
}

// All symbols are resolved at startup, and their addresses are read-only from then on (full RELRO). A static program
// does not search the toolchain's folder for libraries.
let linksStatically = Context.environment["WHISPER_LOCAL_STATIC"] == "1"
let linkerOptions =
    ["relro", "now"].flatMap { ["-Xlinker", "-z", "-Xlinker", $0] }
    + (linksStatically ? ["-static-stdlib", "-no-toolchain-stdlib-rpath"] : [])

// The library for other languages, `libwhisper_local.so` (scripts/library.sh). It contains the Swift runtime, exports only
// the functions of its header, and is never unloaded, because the runtime's threads never end. Swift 6.2 cannot compare
// functions with a header.
var libraryProducts: [Product] = []
#if compiler(>=6.3)
    let exports = "\(Context.packageDirectory)/Sources/CWhisperLocal/exports.map"
    let libraryOptions =
        ["-static-stdlib", "-no-toolchain-stdlib-rpath", "-use-ld=lld"]
        + [
            "-soname=libwhisper_local.so.0", "--version-script=\(exports)", "--as-needed", "-z", "nodelete", "-z",
            "relro", "-z", "now",
        ].flatMap { ["-Xlinker", $0] }
    optionalTargets += [
        .systemLibrary(name: "CWhisperLocal", path: "Sources/CWhisperLocal"),
        .target(
            name: "CInterface",
            dependencies: ["CWhisperLocal", "BuildRecord"]
                + modules(engineModules.filter { !["Sessions", "Tools"].contains($0) }),
            path: "Sources/CInterface", swiftSettings: settings, linkerSettings: [.unsafeFlags(libraryOptions)]),
    ]
    libraryProducts.append(.library(name: "whisper_local", type: .dynamic, targets: ["CInterface"]))
#endif

// The tests, a target for each module of the engine with tests. WHISPER_LOCAL_TESTS=Streaming,Server declares only these
// (CLI is the command line), so that nothing else has to be compiled (scripts/test.sh --only).
let testsAlsoUse: [String: [String]] = [
    "Weights": ["Compute", "Whisper"], "Compute": ["Whisper"], "Transcripts": ["Audio"],
    "Streaming": ["Weights", "Whisper"], "Transcription": ["Whisper"], "Alignment": ["Compute"],
    "Parakeet": ["Whisper", "Installed", "Transcription", "Streaming"],
]
let testTargets: [Target] =
    engineModules.filter { !["Models", "Installed"].contains($0) }.map { name in
        .testTarget(
            name: "Engine\(name)Tests",
            dependencies: modules((uses[name] ?? []) + (testsAlsoUse[name] ?? []) + [name]) + [
                "TestModels", "TestSupport",
            ], path: "Tests/EngineTests/\(name)", swiftSettings: settings)
    } + [
        .testTarget(
            name: "CLITests", dependencies: cliTestDependencies, path: "Tests/CLITests",
            swiftSettings: serverTestSettings)
    ] + serverTests
let chosenTests = Context.environment["WHISPER_LOCAL_TESTS"].map {
    $0.split(separator: ",").flatMap { ["Engine\($0)Tests", "\($0)Tests"] }
}

let targets: [Target] = [
    .systemLibrary(name: "COpenBLAS", path: "Sources/COpenBLAS"),
    .systemLibrary(name: "CALSA", path: "Sources/CALSA"),
    .systemLibrary(name: "CSQLite", path: "Sources/CSQLite"),
    .systemLibrary(name: "CZlib", path: "Sources/CZlib"),
    .systemLibrary(name: "CMalloc", path: "Sources/CMalloc"),
    .target(name: "CKernels", path: "Sources/CKernels"),
    .target(name: "CSystemCalls", path: "Sources/CSystemCalls"),
    .target(name: "CALSAMessages", path: "Sources/CALSAMessages"),
    // The vocabularies are embedded by vocabularies.c.
    .target(
        name: "CVocabularies", path: "Sources/CVocabularies",
        exclude: ["english.vocabulary.z", "multilingual.vocabulary.z"]),
    .target(
        name: "WhisperEngine", dependencies: modules(engineModules),
        path: "Sources/Engine/WhisperEngine", swiftSettings: settings),
    .target(
        name: "WhisperEngineFoundation", dependencies: ["WhisperEngine"], path: "Sources/EngineFoundation",
        packageAccess: false, swiftSettings: strict),
    // The commands are a library, so that tests can add a family of models to them.
    .target(
        name: "WhisperCommands", dependencies: cliDependencies, path: "Sources/CLI", exclude: ["Main"],
        swiftSettings: serverSettings),
    .executableTarget(
        name: "whisper-local", dependencies: ["WhisperCommands"], path: "Sources/CLI/Main", swiftSettings: strict,
        linkerSettings: [.unsafeFlags(linkerOptions)]),
    .target(
        name: "BuildRecord", path: "Sources/BuildRecord", swiftSettings: strict, plugins: ["RecordBuild"]),
    .plugin(name: "RecordBuild", capability: .buildTool(), path: "Plugins/RecordBuild"),
    // Library users: without access to `package` declarations.
    .executableTarget(
        name: "transcribe-file", dependencies: ["WhisperEngine", "WhisperEngineFoundation"],
        path: "Examples/TranscribeFile",
        packageAccess: false, swiftSettings: strict),
    .executableTarget(
        name: "live-captions", dependencies: ["WhisperEngine"], path: "Examples/LiveCaptions",
        packageAccess: false, swiftSettings: strict),
    .executableTarget(
        name: "samples-to-srt", dependencies: ["WhisperEngine"], path: "Examples/SamplesToSRT",
        packageAccess: false, swiftSettings: strict),
    .executableTarget(
        name: "journal-writer", dependencies: ["WhisperEngine"], path: "Tests/JournalWriter",
        swiftSettings: settings),
    // Model files that tests make, damage and mutate, and the fuzzer of the readers.
    .target(
        name: "TestModels", dependencies: modules(belowModels + ["Models", "Whisper", "Parakeet", "Transcription"]),
        path: "Tests/TestModels",
        swiftSettings: settings),
    // What several targets of tests share.
    .target(
        name: "TestSupport",
        dependencies: ["TestModels"] + modules(belowModels + ["Models", "Whisper", "Transcription"]),
        path: "Tests/Support", swiftSettings: settings),
    .executableTarget(
        name: "scripted-program", dependencies: ["WhisperCommands", "WhisperEngine", "TestModels"],
        path: "Tests/ScriptedProgram", swiftSettings: serverSettings),
    .executableTarget(
        name: "model-fuzzer", dependencies: ["TestModels", "WhisperEngine"], path: "Tests/ModelFuzzer",
        swiftSettings: settings),
    .executableTarget(
        name: "capture-probe", dependencies: ["WhisperEngine"], path: "Tests/CaptureProbe",
        swiftSettings: settings),
    .executableTarget(
        name: "instruction-probe", dependencies: ["WhisperEngine"], path: "Tests/InstructionProbe",
        swiftSettings: settings),
]

let package = Package(
    name: "whisper-local",
    products: [
        .library(name: "WhisperEngine", targets: ["WhisperEngine", "WhisperEngineFoundation"]),
        .executable(name: "whisper-local", targets: ["whisper-local"]),
    ] + libraryProducts,
    targets: optionalTargets + engineTargets + targets
        + testTargets.filter { target in chosenTests.map { $0.contains(target.name) } ?? true },
    swiftLanguageModes: [.v6]
)
