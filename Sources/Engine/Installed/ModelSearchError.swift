public import EngineBasics

/// Why a model cannot be located.
public enum ModelSearchError: Error, Equatable, Sendable {
    case notInstalled(ModelAbsence)
    /// All models of this name are folders without weights.
    case incomplete(InstalledModel)
    case noPath(FilePath)
    case notPermitted(FilePath)
}

extension ModelSearchError: CustomStringConvertible {
    /// What is wrong, in one line.
    public var description: String {
        switch self {
        case .notInstalled(let absence): absence.description
        case .incomplete(let model):
            "model \(ShellQuoting.inQuotes(model.name.utf8)) is incomplete: files are missing in \(model.path)"
        case .noPath(let path): "no such model file: \(path)"
        case .notPermitted(let path): "cannot read the model \(path): permission denied"
        }
    }
}

/// A name that no installed model has.
public struct ModelAbsence: Sendable, Hashable {
    package let name: [UInt8]
    /// The names of the installed models.
    package let installed: [String]

    package init(name: [UInt8], installed: [String]) {
        self.name = name
        self.installed = installed
    }

    fileprivate var description: String {
        "model \(ShellQuoting.inQuotes(name)) is not installed"
            + (nearest.map { "; did you mean \(ShellQuoting.inQuotes($0.utf8))?" } ?? "")
            + " (installed: \(installed.isEmpty ? "none" : installed.map { ShellQuoting.quoted($0) }.joined(separator: ", ")))"
    }

    private var word: String { String(decoding: name, as: UTF8.self) }

    /// The most similar name of an installed or published model; `nil` if the name itself is that of a published one.
    private var nearest: String? {
        if ModelCatalogue.model(named: word) != nil { return nil }
        return Suggestion.nearest(to: word, among: installed + ModelCatalogue.models.flatMap(\.names))
    }

    /// The published model that was probably meant and is not installed.
    package var download: PublishedModel? {
        guard let nearest else { return ModelCatalogue.model(named: word) }
        return ModelCatalogue.model(named: nearest).flatMap { installed.contains(where: $0.isNamed) ? nil : $0 }
    }
}
