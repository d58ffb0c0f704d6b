import Foundation
import TestModels
import WhisperEngine

/// The child process, which opens mutants until one ends it.
struct Worker {
    private let folder: String
    private let seed: Int
    private let indices: Range<Int>
    private let seconds: Int
    private let formats: [ModelFiles.Format]

    static let progressName = "progress"
    static let modelName = "model"

    init(_ arguments: [String]) throws {
        let numbers = arguments[2...5].compactMap(Int.init)
        guard numbers.count == 4, numbers[1] <= numbers[2] else { throw Options.Problem(description: "bad arguments") }
        folder = arguments[1]
        (seed, indices, seconds) = (numbers[0], numbers[1]..<numbers[2], numbers[3])
        formats = try Options.formats(arguments[6])
    }

    func run() throws {
        let mutator = try ModelMutator()
        let progress = unsafe open("\(folder)/\(Self.progressName)", O_RDWR | O_CREAT | O_TRUNC, 0o600)
        var tally = Tally()
        tally.index = -1
        tally.write(to: progress)
        let target = ModelTarget(folder: FilePath("\(folder)/\(Self.modelName)"))
        var trial = try ModelTrial(target, originals: mutator.originals)
        let end = ContinuousClock.now + .seconds(seconds)
        for index in indices {
            if index % 64 == 0, seconds > 0, ContinuousClock.now >= end { break }
            tally.index = index
            tally.write(to: progress)
            let format = formats[index % formats.count]
            let outcome = try trial.run(mutator.mutant(format, seed: seed, index: index)).outcome
            tally.count(format, outcome.depth)
        }
        tally.index = indices.upperBound
        tally.write(to: progress)
    }
}

/// Opens a single model, in the same way as a mutant.
enum Opening {
    static func run(_ path: String) throws {
        let url = URL(filePath: path)
        let model = try Self.model(at: url)
        let folder = FileManager.default.temporaryDirectory.appending(path: "model-fuzzer-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let originals = [ModelFiles(.ggml, [.init("model.bin", GGMLContents(width: 1).bytes)])]
        var trial = try ModelTrial(ModelTarget(folder: FilePath(folder.path)), originals: originals)
        let (outcome, bytes) = try trial.run(model)
        switch outcome {
        case .loaded: print("loaded")
        case .rejected(let error): print("rejected: \(error.description.replacing(folder.path + "/0", with: path))")
        }
        print("\(bytes >> 10) KiB of memory")
    }

    /// The files in a folder, or a single file.
    static func model(at url: URL) throws -> ModelFiles {
        let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false
        let urls =
            isFolder ? try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil) : [url]
        let files = try urls.filter { ModelFiles.names.contains($0.lastPathComponent) }
            .sorted { $0.path < $1.path }
            .map { ModelFiles.File($0.lastPathComponent, try [UInt8](Data(contentsOf: $0))) }
        guard !files.isEmpty else { throw Options.Problem(description: "no model files in \(url.path)") }
        return ModelFiles(.ggml, files)
    }
}
