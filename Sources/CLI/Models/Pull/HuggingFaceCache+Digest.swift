import WhisperEngine

extension HuggingFaceCache {
    /// The digest that a downloaded file must have; `nil` for a file that is not a link to a blob. Blobs are named after
    /// the SHA-256 of a file in the hub's large file storage, or git's ID of any other file.
    static func digest(of file: FilePath) -> PublishedDigest? {
        guard let target = DiskAccess.linkTarget(of: file), target.folder.name == FilePath("blobs"),
            let name = String(validating: target.name.bytes, as: UTF8.self),
            name.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return switch name.utf8.count {
        case 64: .sha256(name)
        case 40: .gitBlob(name)
        default: nil
        }
    }
}
