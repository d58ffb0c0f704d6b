import Foundation
import Testing

@Suite("Hugging Face folders of Parakeet's streaming models")
struct StreamingFolderTests {
    @Test("sizes are those of the settings", arguments: ParakeetFixture.streaming)
    func dimensions(fixture: ParakeetFixture) throws {
        let file = try ParakeetFolder(fixture.folder), d = file.dimensions
        let streaming = try #require(d.streaming), isNew = fixture.name == "streaming35"
        #expect(d.head == .rnnt && d.width == 32 && d.bands == (isNew ? 128 : 80))
        #expect(d.subsampledBands == (isNew ? 17 : 11) && streaming.leftContext == 14)
        #expect(streaming.lookaheads == (isNew ? [0, 1, 3, 6, 13] : [0, 1, 6, 13]) && streaming.reach == 27)
        // The tokenizer's blank is another.
        #expect(d.vocabulary == 256 && d.blank == 256 && file.vocabulary.pieces.count == 256)
        #expect(ParakeetFamily.recognizes(fixture.folder))
        guard let prompts = streaming.prompts else {
            #expect(!isNew && file.traits.languages.map(\.code) == ["en"] && !file.traits.takesLanguage)
            return
        }
        #expect(isNew && prompts.count == 128 && prompts.width == 64 && prompts.unknown == 101)
        #expect(["en", "es", "fr", "de", "it", "auto"].map(prompts.number) == [0, 2, 8, 9, nil, 101])
        #expect(file.traits.languages.map(\.code) == ["en", "de", "es", "fr"] && file.traits.takesLanguage)
    }

    @Test("lengths become those of the network", arguments: ParakeetFixture.streaming)
    func frames(fixture: ParakeetFixture) throws {
        let d = try ParakeetFolder(fixture.folder).dimensions
        #expect((0...20).map { d.frames(features: $0) } == [0] + (1...20).map { ($0 + 6) / 8 + 1 })
        let streaming = try #require(d.streaming)
        let seconds = [0.01, 0.08, 0.25, 0.56, 0.8, 1.1, 1.12, 2]
        #expect(
            seconds.map { streaming.lookahead(within: $0, frame: 0.08) }
                == (fixture.name == "streaming" ? [0, 0, 1, 6, 6, 6, 13, 13] : [0, 0, 1, 6, 6, 6, 13, 13]))
        #expect([0, 1, 3, 6, 13].map(streaming.past) == [14, 14, 12, 14, 14])
    }

    /// The error of opening a copy of the newer model in which a text is replaced.
    private static func error(in file: String, _ text: String, _ replacement: String) throws -> ModelError? {
        let folder = try TemporaryFolder(), from = Fixtures.url("parakeet/streaming35/model")
        for name in try FileManager.default.contentsOfDirectory(atPath: from.path(percentEncoded: false)) {
            try FileManager.default.copyItem(at: from.appending(path: name), to: folder.url.appending(path: name))
        }
        let original = try #require(folder.text(file))
        #expect(original.contains(text), "\(text)")
        try folder.create(file, original.replacingOccurrences(of: text, with: replacement))
        do throws(ModelError) {
            _ = try ParakeetFolder(folder.path)
            return nil
        } catch { return error }
    }

    @Test(
        "settings that the network does not have are errors",
        arguments: [
            ("config.json", #""sliding_window": 15"#, #""sliding_window": 0"#, "sliding_window is 0"),
            ("config.json", #""num_prompts": 128"#, #""num_prompts": 0"#, "num_prompts is 0"),
            ("config.json", #""num_prompts": 128"#, #""num_prompts": 100"#, "auto is 101"),
            ("config.json", #""default_prompt_id": 101"#, #""default_prompt_id": 128"#, "default_prompt_id is 128"),
            ("config.json", #""prompt_intermediate_size""#, #""other""#, "prompt_intermediate_size is missing"),
            ("config.json", #""num_prompts": 128"#, #""num_prompts": 127"#, "prompt_projector.linear_1.weight"),
            ("config.json", #""num_hidden_layers": 2"#, #""num_hidden_layers": 3"#, "encoder.layers.2."),
            ("config.json", #""subsampling_conv_channels": 16"#, #""subsampling_conv_channels": 32"#, "conv_in"),
            ("config.json", #""blank_token_id": 256"#, #""blank_token_id": 257"#, "blank_token_id is 257"),
            ("processor_config.json", "13,", #""x","#, "supported_num_lookahead_tokens"),
            ("processor_config.json", "13,", "100,", "supported_num_lookahead_tokens"),
            ("processor_config.json", #""prompt_dictionary""#, #""other""#, "prompt_dictionary is missing"),
            (
                "processor_config.json", #""prompt_dictionary": {"#, #""prompt_dictionary": "en", "other": {"#,
                "prompt_dictionary is en"
            ),
            (
                "processor_config.json", #""prompt_dictionary": {"#,
                #""prompt_dictionary": {"auto": 101}, "other": {"#, "prompt_dictionary is an object"
            ),
            (
                "processor_config.json", #""feature_extractor": {"#, #""feature_extractor": "x", "other": {"#,
                "has x in place of the settings of features"
            ),
            ("processor_config.json", #""float32""#, #""bfloat16""#, "mel_filters_dtype is bfloat16"),
        ])
    func settings(file: String, text: String, replacement: String, expected: String) throws {
        let error = try Self.error(in: file, text, replacement)
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
    }
}
