package import WhisperEngine

/// Where the outputs of a listed recording go, below the output folder: the folders of its path, and its name without the
/// extension.
package struct OutputPlace: Hashable, Sendable {
    /// `nil` if the path has no folders.
    package let folder: FilePath?
    package let base: FilePath

    /// `a/b/talk.wav` and `/a/./b/talk.wav` go to `a/b`. `..` removes the preceding folder, if any.
    package init(of path: FilePath) {
        let slash = UInt8(ascii: "/")
        var folders: [ArraySlice<UInt8>] = []
        for part in path.folder.bytes.split(separator: slash) {
            if part.elementsEqual("..".utf8) {
                _ = folders.popLast()
            } else if !part.elementsEqual(".".utf8) {
                folders.append(part)
            }
        }
        folder = folders.isEmpty ? nil : FilePath(bytes: folders.joined(separator: [slash]))
        base = path.stem
    }
}
