import Glibc
import WhisperEngine

/// `models remove`: deletes a model from the user's own folder.
enum ModelsRemoveCommand: Command {
    struct Options: OptionValues {
        var given: Set<String> = []
        var skipsConfirmation = false
    }

    static let manual = CommandManual(
        name: "models remove", summary: "Delete a model that was installed for this program",
        usage: ["[--yes] NAME"],
        notes: [
            "Only models in $XDG_DATA_HOME/whisper-local/models are deleted. Those in other folders belong to the programs "
                + "that put them there. Of a folder, only the files of the model are deleted."
        ],
        examples: ["base", "--yes base"])

    static let flags: [Flag<Options>] = [CommonFlags.yes(sets: \.skipsConfirmation)]

    static func run(_ options: Options, operands: [[UInt8]], context: CommandContext) async throws -> ExitStatus {
        let name = try manual.onlyOperand(of: operands, "model", "NAME")
        if name.isEmpty {
            throw UsageError.missingOperand("the model's name is empty", wanted: "whisper-local models remove NAME")
        }
        let target = try target(name, ModelCommands.search(context))
        defer { target.release() }
        context.signals.beforeAbort(target.release)
        guard try options.skipsConfirmation || context.confirms("delete", "\(target.description)") else {
            return .success
        }
        for path in target.paths {
            let rest = try remove(path)
            if rest == 0 {
                try context.streams.writeOutput("deleted \(path)\n")
            } else {
                let kept = rest == 1 ? "one entry that does not belong" : "\(rest) entries that do not belong"
                try context.streams.writeOutput("deleted the model in \(path); kept \(kept) to it\n")
            }
        }
        for part in target.parts { AtomicFile.remove(part.download.version) }
        return .success
    }

    /// Deletes a file, a link, or the files of the model in a folder, and the folder if it is empty then.
    ///
    /// - Returns: how many entries the folder still has.
    private static func remove(_ path: FilePath) throws(ModelRemovalError) -> Int {
        do throws(DiskAccess.Fault) {
            guard try DiskAccess.status(of: path, followingLinks: false).kind == .folder else {
                try DiskAccess.remove(tree: path)
                return 0
            }
            var rest = 0
            let names = try DiskAccess.names(in: path), parts = ModelState.parts(of: path, among: names)
            for name in names {
                let file = path.appending(name)
                let isFolder = try DiskAccess.status(of: file, followingLinks: false).kind == .folder
                if parts.contains(name), !isFolder { try DiskAccess.remove(tree: file) } else { rest += 1 }
            }
            if rest == 0 { try DiskAccess.remove(tree: path) }
            return rest
        } catch { throw .failed(path, code: error.code) }
    }

    /// What is deleted: a model in the user's own folder, what an interrupted download has left of it, or both.
    private struct Target {
        let model: InstalledModel?
        /// With their locks, which keep downloads from continuing them.
        let parts: [(download: PartialDownload, lock: LockFile)]

        var paths: [FilePath] { (model.map { [$0.path] } ?? []) + parts.map(\.download.path) }

        func release() {
            for part in parts { part.lock.release() }
        }

        /// `PATH (148 MB) and PATH.part (45 MB)`
        var description: String {
            let files =
                (model.map { [($0.path, $0.bytes)] } ?? []) + parts.map { ($0.download.path, $0.download.bytes) }
            return files.map { "\($0) (\(ByteCount.text($1)))" }.joined(separator: " and ")
        }
    }

    private static func target(_ name: [UInt8], _ search: ModelSearch) throws -> Target {
        // Appended to a folder, a path could lead to other programs' files.
        let isPath =
            name.contains(UInt8(ascii: "/")) || [FilePath("."), FilePath("..")].contains(FilePath(bytes: name))
        if isPath {
            guard let model = search.candidates(name).first?.model else {
                throw ModelRemovalError.isPath(FilePath(bytes: name))
            }
            throw ModelRemovalError.notOwn(model)
        }
        guard let own = search.places.first(where: { $0.owner == .own }) else { throw try refusal(name, search) }
        let names = ModelCatalogue.spellings(of: name)
        let found = own.candidates(name).filter { $0.state != .onnx }.map(\.model)
        if found.count > 1, !found.contains(where: { names.contains(Array($0.name.utf8)) }) {
            throw ModelRemovalError.severalVersions(name, found.map(\.name))
        }
        let model = found.first
        var parts: [(PartialDownload, LockFile)] = []
        for download in names.compactMap({ PartialDownload(named: $0, in: own.folder) }) {
            do throws(PullError) {
                parts.append((download, try download.lock()))
            } catch {
                // A download that is running is no reason to keep the model.
                guard case .busy = error, model != nil else { throw error }
            }
        }
        if model == nil, parts.isEmpty { throw try refusal(name, search) }
        return Target(model: model, parts: parts)
    }

    /// Why nothing is deleted when the user's own folder has no such model.
    private static func refusal(_ name: [UInt8], _ search: ModelSearch) throws -> ModelRemovalError {
        let match = try search.find(named: name)
        return match.model.map { .notOwn($0) } ?? .isPath(match.path)
    }
}

/// Why a model is not deleted.
enum ModelRemovalError: ReportedError, Equatable {
    /// A path was given instead of a name.
    case isPath(FilePath)
    /// The model is in a folder of another program.
    case notOwn(InstalledModel)
    /// The name stands for several models, and no one is called so.
    case severalVersions([UInt8], [String])
    case failed(FilePath, code: Int32)

    var report: ErrorReport {
        switch self {
        case .isPath(let path):
            ErrorReport(
                .usage, "\(path) is a path, not the name of an installed model",
                advice: "use a name that `whisper-local models list` shows")
        case .notOwn(let model):
            ErrorReport(
                .notPermitted,
                "not deleting model \(ShellQuoting.inQuotes(model.name.utf8)): \(model.path) is in \(model.origin)",
                advice: model.place.owner == .huggingFace
                    ? "hf cache rm model/\(model.repository ?? model.name)" : "delete \(model.path) yourself")
        case .severalVersions(let name, let versions):
            ErrorReport(
                .usage,
                "\(ShellQuoting.inQuotes(name)) stands for several models: \(versions.joined(separator: ", "))",
                advice: "give the full name of one of them")
        case .failed(let path, let code):
            ErrorReport(
                [EACCES, EPERM, EROFS].contains(code) ? .notPermitted : .inputOutput,
                "cannot delete \(path)", advice: "check its permissions and those of its folder")
        }
    }
}
