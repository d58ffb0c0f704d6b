import Foundation
import Testing

/// Expected outputs in `Tests/Fixtures/cli`. With `RECORD=1` they are rewritten and the test fails, so that the change is
/// noticed.
enum Fixtures {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/cli")

    static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    static func expect(_ text: String, equals name: String, _ location: SourceLocation = #_sourceLocation) throws {
        let url = folder.appending(path: name)
        let expected = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        if text == expected { return }
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try Data(text.utf8).write(to: url)
            Issue.record("\(name) was rewritten", sourceLocation: location)
            return
        }
        let (actual, wanted) = (text.components(separatedBy: "\n"), expected.components(separatedBy: "\n"))
        let line = zip(actual, wanted).prefix { $0 == $1 }.count
        Issue.record(
            """
            \(name) differs from line \(line + 1) on
            expected: \(line < wanted.count ? wanted[line] : "(end)")
            found:    \(line < actual.count ? actual[line] : "(end)")
            """, sourceLocation: location)
    }
}
