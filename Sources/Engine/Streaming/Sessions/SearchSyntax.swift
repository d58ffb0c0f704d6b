/// How the words of a search are meant.
package enum SearchSyntax: Sendable, Hashable {
    /// All the words, in any order, without regard to case and accents.
    case words
    /// A query in FTS5's own language.
    case raw
    /// The letters as they stand, anywhere, for languages without spaces.
    case substring
}
