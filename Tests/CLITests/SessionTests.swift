import Testing

@Suite("Recorded sessions")
struct SessionTests {
    #if HAS_FFMPEG
        private static let containers = ["containers"]
    #else
        private static let containers: [String] = []
    #endif

    @Test(
        "the program says what is recorded, with the recorded status",
        arguments: [
            "usage", "values", "contradictions", "config", "help", "streams", "transcribe", "openai", "inputs",
            "models",
            "outputs", "languages", "bench", "limits", "sound", "waves", "access", "failures", "surroundings",
        ] + containers)
    func session(_ name: String) throws {
        let file = "\(name).session"
        try Fixtures.expect(try Session(Fixtures.text(file)).played(), equals: file)
    }
}
