package import EngineBasics
import EngineWeights

/// A model in one file in a folder: some of NVIDIA's repositories have no other.
package enum ParakeetFileInFolder {
    private static let endings = ["nemo", "gguf"]

    /// Whether a file has the name of such a model.
    package static func isName(_ name: FilePath) -> Bool { endings.contains(name.lowercasedExtension) }

    /// The names of the readable files of this kind, sorted; none in a folder with another family's model.
    package static func names(in folder: FilePath) -> [FilePath] {
        guard case .success(let names) = FileSystem.names(in: folder), names.contains(where: isName),
            !names.contains(where: { ["bin", "pt"].contains($0.lowercasedExtension) }),
            ParakeetSettings.modelType(of: folder) == nil || ParakeetFolder.recognizes(folder)
        else { return [] }
        return names.filter { isName($0) && isModel(folder.appending($0)) }
    }

    private static func isModel(_ path: FilePath) -> Bool {
        GGUFFile.recognizes(path) || ParakeetNeMoFile.recognizes(path)
    }

    /// The file to use: NVIDIA names the versions of a model `NAME.nemo` and `NAME.q8_0.gguf`, of which the one with the
    /// shortest name has the most precise weights.
    ///
    /// - Returns: `nil` if there is none.
    /// - Throws: `ModelError.severalModels` if they are not versions of one model.
    static func path(in folder: FilePath) throws(ModelError) -> FilePath? {
        let names = names(in: folder)
        let versions = names.filter { version in names.allSatisfy { $0.bytes.starts(with: version.stem.bytes) } }
        guard let best = versions.first(where: { $0.lowercasedExtension == endings[0] }) ?? versions.first else {
            if names.isEmpty { return nil }
            throw .severalModels(path: folder, names: names)
        }
        return folder.appending(best)
    }
}
