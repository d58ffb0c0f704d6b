public import EngineBasics

/// A vocabulary that cannot be used.
public enum VocabularyError: Error, Equatable, Sendable {
    case missing(file: FilePath)
    case notPermitted(file: FilePath)
    case unreadable(file: FilePath)
    case tooLarge(file: FilePath)
    /// An entry is wrong. Lines, and characters in them, count from 1.
    case invalid(file: FilePath?, line: Int, column: Int, Problem)

    /// What is wrong with an entry.
    public enum Problem: Equatable, Sendable {
        case notText
        case controlCharacter
        case tooManyEntries
        /// Longer than this many characters.
        case tooLong(limit: Int)
        case noTerm
        case noLetters
        case badWeight(String)
        case weightTwice
        case emptySound
        case nothingHeard
        /// Two `=>` in a line.
        case writtenTwice
        case noReplacement
        case badPattern(String)
    }
}

extension VocabularyError: CustomStringConvertible {
    /// `what is wrong and where; what to do`.
    public var description: String {
        switch self {
        case .missing(let file): "no such vocabulary: \(file); write one term a line into this file, or leave it out"
        case .notPermitted(let file):
            "cannot read the vocabulary \(file): permission denied; change its permissions, or run as a user who may read it"
        case .unreadable(let file): "cannot read the vocabulary \(file); name a text file with one term a line"
        case .tooLarge(let file):
            "the vocabulary \(file) is larger than \(UserVocabulary.maxBytes >> 20) MiB; leave out what you need least"
        case .invalid(nil, _, _, let problem): problem.description
        case .invalid(let file?, let line, let column, let problem):
            "\(file), line \(line), column \(column): \(problem.description)"
        }
    }
}

extension VocabularyError.Problem: CustomStringConvertible {
    /// `what is wrong; what to do`.
    public var description: String {
        switch self {
        case .notText: "not UTF-8 text; save the file as UTF-8"
        case .controlCharacter: "a control character; remove it"
        case .tooManyEntries:
            "more than \(UserVocabulary.maxEntries) entries; leave out those that are said least"
        case .tooLong(let limit): "longer than \(limit) characters; write the part that is misheard"
        case .noTerm: "no term; write it before the ~ or the ^"
        case .noLetters: "neither a letter nor a digit; write a term as it is spoken"
        case .badWeight(let text):
            "\(ShellQuoting.inQuotes(text.utf8)) is no weight; write ^ and a number from "
                + "\(UserVocabulary.weights.lowerBound) to \(Int(UserVocabulary.weights.upperBound)), such as ^2"
        case .weightTwice: "two weights; write one"
        case .emptySound: "a sound is missing; write ~ and what is heard, separated by commas"
        case .nothingHeard: "nothing is heard; write heard => written"
        case .writtenTwice: "two =>; write one rule a line"
        case .noReplacement: "no => after the expression; write /expression/ => text"
        case .badPattern(let reason): reason
        }
    }
}
