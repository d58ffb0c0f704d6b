// swift-tools-version:6.2
// Dependencies are Debian packages, found by their headers when the package is described. What is
// missing is left out of the build: the engine then reads WAV only (no FFmpeg) or multiplies with
// OpenBLAS only (no oneDNN), and `whisper-local doctor` says so.
// WHISPER_LOCAL_WITHOUT=ffmpeg,onednn leaves them out although they are installed.
// WHISPER_LOCAL_STATIC=1 links the program with the static Swift runtime, so that it runs without Swift. Only the link
// differs: `--static-swift-stdlib` would compile everything a second time.
import Foundation
import PackageDescription

let leftOut = Set((Context.environment["WHISPER_LOCAL_WITHOUT"] ?? "").split(separator: ",").map(String.init))

func isInstalled(_ name: String, header: String) -> Bool {
    let folders = [
        "/usr/include", "/usr/include/x86_64-linux-gnu", "/usr/include/aarch64-linux-gnu", "/usr/local/include",
    ]
    return !leftOut.contains(name) && folders.contains { FileManager.default.fileExists(atPath: "\($0)/\(header)") }
}

var engineDependencies: [Target.Dependency] = ["CKernels", "COpenBLAS", "CALSA", "CSQLite", "CZlib"]
var cliDependencies: [Target.Dependency] = ["WhisperEngine", "BuildRecord", "CMalloc"]
var found: [SwiftSetting] = []
var optionalTargets: [Target] = []

if isInstalled("onednn", header: "dnnl.h") {
    optionalTargets.append(.systemLibrary(name: "COneDNN", path: "Sources/COneDNN"))
    engineDependencies.append("COneDNN")
    found.append(.define("HAS_ONEDNN"))
}
if isInstalled("ffmpeg", header: "libavformat/avformat.h"), isInstalled("ffmpeg", header: "libswresample/swresample.h")
{
    optionalTargets.append(.systemLibrary(name: "CFFmpeg", path: "Sources/CFFmpeg"))
    engineDependencies.append("CFFmpeg")
    found.append(.define("HAS_FFMPEG"))
}

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let linksStatically = Context.environment["WHISPER_LOCAL_STATIC"] == "1"

let package = Package(
    name: "whisper-local",
    products: [
        .library(name: "WhisperEngine", targets: ["WhisperEngine"]),
        .executable(name: "whisper-local", targets: ["whisper-local"]),
    ],
    targets: optionalTargets + [
        .systemLibrary(name: "COpenBLAS", path: "Sources/COpenBLAS"),
        .systemLibrary(name: "CALSA", path: "Sources/CALSA"),
        .systemLibrary(name: "CSQLite", path: "Sources/CSQLite"),
        .systemLibrary(name: "CZlib", path: "Sources/CZlib"),
        .systemLibrary(name: "CMalloc", path: "Sources/CMalloc"),
        .target(name: "CKernels", path: "Sources/CKernels"),
        .target(
            name: "WhisperEngine", dependencies: engineDependencies, path: "Sources/Engine",
            swiftSettings: strict + found, linkerSettings: [.linkedLibrary("m"), .linkedLibrary("dl")]),
        .executableTarget(
            name: "whisper-local", dependencies: cliDependencies, path: "Sources/CLI", swiftSettings: strict + found,
            linkerSettings: linksStatically ? [.unsafeFlags(["-static-stdlib"])] : []),
        .target(
            name: "BuildRecord", path: "Sources/BuildRecord", swiftSettings: strict, plugins: ["RecordBuild"]),
        .plugin(name: "RecordBuild", capability: .buildTool(), path: "Plugins/RecordBuild"),
        .executableTarget(
            name: "journal-writer", dependencies: ["WhisperEngine"], path: "Tests/JournalWriter",
            swiftSettings: strict + found),
        .testTarget(
            name: "EngineTests", dependencies: ["WhisperEngine"], path: "Tests/EngineTests",
            swiftSettings: strict + found),
        .executableTarget(
            name: "capture-probe", dependencies: ["WhisperEngine"], path: "Tests/CaptureProbe",
            swiftSettings: strict + found),
        .testTarget(
            name: "CLITests", dependencies: ["WhisperEngine", "whisper-local", "capture-probe", "journal-writer"],
            path: "Tests/CLITests",
            swiftSettings: strict + found),
    ],
    swiftLanguageModes: [.v6]
)
