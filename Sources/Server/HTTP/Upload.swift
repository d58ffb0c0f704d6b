import Synchronization
package import WhisperEngine

/// An uploaded file: bytes are appended as they arrive, then it is read, usually as a recording, any number of times.
///
/// Up to 1 MiB stays in memory; a longer file goes to an unnamed temporary file, so nothing is left when the program
/// ends, no matter how it ends. When a disk is full, the file moves to another one.
package final class Upload: Sendable {
    /// Bytes kept in memory.
    package static let memoryBytes = 1 << 20

    private struct State {
        var file: ScratchFile?
        var isInMemory = true
        var count = 0
        var digest = SHA256()
        /// The digest once the upload is complete.
        var sha256: String?
        /// The layout of the samples if the recording has no header.
        var headerless: RawFormat?
    }

    private let state: Mutex<State>
    private let folders: [FilePath]
    private let room: Int

    /// - Parameters:
    ///   - room: free bytes that a folder needs to be chosen for the temporary file.
    ///   - folders: candidates for the folder of the temporary file.
    ///   - headerless: the layout of the samples if the recording has no header.
    package init(
        room: Int = 0, folders: [FilePath] = ScratchFile.privateFolders, headerless: RawFormat? = nil
    ) {
        self.room = room
        self.folders = folders
        state = Mutex(State(headerless: headerless))
    }

    /// Declares that the recording has no header, unless it begins with one.
    package func declare(_ headerless: RawFormat) { state.withLock { $0.headerless = headerless } }

    /// A complete upload of bytes in memory.
    package convenience init(_ bytes: [UInt8]) throws(HTTPError) {
        self.init()
        try append(bytes)
        finish()
    }

    /// Size in bytes.
    package var count: Int { state.withLock(\.count) }

    /// The digest of all bytes in lower-case hexadecimal.
    package var sha256: String { state.withLock { $0.sha256 ?? $0.digest.hexadecimal } }

    /// Identifies the recording: its bytes, and their layout if it is not part of them.
    package var identity: String { sha256 + (headerless.map { " \($0)" } ?? "") }

    /// Whether the bytes are in memory.
    package var isInMemory: Bool { state.withLock(\.isInMemory) }

    /// Adds bytes at the end.
    ///
    /// - Throws: 507 if the disk is full, 500 if the temporary file cannot be written.
    package func append(_ bytes: [UInt8]) throws(HTTPError) {
        guard !bytes.isEmpty else { return }
        try state.withLock { (state) throws(HTTPError) in
            do throws(SampleStoreError) {
                try write(bytes, &state)
            } catch {
                throw HTTPError(storing: error)
            }
            state.digest.update(bytes)
            state.count += bytes.count
        }
    }

    /// Declares the upload complete.
    package func finish() {
        state.withLock { $0.sha256 = $0.digest.hexadecimal }
    }

    /// Opens the upload as a recording. Every source reads from the start, independently of the others.
    package func open() throws(AudioFormatError) -> any AudioSource {
        // Not the client's file name: this one may appear in messages and logs.
        let name = FilePath("recording")
        guard let file = state.withLock(\.file) else { throw .emptyFile(name) }
        return try file.openAudio(name: name, options: AudioOptions(raw: hasHeader ? nil : headerless))
    }

    private var headerless: RawFormat? { state.withLock(\.headerless) }

    /// Whether the recording begins with the mark of a format: some programs declare a type that does not fit.
    private var hasHeader: Bool {
        guard headerless != nil, let head = try? bytes(0..<16) else { return true }
        return [.wave, .media].contains(FileKind(head: head))
    }

    /// The bytes of a range, which is clamped to what there is.
    package func bytes(_ range: Range<Int>) throws(HTTPError) -> [UInt8] {
        let (file, count) = state.withLock { ($0.file, $0.count) }
        let range = range.clamped(to: 0..<count)
        guard let file, !range.isEmpty else { return [] }
        do throws(SampleStoreError) {
            return try file.read(at: range.lowerBound, count: range.count)
        } catch {
            throw HTTPError(storing: error)
        }
    }

    private func write(_ bytes: [UInt8], _ state: inout State) throws(SampleStoreError) {
        if state.isInMemory, state.count + bytes.count <= Self.memoryBytes {
            if state.file == nil { state.file = ScratchFile.inMemory() }
            do throws(SampleStoreError) {
                if let file = state.file { return try file.write(bytes, at: state.count) }
            } catch {
                // The memory budget is used up, so it goes to disk.
            }
        }
        if state.isInMemory {
            guard let onDisk = ScratchFile(in: folders, room: room) else { throw .writeFailed(FilePath("/tmp")) }
            if let file = state.file, state.count > 0 {
                try onDisk.write(file.read(at: 0, count: state.count), at: 0)
            }
            state.file = onDisk
            state.isInMemory = false
        }
        do throws(SampleStoreError) {
            try state.file?.write(bytes, at: state.count)
        } catch {
            // The disk may have filled up meanwhile.
            guard case .diskFull = error,
                let other = state.file?.moved(to: folders, count: state.count, room: bytes.count)
            else { throw error }
            try other.write(bytes, at: state.count)
            state.file = other
        }
    }
}

extension HTTPError {
    /// The recording, or a field that contains one, is longer than allowed.
    ///
    /// - Parameter limit: bytes.
    package static func tooLarge(limit: Int, param: String = "file") -> HTTPError {
        let size = limit >= 1 << 20 ? "\(limit >> 20) MiB" : "\(limit) bytes"
        return HTTPError(
            413, "The recording is larger than \(size), the limit of this server (--max-upload).",
            code: "request_too_large", param: param)
    }

    /// An upload that cannot be stored. Only the log names the folder: it is none of the client's business.
    init(storing error: SampleStoreError) {
        switch error {
        case .diskFull(let folder):
            self.init(
                507, "There is no space left on the server for this recording. Try again later.",
                type: "server_error", code: "insufficient_storage")
            cause = "no space left in \(folder), nor in other folders for temporary files"
        case .writeFailed(let folder), .readFailed(let folder):
            self.init(
                500, "The server could not store the recording. Try again.", type: "server_error",
                code: "internal_error")
            cause = "cannot use temporary files in \(folder)"
        }
    }
}
