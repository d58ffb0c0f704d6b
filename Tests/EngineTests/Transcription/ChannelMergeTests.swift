import Testing

@Suite("Channels in chronological order")
struct ChannelMergeTests {
    /// The finals among the updates, as `speaker start text`.
    private func finals(_ log: UpdateLog) -> [TranscriptSegment] {
        log.all.compactMap { if case .final(let segment) = $0 { segment } else { nil } }
    }

    private func positions(_ log: UpdateLog) -> [Double] {
        log.all.compactMap { if case .progress(let position, _) = $0 { position } else { nil } }
    }

    @Test("finals are stably sorted by start, then channel, however the channels take turns")
    func order() {
        for seed in 0..<200 {
            var random = SplitMix64(seed: UInt64(seed))
            let count = Int.random(in: 1...4, using: &random)
            // Starts repeat, within a channel and between channels.
            let channels = (0..<count).map { channel in
                (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0...20, using: &random) }
                    .sorted().enumerated().map { index, start in
                        WriterFixture.segment(
                            "\(channel).\(index) ", from: Double(start), to: Double(start) + 3, id: index)
                    }
            }
            let expected = channels.enumerated().flatMap { channel, list in list.map { (channel, $0) } }
                .enumerated().sorted { ($0.1.1.start, $0.0) < ($1.1.1.start, $1.0) }.map(\.element)

            let log = UpdateLog()
            let merge = ChannelMerge(speakers: (0..<count).map { "s\($0)" }, language: "en", updates: log.add)
            var rest = channels.map { $0[...] }
            var active = Array(channels.indices)
            while let channel = active.randomElement(using: &random) {
                let updates = merge.updates(of: channel)
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    if let segment = rest[channel].popFirst() { updates(.final(segment)) }
                }
                updates(.progress(position: rest[channel].first?.start ?? 20, duration: 24))
                if rest[channel].isEmpty {
                    merge.finish(channel)
                    active.removeAll { $0 == channel }
                }
                // What has been reported never changes.
                let so = finals(log)
                #expect(so.map(\.text) == expected.prefix(so.count).map(\.1.text))
            }
            merge.finish()
            let all = finals(log)
            #expect(all.map(\.text) == expected.map(\.1.text))
            #expect(all.map(\.speaker) == expected.map { "s\($0.0)" })
            #expect(all.map(\.id) == Array(all.indices))
            #expect(all == merge.transcript(duration: 24).segments)
            #expect(positions(log) == positions(log).sorted())
            #expect(positions(log).last == 24)
        }
    }

    @Test("a segment is held back only while another channel may have an earlier one")
    func heldBack() {
        let log = UpdateLog()
        let merge = ChannelMerge(speakers: ["a", "b"], language: "en", updates: log.add)
        let (first, second) = (merge.updates(of: 0), merge.updates(of: 1))
        first(.final(WriterFixture.segment("one", from: 5)))
        #expect(finals(log).isEmpty)
        second(.progress(position: 4, duration: 10))
        #expect(finals(log).isEmpty)
        second(.progress(position: 5, duration: 10))
        #expect(finals(log).map(\.text) == ["one"])
        second(.final(WriterFixture.segment("two", from: 6)))
        first(.progress(position: 6, duration: 10))
        // The first channel may still have a segment that starts at the same time.
        #expect(finals(log).map(\.text) == ["one"])
        merge.finish()
        #expect(finals(log).map(\.text) == ["one", "two"])
    }

    @Test("each final has the language of its channel, given or detected", arguments: [nil, "de"])
    func languages(given: String?) {
        let log = UpdateLog()
        let merge = ChannelMerge(speakers: ["a", "b"], language: given, updates: log.add)
        for (channel, code) in ["fr", "en"].enumerated() {
            let updates = merge.updates(of: channel)
            if given == nil { updates(.language(code: code, probability: 0.5)) }
            for start in [0.0, 4] { updates(.final(WriterFixture.segment(code, from: start + Double(channel)))) }
        }
        merge.finish()
        #expect(finals(log).map(\.text) == ["fr", "en", "fr", "en"])
        let expected = given.map { [$0, $0, $0, $0] } ?? ["fr", "en", "fr", "en"]
        #expect(finals(log).map(\.language) == expected)
        #expect(merge.transcript(duration: 8).language == given ?? "fr")
    }

    @Test("volatile text, the detected language and events have their speaker")
    func speakers() throws {
        let log = UpdateLog()
        let merge = ChannelMerge(speakers: ["a", "b"], language: nil, updates: log.add)
        let (first, second) = (merge.updates(of: 0), merge.updates(of: 1))
        second(.volatile(WriterFixture.segment("one")))
        second(.language(code: "fr", probability: 0.5))
        first(.event(TranscriptUpdate.Event(.silence)))
        guard case .volatile(let segment?) = log.all.first else {
            Issue.record("no volatile text")
            return
        }
        #expect(segment.speaker == "b")
        #expect(
            Array(log.all.dropFirst()) == [
                .language(code: "fr", probability: 0.5, speaker: "b"),
                .event(TranscriptUpdate.Event(.silence, speaker: "a")),
            ])
        #expect(merge.transcript(duration: 0).segments.isEmpty)
    }
}
