import Testing

@Suite("Recorded sessions")
struct SessionTests {
    #if HAS_FFMPEG
        private static let needFFmpeg = ["containers", "libraries"]
    #else
        private static let needFFmpeg: [String] = []
    #endif

    @Test(
        "commands print the recorded output and end with the recorded status",
        arguments: [
            "usage", "values", "contradictions", "config", "help", "streams", "transcribe", "openai", "voice", "inputs",
            "models", "convert",
            "outputs", "languages", "bench", "limits", "sound", "waves", "access", "failures", "surroundings",
            "archive",
        ] + needFFmpeg)
    func session(_ name: String) throws {
        let file = "\(name).session"
        try Fixtures.expect(try Session(Fixtures.text(file)).played(), equals: file)
    }
}
