extension OutputPlan.Entry {
    /// All files of this input are there, and complete: a name without `.partial` always means complete.
    public var isComplete: Bool {
        outputs.allSatisfy { (try? DiskAccess.status(of: $0.path, followingLinks: true))?.kind == .file }
    }

    /// Keeps other runs from writing these files; hold it from before the recognition until after the writing.
    public func lock() throws(OutputError) -> OutputLock {
        try OutputLock(for: outputs.map(\.path))
    }

    /// Writes the files of a transcript; a complete one removes what a run that ended early has left.
    ///
    /// - Parameter isComplete: false writes the `.partial` names and leaves the intended ones alone.
    /// - Throws: the first error, after all files were tried.
    public func write(
        _ transcript: Transcript, settings: WriterSettings = WriterSettings(), isComplete: Bool = true
    ) throws(OutputError) {
        var firstError: OutputError?
        for output in outputs {
            let text = output.format.writer(settings).text(of: transcript)
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
