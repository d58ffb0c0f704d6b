import Testing

@Suite("Vocabulary files")
struct UserVocabularyTests {
    private static func problems(_ text: String) -> [String] {
        UserVocabulary.parse(Array(text.utf8)).problems.map {
            guard case .invalid(_, let line, let column, let problem) = $0 else { return "?" }
            return "\(line):\(column) \(problem)"
        }
    }

    @Test("terms, weights, sounds, rules, patterns and comments")
    func entries() throws {
        let vocabulary = try UserVocabulary(
            """
            # vocabulary
            Siobhan
            Ekaterina Voronova   # a colleague
              C#
            nginx ^2             # stronger
            Siobhan ~ shivawn, chevonne
            engine x => nginx
            um =>
            /(\\d+) mils?/ => $1 mg # a unit
            /a #b/ => c
            /etc/nginx
            """)
        #expect(
            vocabulary.terms == [
                Term("Siobhan", sounds: ["shivawn", "chevonne"]), Term("Ekaterina Voronova"), Term("C#"),
                Term("nginx", weight: 2), Term("/etc/nginx"),
            ])
        #expect(
            vocabulary.rules == [
                ReplacementRule("engine x", written: "nginx"), ReplacementRule("um", written: ""),
                try ReplacementRule(pattern: "(\\d+) mils?", written: "$1 mg"),
                try ReplacementRule(pattern: "a #b", written: "c"),
            ])
    }

    @Test("a byte order mark and Windows line ends are no part of entries, and letters are composed")
    func encoding() throws {
        let bytes = [0xef, 0xbb, 0xbf] + Array("Ren\u{65}\u{301}\r\n\r\nZoe\u{308} => Zoë\r\n".utf8)
        let found = UserVocabulary.parse(bytes)
        #expect(found.problems == [])
        #expect(found.vocabulary.terms.map { Array($0.text.utf8) } == [Array("Ren\u{e9}".utf8)])
        #expect(found.vocabulary.rules == [ReplacementRule("Zoë", written: "Zoë")])
        #expect(UserVocabulary.parse([]).vocabulary.isEmpty)
    }

    @Test("blanks and tabs between the words of terms and sounds count as one blank")
    func blanks() throws {
        let vocabulary = try UserVocabulary("Ekaterina  Voronova ~ katerina \t voronova\nBob\tSmith  ^2\nBob Smith")
        #expect(
            vocabulary.terms == [
                Term("Ekaterina Voronova", sounds: ["katerina voronova"]), Term("Bob Smith"),
            ])
        #expect(try UserVocabulary(list: "Bob   Smith").terms == [Term("Bob Smith")])
    }

    @Test(
        "problems name line and column and say what to do",
        arguments: [
            ("Ann\n  ^2", "2:3 no term; write it before the ~ or the ^"),
            ("Ann ^4", "1:5 '^4' is no weight; write ^ and a number from 0.1 to 3, such as ^2"),
            ("Ann ^x", "1:5 '^x' is no weight; write ^ and a number from 0.1 to 3, such as ^2"),
            ("Ann ^1 ^2", "1:5 two weights; write one"),
            ("Ann ~ an,, en", "1:10 a sound is missing; write ~ and what is heard, separated by commas"),
            ("--", "1:1 neither a letter nor a digit; write a term as it is spoken"),
            (" => x", "1:2 nothing is heard; write heard => written"),
            ("a => b => c", "1:8 two =>; write one rule a line"),
            ("Ann\u{7}", "1:4 a control character; remove it"),
            ("/a/b => c", "1:4 no => after the expression; write /expression/ => text"),
            (
                "/(a/ => b",
                "1:2 this parenthesis is never closed; write \\( for the character"
            ),
            ("/a/ => $1", "1:8 the expression has no group 1; write $$ for a dollar sign"),
        ])
    func badLines(line: String, problem: String) {
        #expect(Self.problems(line) == [problem])
    }

    @Test("a line that is not UTF-8 is named, and the others are read")
    func notText() {
        let found = UserVocabulary.parse(Array("é".utf8) + [0xff] + Array("\nAnn".utf8), file: FilePath("v"))
        #expect(found.problems == [.invalid(file: FilePath("v"), line: 1, column: 2, .notText)])
        #expect(found.problems.map(\.description) == ["v, line 1, column 2: not UTF-8 text; save the file as UTF-8"])
        #expect(found.vocabulary.terms == [Term("Ann")])
    }

    @Test("entries of 100 characters, and 10,000 of them, are accepted, but no more")
    func limits() {
        let longest = String(repeating: "é", count: 100)
        #expect(Self.problems(longest) == [])
        let problem = "longer than 100 characters; write the part that is misheard"
        #expect(Self.problems(longest + "é") == ["1:101 \(problem)"])
        #expect(Self.problems("x => \(longest)é") == ["1:106 \(problem)"])
        #expect(Self.problems("x ~ y, \(longest)é") == ["1:108 \(problem)"])
        let lines = (0..<10_000).map { "Ann \($0)\n" }.joined()
        #expect(Self.problems(lines) == [])
        #expect(Self.problems(lines + "b\nc\nd").count == 1)
    }

    @Test("files are read, and missing ones named")
    func files() throws {
        #expect(throws: VocabularyError.missing(file: FilePath("/nowhere/v"))) {
            try UserVocabulary(contentsOf: FilePath("/nowhere/v"))
        }
        #expect(throws: VocabularyError.unreadable(file: FilePath("/"))) {
            try UserVocabulary(contentsOf: FilePath("/"))
        }
        #expect(throws: VocabularyError.tooLarge(file: FilePath("/proc/self/exe"))) {
            try UserVocabulary(contentsOf: FilePath("/proc/self/exe"))
        }
    }

    @Test("lists are separated by commas")
    func lists() throws {
        #expect(
            try UserVocabulary(list: " Siobhan,nginx ^2,, C# ").terms == [
                Term("Siobhan"), Term("nginx", weight: 2), Term("C#"),
            ])
        #expect(throws: VocabularyError.self) { try UserVocabulary(list: "Ann ^9") }
    }

    @Test("a term that is added again has its last weight and all its sounds")
    func merging() throws {
        var vocabulary = try UserVocabulary("Ann ~ an\nBo")
        vocabulary.add(try UserVocabulary("Ann ^2 ~ an, en\nx => y"))
        #expect(vocabulary.terms == [Term("Ann", weight: 2, sounds: ["an", "en"]), Term("Bo")])
        #expect(vocabulary.rules == [ReplacementRule("x", written: "y")])
    }

    @Test("the digest is that of the entries")
    func digest() throws {
        let digest = try UserVocabulary("Ann\nx => y").digest
        #expect(digest == (try UserVocabulary("# Names\nx  =>  y\n\nAnn # first")).digest)
        for other in ["Ann", "Ann\nx => z", "Ann ^2\nx => y", "Ann ~ en\nx => y", "Ann\n/x/ => y"] {
            #expect(try UserVocabulary(other).digest != digest)
        }
    }
}
