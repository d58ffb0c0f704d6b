import Glibc

/// Why a file could not be mapped.
package enum FileError: Error, Equatable, Sendable {
    case noSuchFile
    case notPermitted
    case isFolder
    case notRegular
    case failed(errno: Int32)
}

/// A file's bytes, mapped for reading.
///
/// Invariant: the mapping is read-only and lives as long as this object; every access is checked against its length.
@safe
package final class MappedFile: @unchecked Sendable {
    package let count: Int
    private let base: UnsafeRawPointer?

    package init(_ path: FilePath) throws(FileError) {
        var name = path.bytes.map { CChar(bitPattern: $0) }
        name.append(0)
        let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR, ELOOP: throw .noSuchFile
            case EACCES, EPERM: throw .notPermitted
            default: throw .failed(errno: errno)
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .failed(errno: errno) }
        if status.st_mode & S_IFMT == S_IFDIR { throw .isFolder }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        count = Int(status.st_size)
        if count == 0 {
            unsafe base = nil
            return
        }
        let mapped = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
        guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else { throw .failed(errno: errno) }
        unsafe base = UnsafeRawPointer(mapped)
    }

    deinit {
        if let base = unsafe base { unsafe munmap(UnsafeMutableRawPointer(mutating: base), count) }
    }

    /// The bytes of `range`, `nil` if it leaves the file.
    package func bytes(_ range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        guard let base = unsafe base else { return [] }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// A little-endian number at `offset`, `nil` if it leaves the file.
    package func integer<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type) -> T? {
        guard offset >= 0, offset <= count - MemoryLayout<T>.size, let base = unsafe base else { return nil }
        return T(littleEndian: unsafe (base + offset).loadUnaligned(as: T.self))
    }

    /// Gives `body` the bytes of `range`; the pointer must not leave it.
    func withBytes<R>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "bytes \(range) of \(count)")
        return unsafe body(UnsafeRawBufferPointer(start: base.map { unsafe $0 + range.lowerBound }, count: range.count))
    }
}
