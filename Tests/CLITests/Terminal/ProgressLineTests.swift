import Testing
import WhisperCommands

@Suite("Progress line")
struct ProgressLineTests {
    @Test("the line shows position, share, speed and time left")
    func whole() {
        let line = ProgressLine(position: 751, duration: 3600, elapsed: 90)
        #expect(line.text == "12:31 of 1:00:00 (20%), 8.3 times real time, 5:41 left")
    }

    @Test("in a run of several recordings, the line shows which one it is and the time left for all, by their sizes")
    func run() {
        let place = RunPlace(number: 3, count: 12, elapsed: 200, before: 400, own: 100, after: 580)
        let line = ProgressLine(position: 751, duration: 3755, elapsed: 90, place: place)
        #expect(line.text == "file 3 of 12, 12:31 of 1:02:35 (20%), 6:00 left, 7:35 for all, 8.3 times real time")
        let last = RunPlace(number: 12, count: 12, elapsed: 200, before: 400, own: 100, after: 0)
        #expect(
            ProgressLine(position: 751, duration: 3755, elapsed: 90, place: last).text
                == "file 12 of 12, 12:31 of 1:02:35 (20%), 8.3 times real time, 6:00 left")
        #expect(ProgressLine(position: 0, duration: nil, elapsed: 0, place: place).text == "file 3 of 12, 0:00")
    }

    @Test("what an earlier run recognized does not count for the speed")
    func resumed() {
        let line = ProgressLine(position: 751, duration: 3600, elapsed: 90, start: 300)
        #expect(line.text == "12:31 of 1:00:00 (20%), 5.0 times real time, 9:28 left")
    }

    @Test("unknown parts are omitted")
    func partly() {
        #expect(ProgressLine(position: 751, duration: nil, elapsed: 90).text == "12:31, 8.3 times real time")
        #expect(ProgressLine(position: 0, duration: 60, elapsed: 0).text == "0:00 of 1:00 (0%)")
        #expect(
            ProgressLine(position: 90, duration: 60, elapsed: 10).text == "1:30 of 1:00 (100%), 9.0 times real time")
    }

    @Test("finding the speakers has its own share and time left")
    func speakers() {
        #expect(SpeakerProgress(share: 0.451, elapsed: 10).text == "finding the speakers: 45%, 0:12 left")
        #expect(SpeakerProgress(share: 0.451, elapsed: 0.1).text == "finding the speakers: 45%")
        #expect(SpeakerProgress(share: 1, elapsed: 10).text == "finding the speakers: 100%")
    }

    @Test("the end of the volatile text fills the line up to its last column but one, dim if styled")
    func volatile() {
        let line = ProgressLine(position: 0, duration: 60, elapsed: 0)
        #expect(
            line.line(columns: 40, volatile: "so much was said before", styled: false)
                == "0:00 of 1:00 (0%)  …uch was said before")
        #expect(
            line.line(columns: 80, volatile: "so", styled: true) == "0:00 of 1:00 (0%)  \u{1b}[2mso\u{1b}[22m")
        #expect(line.line(columns: 24, volatile: "so", styled: true) == "0:00 of 1:00 (0%)")
    }

    @Test(
        "a narrow terminal gets the start of the line, one of 0 or 1 columns gets nothing",
        arguments: [(0, nil), (1, nil), (9, "0:00 of ")])
    func narrow(columns: Int, expected: String?) {
        #expect(
            ProgressLine(position: 0, duration: 60, elapsed: 0).line(columns: columns, volatile: "", styled: false)?
                .safe
                == expected)
    }
}
