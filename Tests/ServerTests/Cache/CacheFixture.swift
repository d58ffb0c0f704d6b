import Foundation
import Synchronization
import WhisperEngine
import WhisperServer

/// A cache in a temporary folder, with a wall clock that the test controls.
final class CacheFixture: Sendable {
    let folder: URL
    /// Initially 2026-03-01T12:00:00.000Z.
    let time = Mutex(WallTime(milliseconds: 1_772_366_400_000))
    private let reported = Mutex<[StoreError]>([])

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "whisper-local-cache-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var path: FilePath { FilePath(folder.path + "/data/whisper-local/transcripts.db") }

    func wait(days: Int) { time.withLock { $0.milliseconds += days * 86_400_000 } }

    func cache(limit: Int = TranscriptCache.defaultLimit) throws -> TranscriptCache {
        try TranscriptCache(
            .file(path), limit: limit, wallClock: { self.time.withLock { $0 } },
            onFailure: { error in self.reported.withLock { $0.append(error) } })
    }

    /// What the caches of this fixture reported.
    var failures: [StoreError] { reported.withLock(\.self) }

    /// Size of all files of the cache.
    var bytes: Int {
        ["", "-wal", "-shm"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path.description + suffix)
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }

    /// Whether any file of the cache contains a text.
    func contains(_ text: String) -> Bool {
        ["", "-wal"].contains { suffix in
            let data = try? Data(contentsOf: URL(filePath: path.description + suffix))
            return data?.range(of: Data(text.utf8)) != nil
        }
    }

    /// The model of a file that does not exist.
    static let model = ModelStamp(name: "nano.en", path: FilePath("/nowhere"))

    /// A key for audio with this digest.
    static func key(_ audio: String, _ options: TranscriptionOptions = TranscriptionOptions()) -> CacheKey {
        CacheKey(audio: audio, model: model, options: options)
    }

    static func transcript(_ text: String) -> Transcript {
        let segment = TranscriptSegment(
            id: 0, seek: 0, start: 0.5, end: 2.25, text: " " + text, tokens: [50_363, 11, 50_463], temperature: 0,
            avgLogprob: -0.25, compressionRatio: 1.125, noSpeechProb: 0.0625)
        return Transcript(text: " " + text, language: "en", duration: 3.5, segments: [segment])
    }

    /// A text of this many bytes that differs for different numbers.
    static func longText(_ number: Int, bytes: Int) -> String {
        String(String(repeating: "\(number) words ", count: bytes / 6).prefix(bytes))
    }
}
