package import EngineBasics
import Synchronization

/// The samples of a whole recording as 16-bit numbers: one thread appends, others read.
///
/// Up to 4 MiB (two minutes) stay in memory. Beyond that, samples go to an unnamed temporary file, which disappears with
/// the process, and which moves to another folder when its own is full; if no folder allows one, they stay in memory.
package final class SampleStore: Sendable {
    /// Bytes kept in memory before a file is used.
    package static let memoryBytes = 4 << 20

    private struct State {
        var count = 0
        /// Samples not yet written to the file.
        var memory: [Int16] = []
        var file: ScratchFile?
        var triedFile = false
    }

    private let state = Mutex(State())
    private let folders: [FilePath]
    private let limit: Int

    package init(folders: [FilePath] = ScratchFile.defaultFolders, memoryBytes: Int = SampleStore.memoryBytes) {
        self.folders = folders
        limit = memoryBytes / 2
    }

    /// Number of samples stored.
    package var count: Int { state.withLock(\.count) }
    /// Whether a file is in use.
    package var isOnDisk: Bool { state.withLock { $0.file != nil } }

    /// Appends samples, rounded to multiples of 1/32768.
    ///
    /// - Parameter samples: -1…1.
    package func append(_ samples: [Float]) throws(SampleStoreError) {
        try state.withLock { state throws(SampleStoreError) in
            SampleKernels.append(samples, to: &state.memory)
            state.count += samples.count
            if state.memory.count > limit { try spill(&state) }
        }
    }

    /// Returns the samples of a range, which is clamped to what is stored.
    package func read(_ range: Range<Int>) throws(SampleStoreError) -> [Float] {
        try state.withLock { state throws(SampleStoreError) in
            let range = range.clamped(to: 0..<state.count)
            let stored = state.count - state.memory.count
            var samples: [Float] = []
            samples.reserveCapacity(range.count)
            let onDisk = range.clamped(to: 0..<stored)
            if let file = state.file, !onDisk.isEmpty {
                let bytes = try file.read(at: 2 * onDisk.lowerBound, count: 2 * onDisk.count)
                let values = SampleKernels.floats(ofLittle16: bytes)
                if values.count == range.count { return values }
                samples += values
            }
            for index in range.clamped(to: stored..<state.count) {
                samples.append(Float(state.memory[index - stored]) / 32768)
            }
            return samples
        }
    }

    /// Moves the samples in memory to the file.
    private func spill(_ state: inout State) throws(SampleStoreError) {
        if !state.triedFile {
            state.triedFile = true
            state.file = ScratchFile(in: folders)
        }
        guard let file = state.file else { return }
        let stored = 2 * (state.count - state.memory.count)
        do {
            try file.write(state.memory, at: stored)
        } catch {
            guard case .diskFull = error,
                let other = file.moved(to: folders, count: stored, room: 2 * state.memory.count)
            else { throw error }
            try other.write(state.memory, at: stored)
            state.file = other
        }
        state.memory.removeAll(keepingCapacity: true)
    }
}

/// An error while storing samples in a temporary file or reading them back; names the folder.
package enum SampleStoreError: Error, Equatable, Sendable {
    case diskFull(FilePath)
    case writeFailed(FilePath)
    case readFailed(FilePath)
}

extension SampleStoreError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .diskFull(let folder): "no space left in \(folder) for the samples of a long recording"
        case .writeFailed(let folder): "cannot write the samples of a long recording to a temporary file in \(folder)"
        case .readFailed(let folder):
            "cannot read back the samples of a long recording from a temporary file in \(folder)"
        }
    }
}
