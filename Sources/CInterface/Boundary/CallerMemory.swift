// Invariants: memory that a caller gets was allocated with malloc; memory that a caller lends is read only during the call,
// but for samples that the caller has agreed to leave in place, which are read only under the lock of `CallerSamples`.
import EngineAudio
import EngineBasics
import Glibc
import Synchronization

/// Copies values into memory that the caller owns, and out of it.
enum CallerMemory {
    /// The bytes of a string; `nil` for NULL.
    static func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8]? {
        guard let text = unsafe text else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// A string for the caller, up to its first zero; NULL if there is no memory.
    static func string(_ text: String) -> UnsafeMutablePointer<CChar>? {
        unsafe text.withCString { unsafe strdup($0) }
    }

    static func samples(_ start: UnsafePointer<Float>?, _ count: Int) throws(InterfaceError) -> [Float] {
        try check(unsafe start != nil, count)
        if count == 0 { return [] }
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    static func check(_ isThere: Bool, _ count: Int) throws(InterfaceError) {
        if !isThere, count > 0 { throw InterfaceError(.option, "the samples are NULL") }
        // 37 hours.
        if count < 0 || count > 1 << 31 {
            throw InterfaceError(.option, "\(UInt(bitPattern: count)) are too many samples")
        }
    }

    /// Samples for the caller; not NULL even if there are none.
    static func copy(_ samples: [Float]) throws(InterfaceError) -> UnsafeMutablePointer<Float> {
        let bytes = max(1, samples.count) * MemoryLayout<Float>.stride
        guard let memory = unsafe malloc(bytes) else {
            throw InterfaceError(.memory, "cannot allocate \(bytes >> 20) MiB: not enough memory")
        }
        let copy = unsafe memory.bindMemory(to: Float.self, capacity: max(1, samples.count))
        unsafe samples.withUnsafeBufferPointer { buffer in
            if let start = buffer.baseAddress { unsafe copy.initialize(from: start, count: buffer.count) }
        }
        return unsafe copy
    }
}

/// Samples of a caller as a source of audio: copied, or borrowed until `release`.
@safe final class CallerSamples: AudioSource {
    @safe private struct Memory: @unchecked Sendable {
        let start: UnsafePointer<Float>?
    }

    private let copy: [Float]
    /// `nil` after `release`.
    private let borrowed: Mutex<Memory?>
    private let count: Int

    /// - Parameter start: not `nil` unless `count` is 0.
    init(_ start: UnsafePointer<Float>?, _ count: Int, borrows: Bool) {
        self.count = count
        copy = unsafe borrows || count == 0 ? [] : Array(UnsafeBufferPointer(start: start, count: count))
        borrowed = unsafe Mutex(borrows && count > 0 ? Memory(start: start) : nil)
    }

    var duration: Duration? { .seconds(AudioChunk.seconds(of: count)) }

    /// Reads no more of what was borrowed.
    func release() { borrowed.withLock { $0 = nil } }

    /// Samples at a time: a second.
    private static let chunkSamples = AudioChunk.sampleRate

    private func samples(_ range: Range<Int>) -> [Float] {
        if !copy.isEmpty { return Array(copy[range]) }
        return borrowed.withLock { memory in
            guard let start = unsafe memory?.start else { return [] }
            return unsafe Array(UnsafeBufferPointer(start: start + range.lowerBound, count: range.count))
        }
    }

    func chunks() -> AsyncThrowingStream<AudioChunk, any Error> {
        let position = Position()
        return AsyncThrowingStream { [self] in
            try Task.checkCancellation()
            guard let range = position.next(Self.chunkSamples, of: count) else { return nil }
            let samples = samples(range)
            return samples.isEmpty ? nil : AudioChunk(start: range.lowerBound, samples: samples)
        }
    }

    private final class Position: Sendable {
        private let value = Mutex(0)

        func next(_ step: Int, of count: Int) -> Range<Int>? {
            value.withLock { start in
                guard start < count else { return nil }
                defer { start = min(count, start + step) }
                return start..<min(count, start + step)
            }
        }
    }
}

/// A copy of a descriptor, closed when nothing uses it any more.
final class OwnedDescriptor: Sendable {
    let number: Int32

    /// - Throws: `InterfaceError` if it is not open.
    init(copying number: Int32) throws(InterfaceError) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { throw InterfaceError(.option, "descriptor \(number) is not open") }
        self.number = copy
    }

    deinit { close(number) }
}

/// The event that was returned last; freed with its handle.
@safe final class ReturnedEvent: Sendable {
    @safe private struct Memory: @unchecked Sendable {
        let text: UnsafeMutablePointer<CChar>?
        let length: Int
    }

    private let memory = unsafe Mutex(Memory(text: nil, length: 0))

    /// Replaces the event before.
    func set(_ text: String) -> (text: UnsafePointer<CChar>?, length: Int) {
        let new = unsafe Memory(text: CallerMemory.string(text), length: text.utf8.count)
        let old = memory.withLock { memory in
            defer { memory = new }
            return memory
        }
        unsafe free(old.text)
        return unsafe (UnsafePointer(new.text), new.length)
    }

    deinit { unsafe free(memory.withLock(\.self).text) }
}

/// Where this library was loaded from.
enum LoadedLibrary {
    /// Its path; `nil` if it is unknown.
    static let path: FilePath? = {
        let address = unsafe UInt(bitPattern: unsafeBitCast(code, to: UnsafeRawPointer.self))
        let maps = try? DiskAccess.contents(of: FilePath("/proc/self/maps"), atMost: 1 << 24)
        for line in String(decoding: maps ?? [], as: UTF8.self).split(separator: "\n") {
            // Range, permissions, offset, device, inode, path.
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6 else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, bounds[0] <= address, address < bounds[1] else { continue }
            let path = fields[5].drop { $0 == " " }
            return path.first == "/" ? FilePath(String(path)) : nil
        }
        return nil
    }()

    /// A function of this library.
    private static let code: @convention(c) () -> Void = {}
}
