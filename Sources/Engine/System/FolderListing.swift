import Glibc

/// The names in a folder.
///
/// Invariant: the stream is closed before the call returns, and each name is copied while its entry is valid.
package enum FolderListing {
    /// Names without `.` and `..`, sorted by their bytes; empty where the folder cannot be read.
    package static func names(in folder: FilePath) -> [FilePath] {
        guard let stream = unsafe opendir(folder.bytes.map { CChar(bitPattern: $0) } + [0]) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [FilePath] = []
        while let entry = unsafe readdir(stream) {
            let bytes = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe field.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
                    unsafe [UInt8](UnsafeBufferPointer(start: start, count: 256).prefix { $0 != 0 })
                }
            }
            if bytes != [0x2e] && bytes != [0x2e, 0x2e] { names.append(FilePath(bytes: bytes)) }
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }
}
