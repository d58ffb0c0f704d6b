package import EngineBasics

/// The files that a run will write. Problems with them are detected before recognition starts.
package struct OutputPlan: Hashable, Sendable {
    /// An output file.
    package struct Output: Hashable, Sendable {
        package let format: OutputFormat
        package let path: FilePath
        /// `BASE.partial.EXT` in the same folder, for the incomplete transcript of a run that ends early.
        package let partialPath: FilePath
    }

    /// An input, and where its outputs go.
    package struct Source: Hashable, Sendable {
        package let input: FilePath
        /// A folder below the plan's; `nil` is that folder itself.
        package let subfolder: FilePath?
        /// Whether the names of its outputs contain its own extension, because another input, which may not be in the plan,
        /// differs from it only there.
        package let keepsExtension: Bool
        /// The path of its outputs without their extension; `nil` derives it from the input's.
        package let base: FilePath?

        package init(
            input: FilePath, subfolder: FilePath? = nil, keepsExtension: Bool = false, base: FilePath? = nil
        ) {
            (self.input, self.subfolder, self.keepsExtension, self.base) = (input, subfolder, keepsExtension, base)
        }
    }

    /// An input and its output files.
    package struct Entry: Hashable, Sendable {
        package let input: FilePath
        /// The folder of the output files.
        package let folder: FilePath
        package let outputs: [Output]
        /// `.BASE.stamp` in the same folder, which says what the outputs were made with.
        package let stampPath: FilePath
        /// `.BASE.resume` in the same folder, from which the next run goes on if this one is interrupted.
        package let resumePath: FilePath
        /// The name of the output files without their extension.
        package let recording: FilePath
    }

    /// The folders that are to exist before the first input is recognized.
    package let folders: [FilePath]
    package let entries: [Entry]
    /// Files that are read as well, and must not be replaced either.
    package var otherInputs: [FilePath] = []

    /// Derives the output names: the name of the input with another extension, or with both if only their extensions
    /// distinguish two inputs, in `folder` or its subfolder. Standard input (`-`) is named `stdin`.
    ///
    /// Does not access the disk. Remove duplicate inputs first; they have the same outputs.
    ///
    /// - Parameter folder: `nil` writes each output to the folder of its input.
    /// - Throws: `OutputError.sameOutput`, `.nameTooLong`.
    package init(sources: [Source], formats: [OutputFormat], folder: FilePath? = FilePath(".")) throws(OutputError) {
        let places = sources.map { source in
            guard source.base == nil, let folder else { return source.base?.folder ?? source.input.folder }
            return source.subfolder.map { folder.appending($0) } ?? folder
        }
        var names: [FilePath: Set<FilePath>] = [:]
        for (source, place) in zip(sources, places) {
            names[place.appending(Self.name(of: source.input)), default: []].insert(source.input.name)
        }
        var seen: Set<FilePath> = []
        folders = folder.map { [$0] } ?? places.filter { seen.insert($0).inserted }
        entries = zip(sources, places).map { source, place in
            var base = source.base?.name ?? Self.name(of: source.input)
            let isShared = source.base == nil && (names[place.appending(base)].map { $0.count > 1 } ?? false)
            if source.keepsExtension && source.base == nil || isShared, source.input != FilePath("-") {
                base = source.input.name
            }
            func hidden(_ suffix: String) -> FilePath {
                let name = Self.truncated(base, to: Self.maxNameBytes - 1 - suffix.utf8.count)
                return place.appending(FilePath(".").adding(name).adding(suffix))
            }
            return Entry(
                input: source.input, folder: place, outputs: formats.map { Self.output(base, $0, in: place) },
                stampPath: hidden(".stamp"), resumePath: hidden(".resume"), recording: base)
        }
        try checkNames()
    }

    package init(inputs: [FilePath], formats: [OutputFormat], folder: FilePath? = FilePath(".")) throws(OutputError) {
        try self.init(sources: inputs.map { Source(input: $0) }, formats: formats, folder: folder)
    }

    private static func name(of input: FilePath) -> FilePath { input == FilePath("-") ? FilePath("stdin") : input.stem }

    /// Checks the files on disk, creates the folder and removes temporary files left by killed runs.
    ///
    /// - Parameter creatingFolder: whether to create a missing folder and its parents.
    /// - Throws: `OutputError`.
    package func prepare(creatingFolder: Bool = true) throws(OutputError) {
        var exists = false
        for folder in folders where try folderExists(folder) {
            exists = true
            do { try DiskAccess.mayWrite(inFolder: folder) } catch {
                throw error.outputError(at: folder.appending("x"))
            }
        }
        if exists { try checkFiles() }
        for folder in folders where try !folderExists(folder) {
            guard creatingFolder else { throw .folderMissing(folder) }
            try Self.createFolder(folder)
        }
        for folder in folders { try AtomicFile.probe(folder: folder) }
        if exists {
            AtomicFile.removeStaleTemporaries(
                for: entries.flatMap {
                    [$0.stampPath, $0.resumePath] + $0.outputs.flatMap { [$0.path, $0.partialPath] }
                })
        }
    }

    private static func output(_ base: FilePath, _ format: OutputFormat, in folder: FilePath) -> Output {
        let suffix = "." + format.rawValue
        let partialSuffix = ".partial" + suffix
        return Output(
            format: format, path: folder.appending(base.adding(suffix)),
            partialPath: folder.appending(
                truncated(base, to: maxNameBytes - partialSuffix.utf8.count).adding(partialSuffix)))
    }

    /// Maximum length of a file name on Linux.
    static let maxNameBytes = 255

    /// Truncates a name without splitting a UTF-8 character.
    private static func truncated(_ name: FilePath, to count: Int) -> FilePath {
        var bytes = name.bytes.prefix(count)
        guard bytes.count < name.bytes.count else { return name }
        while bytes.count > 1, name.bytes[bytes.endIndex] & 0xc0 == 0x80 { bytes.removeLast() }
        return FilePath(bytes: bytes)
    }
}

// MARK: - Writing

extension OutputPlan.Entry {
    /// Whether all output files exist. A name without `.partial` always means a complete transcript.
    package var isComplete: Bool {
        outputs.allSatisfy { (try? DiskAccess.status(of: $0.path, followingLinks: true))?.kind == .file }
    }

    /// Locks the output files against other runs, and creates their folder if it is missing. Hold the lock from before
    /// recognition until after `write`.
    ///
    /// - Throws: `OutputError`, `.busy` if another run holds a lock.
    package func lock() throws(OutputError) -> OutputLock {
        var attempts = 0
        while true {
            attempts += 1
            do {
                if attempts > 1 { try OutputPlan.createFolder(folder) }
                return try OutputLock(for: outputs.map(\.path))
            } catch {
                // Also if another run that ends without results has removed the folder, because it was still empty.
                guard case .folderMissing = error, attempts < 10 else { throw error }
            }
        }
    }

    /// Removes the folder if it is empty, and then those above it, up to that of the plan.
    package func removeEmptyFolders(upTo top: FilePath) {
        var place = folder
        while place != top, place.bytes.count > top.bytes.count {
            DiskAccess.remove(emptyFolder: place)
            place = place.folder
        }
    }

    /// Writes a transcript in all formats. A complete transcript replaces the partial files of an earlier run.
    ///
    /// - Parameter isComplete: `false` writes to the `.partial` names instead.
    /// - Throws: the first error, after trying all files.
    package func write(
        _ transcript: Transcript, settings: WriterSettings = WriterSettings(), isComplete: Bool = true
    ) throws(OutputError) {
        var firstError: OutputError?
        for output in outputs {
            let text = output.format.writer(settings).text(of: output.format.content(of: transcript))
            do {
                try AtomicFile.write(Array(text.utf8), to: isComplete ? output.path : output.partialPath)
                if isComplete { AtomicFile.remove(output.partialPath) }
            } catch {
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
    }
}
