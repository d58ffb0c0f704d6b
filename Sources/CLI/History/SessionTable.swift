import WhisperEngine

/// Sessions as rows of text or as JSON.
enum SessionTable {
    private static let widestName = 40

    static func text(_ sessions: [StoredSession]) -> String {
        let head = ["NAME", "STARTED (UTC)", "LENGTH", "FINALS", "STATE", "MODEL", "ID"]
        let rows = sessions.map { session in
            [
                ShellQuoting.quoted(session.title), started(session), length(session), "\(session.finals)",
                state(session), ShellQuoting.quoted(session.model),
                ShellQuoting.quoted(Array(session.id.description.utf8.prefix(8))),
            ]
        }
        var widths = head.map(DisplayWidth.columns)
        for row in rows {
            for (column, text) in row.enumerated() {
                widths[column] = max(widths[column], DisplayWidth.columns(of: text))
            }
        }
        widths[0] = min(widths[0], widestName)
        return ([head] + rows).map { row in
            let cells = row.enumerated().map { column, text in
                let blanks = String(repeating: " ", count: max(0, widths[column] - DisplayWidth.columns(of: text)))
                // Numbers to the right.
                return column == 2 || column == 3 ? blanks + text : text + blanks
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    static func json(_ sessions: [StoredSession]) -> String {
        JSONText.array(
            sessions.map { session in
                JSONText.object([
                    ("id", JSONText.string(session.id.description)), ("name", JSONText.string(session.title)),
                    ("started", JSONText.string(session.created)), ("ended", JSONText.string(session.closed)),
                    ("state", JSONText.string(state(session))), ("length", JSONText.number(seconds(session))),
                    ("finals", "\(session.finals)"), ("source", JSONText.string(session.source)),
                    ("model", JSONText.string(session.model)), ("language", JSONText.string(session.language)),
                ])
            }) + "\n"
    }

    /// `2026-03-01 12:00:05`; what is no such time is shown as it stands.
    static func started(_ session: StoredSession) -> String {
        guard let time = WallTime(session.created) else { return ShellQuoting.quoted(session.created) }
        let text = time.description
        return text.prefix(10) + " " + text.dropFirst(11).prefix(8)
    }

    static func length(_ session: StoredSession) -> String { TimeSyntax.clock(seconds(session)) }

    /// `open` is one that is being recorded now: others have been recovered when the store was opened.
    static func state(_ session: StoredSession) -> String {
        session.state == .open ? "recording" : session.state.rawValue
    }

    private static func seconds(_ session: StoredSession) -> Double {
        Double(session.nextSample) / Double(AudioChunk.sampleRate)
    }
}
