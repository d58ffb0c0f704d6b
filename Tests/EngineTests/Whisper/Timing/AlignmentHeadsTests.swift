import Testing

@Suite("Alignment heads")
struct AlignmentHeadsTests {
    private func dimensions(bands: Int, state: Int, encoder: Int, decoder: Int, vocabulary: Int) -> ModelDimensions {
        ModelDimensions(
            nMels: bands, nAudioCtx: 1500, nAudioState: state, nAudioHead: state / 64, nAudioLayer: encoder,
            nVocab: vocabulary, nTextCtx: 448, nTextState: state, nTextHead: state / 64, nTextLayer: decoder)
    }

    private func text(_ heads: [AlignmentHead]) -> String {
        heads.map { "\($0.layer),\($0.head)" }.joined(separator: " ")
    }

    @Test(
        "the heads of official models are the published ones",
        arguments: [
            (
                80, 384, [4, 4], 51_864,
                "1,0 2,0 2,5 3,0 3,1 3,2 3,3 3,4"
            ),
            (
                80, 384, [4, 4], 51_865,
                "2,2 3,0 3,2 3,3 3,4 3,5"
            ),
            (
                80, 512, [6, 6], 51_864,
                "3,3 4,7 5,1 5,5 5,7"
            ),
            (
                80, 512, [6, 6], 51_865,
                "3,1 4,2 4,3 4,7 5,1 5,2 5,4 5,6"
            ),
            (
                80, 768, [12, 12], 51_864,
                "6,6 7,0 7,3 7,8 8,2 8,5 8,7 9,0 9,4 9,8 9,10 10,0 10,1 10,2 10,3 10,6 "
                    + "10,11 11,2 11,4"
            ),
            (
                80, 768, [12, 12], 51_865,
                "5,3 5,9 8,0 8,4 8,7 8,8 9,0 9,7 9,9 10,5"
            ),
            (
                80, 1024, [24, 24], 51_864,
                "11,4 14,1 14,12 14,14 15,4 16,0 16,4 16,9 17,12 17,14 18,7 18,10 18,15 20,0 20,3 20,9 "
                    + "20,14 21,12"
            ),
            (
                80, 1024, [24, 24], 51_865,
                "13,15 15,4 15,15 16,1 20,0 23,4"
            ),
            (
                80, 1280, [32, 32], 51_865,
                "10,12 13,17 16,11 16,12 16,13 17,15 17,16 18,4 18,11 18,19 19,11 21,2 21,3 22,3 22,9 22,12 "
                    + "23,5 23,7 23,13 25,5 26,1 26,12 27,15"
            ),
            (
                128, 1280, [32, 32], 51_866,
                "7,0 10,17 12,18 13,12 16,1 17,14 19,11 21,4 24,1 25,6"
            ),
            (
                128, 1280, [32, 4], 51_866,
                "2,4 2,11 3,3 3,6 3,11 3,14"
            ),
        ])
    func official(bands: Int, state: Int, layers: [Int], vocabulary: Int, expected: String) {
        let heads = AlignmentHeads.heads(
            of: dimensions(
                bands: bands, state: state, encoder: layers[0], decoder: layers[1], vocabulary: vocabulary))
        #expect(text(heads) == expected)
    }

    @Test("an unknown model uses all heads of the second half of its layers")
    func unknown() {
        let three = dimensions(bands: 80, state: 128, encoder: 3, decoder: 3, vocabulary: 51_865)
        #expect(text(AlignmentHeads.heads(of: three)) == "1,0 1,1 2,0 2,1")
        var tiny = dimensions(bands: 80, state: 384, encoder: 4, decoder: 4, vocabulary: 51_865)
        tiny.nTextHead = 2
        #expect(text(AlignmentHeads.heads(of: tiny)) == "2,0 2,1 3,0 3,1")
        tiny.nTextLayer = 0
        #expect(AlignmentHeads.heads(of: tiny).isEmpty)
    }
}
