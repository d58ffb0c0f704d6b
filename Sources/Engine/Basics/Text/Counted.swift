/// Numbers of things in messages.
package enum Counted {
    /// `1 file`, `2 files`; for nouns whose plural is formed with an s.
    package static func text(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
