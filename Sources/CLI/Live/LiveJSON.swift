package import WhisperEngine

/// The events of a live session as JSON objects, one per line.
package struct LiveJSON: Sendable {
    package let session: SessionID
    private var finals = 0

    package init(session: SessionID) { self.session = session }

    /// The first line.
    package func opening(model: String, device: String?) -> String {
        line([
            ("type", "\"session\""), ("session", JSONText.string(session.description)), ("state", "\"listening\""),
            ("model", JSONText.string(model)), ("device", JSONText.string(device)), ("sample_rate", "16000"),
        ])
    }

    /// - Returns: `nil` for updates that are not part of the output.
    package mutating func line(for update: TranscriptUpdate) -> String? {
        switch update {
        case .volatile(let segment):
            return line([("type", "\"volatile\""), ("segment", segment.map(object) ?? "null")])
        case .final(let segment):
            finals += 1
            return line([("type", "\"final\""), ("segment", object(segment))])
        case .status(let status):
            var members = [
                ("type", "\"status\""), ("clock", JSONText.number(status.clock)),
                ("decoded", JSONText.number(status.decoded)), ("lag", JSONText.number(status.lag)),
                ("level_dbfs", status.levelDBFS.map { JSONText.number($0, decimals: 10) } ?? "null"),
                ("speech", status.speech ? "true" : "false"), ("state", "\"\(status.state.rawValue)\""),
            ]
            if status.unsaved > 0 { members.append(("unsaved", "\(status.unsaved)")) }
            return line(members)
        case .gap(let gap):
            let reason =
                switch gap.reason {
                case .overrun: "overrun"
                case .deviceLost: "device_lost"
                }
            return line([
                ("type", "\"gap\""), ("clock", JSONText.number(gap.clock)), ("lost", JSONText.number(gap.lost)),
                ("reason", "\"\(reason)\""),
            ])
        case .language(let code, let probability, _):
            return line([
                ("type", "\"language\""), ("language", JSONText.string(code)),
                ("probability", JSONText.number(probability)),
            ])
        case .progress, .event: return nil
        }
    }

    /// The last line.
    package func closing(_ status: SessionStatus) -> String {
        line([
            ("type", "\"session\""), ("session", JSONText.string(session.description)),
            ("state", "\"\(status.state.rawValue)\""), ("clock", JSONText.number(status.clock)),
            ("finals", "\(finals)"),
        ])
    }

    private func object(_ segment: TranscriptSegment) -> String {
        JSONText.object(
            [
                ("id", "\(segment.id)"), ("session", JSONText.string((segment.session ?? session).description)),
                ("start", JSONText.number(segment.start)), ("end", JSONText.number(segment.end)),
                ("text", JSONText.string(segment.text)), ("words", JSONText.array((segment.words ?? []).map(object))),
                ("language", JSONText.string(segment.language)), ("final", segment.isFinal ? "true" : "false"),
                ("utterance", "\(segment.utterance)"),
            ] + speaker(segment.speaker))
    }

    /// Finals have the key if speakers are identified.
    private func speaker(_ name: String?) -> [(key: String, value: String)] {
        name.map { [("speaker", JSONText.string($0))] } ?? []
    }

    private func object(_ word: TranscriptWord) -> String {
        JSONText.object(
            [
                ("word", JSONText.string(word.word)), ("start", JSONText.number(word.start)),
                ("end", JSONText.number(word.end)), ("probability", JSONText.number(word.probability)),
            ] + speaker(word.speaker))
    }

    private func line(_ members: [(key: String, value: String)]) -> String { JSONText.object(members) + "\n" }
}
