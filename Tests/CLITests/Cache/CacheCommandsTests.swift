#if HAS_SOUP
    import Foundation
    import Testing
    import WhisperEngine
    import WhisperServer

    @Suite("Cache commands")
    struct CacheCommandsTests {
        private let scratch: Program.Scratch

        init() throws { scratch = try Program.Scratch() }

        private static let defaultPlace = ".home/.cache/whisper-local/transcripts.db"

        /// Stores a transcript created `daysAgo` days ago and found `hits` times.
        private func store(_ text: String, daysAgo: Int, hits: Int, in file: String = defaultPlace) async throws {
            let time = WallTime(milliseconds: WallTime.now.milliseconds - daysAgo * 86_400_000 - 1000)
            let path = FilePath(scratch.url.path + "/" + file)
            let cache = try TranscriptCache(.file(path), wallClock: { time })
            let model = ModelStamp(name: "nano.en", path: FilePath("/nowhere"))
            let key = CacheKey(audio: text, model: model, options: TranscriptionOptions())
            let transcript = Transcript(text: text, language: "en", duration: 65, segments: [])
            await cache.store(transcript, key, seconds: 10, aliases: ["youtube:\(text)", "sha256:\(text)"])
            for _ in 0..<hits { _ = await cache.lookup(key) }
        }

        private func run(_ script: String) throws -> Program.Outcome { try Program.shell(script, in: scratch) }

        @Test("the list shows sizes, ages, counts and the time saved, but no text")
        func list() async throws {
            try await store("older text", daysAgo: 40, hits: 0)
            try await store("text", daysAgo: 3, hits: 2)
            let outcome = try run("whisper-local cache list | tr -s ' '")
            #expect(
                outcome.output == """
                    MODEL LANGUAGE LENGTH SIZE MADE USED COUNT SAVED VIDEO
                    nano.en en 1:05 61 bytes 3 days 3 days 3 0:20 youtube:text
                    nano.en en 1:05 67 bytes 40 days 40 days 1 0:00 'youtube:older text'

                    """)
            let place = scratch.url.path + "/" + Self.defaultPlace
            #expect(outcome.error.hasPrefix("2 transcripts in \(place), "))
            #expect(outcome.error.hasSuffix(" kB on disk; found 2 times, which saved 0:20\n"))
            #expect(outcome.status == 0)
            let json = try run("whisper-local cache list --json")
            let start = #"{"path":"\#(place)","bytes":"#
            #expect(json.output.hasPrefix(start) && json.output.contains(#","found":2,"saved":20.0,"transcripts":[{"#))
            #expect(json.output.contains(#""count":3,"recognition":10.0,"saved":20.0,"videos":["youtube:text"]}"#))
        }

        @Test("without a cache there is nothing to list or to delete, and nothing is created")
        func absent() throws {
            let outcome = try run(
                """
                whisper-local cache list; whisper-local cache clear; whisper-local cache list --json
                whisper-local cache list --cache other.db; whisper-local cache clear --cache off
                HOME= whisper-local cache list; ls -A
                """)
            let place = scratch.url.path + "/" + Self.defaultPlace
            #expect(
                outcome.error == """
                    no transcripts yet: \(place) does not exist
                    no transcripts yet: \(place) does not exist
                    no transcripts yet: \(place) does not exist
                    no transcripts yet: other.db does not exist
                    no transcripts: --cache off does not use a file
                    no transcripts: neither XDG_CACHE_HOME nor HOME is an absolute path

                    """)
            #expect(
                outcome.output
                    == #"{"path":"\#(place)","bytes":0,"found":0,"saved":0.0,"transcripts":[]}"# + "\n.err\n.out\n")
        }

        @Test("clearing requires confirmation, and keeps recently used transcripts if requested")
        func clear() async throws {
            try await store("a", daysAgo: 40, hits: 0)
            try await store("b", daysAgo: 31, hits: 0)
            try await store("c", daysAgo: 3, hits: 0)
            let unasked = try run("whisper-local cache clear")
            #expect(unasked.status == 64 && unasked.output == "")
            #expect(
                unasked.error == """
                    error: cannot ask for confirmation: standard input is not a terminal
                    try: add --yes to delete without asking

                    """)
            let old = try run(
                """
                whisper-local cache clear --older-than 50 --yes; whisper-local cache clear --older-than 1 -y --cache no
                whisper-local cache clear --older-than 30 --yes; whisper-local cache list | grep -c youtube:
                """)
            #expect(old.output == "deleted 2 transcripts\n1\n")
            let place = scratch.url.path + "/" + Self.defaultPlace
            #expect(
                old.error.hasPrefix(
                    "no transcripts unused for 50 days in \(place)\nno transcripts yet: no does not exist\n"))
        }

        @Test("on a terminal, only a yes deletes")
        func asks() async throws {
            try await store("a", daysAgo: 1, hits: 0, in: "some cache.db")
            let outcome = try run(
                """
                printf 'n\\n' | script -qec "whisper-local cache clear --cache 'some cache.db'" /dev/null
                echo "left: $(whisper-local cache list --cache 'some cache.db' | grep -c youtube:)"
                printf 'y\\n' | script -qec "whisper-local cache clear --cache 'some cache.db'" /dev/null
                whisper-local cache list --cache 'some cache.db'
                """)
            #expect(outcome.output.contains("delete 1 transcript from 'some cache.db'? [y/N] "))
            #expect(outcome.output.contains("left: 1\n") && outcome.output.contains("deleted 1 transcript\r\n"))
            #expect(outcome.error.hasSuffix("no transcripts in 'some cache.db'\n"))
        }

        @Test("a file that is not a cache is named in the error")
        func damaged() throws {
            let outcome = try run(
                "printf '%5000s' x > file; for c in list 'clear --yes'; do whisper-local cache $c --cache file; done")
            let message = """
                error: file is damaged or was not written by this program
                try: mv file file.damaged to start a new one

                """
            #expect(outcome.status == 65 && outcome.output == "" && outcome.error == message + message)
        }
    }
#endif
