import EngineWhisper

/// A parsed ggml file, so that tests can damage any part and reassemble it.
package struct GGMLContents {
    package struct Record {
        package var name: String
        /// The fastest-varying dimension first: PyTorch's shape reversed.
        package var sizes: [Int]
        package var type: Int
        package var data: [UInt8]

        package var header: [UInt8] {
            let numbers = [sizes.count, name.utf8.count, type] + sizes
            return numbers.flatMap(GGMLContents.bytes) + Array(name.utf8)
        }
        package var bytes: [UInt8] { header + data }
    }

    /// n_vocab, n_audio_ctx, n_audio_state, n_audio_head, n_audio_layer, n_text_ctx, n_text_state, n_text_head,
    /// n_text_layer, n_mels, ftype.
    package var header: [Int]
    package var filterShape: [Int]
    package var filters: [UInt8]
    package var pieces: [[UInt8]]
    package var records: [Record]

    package static func bytes(_ number: Int) -> [UInt8] {
        let bits = UInt32(truncatingIfNeeded: number)
        return (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
    }

    /// The offset of the number of pieces.
    package var vocabularyOffset: Int { 4 * 14 + filters.count }

    /// The offset of the first record.
    package var recordsOffset: Int { pieces.reduce(vocabularyOffset + 4) { $0 + 4 + $1.count } }

    /// The offsets of all records, and the length of the file.
    package var recordOffsets: [Int] {
        records.reduce(into: [recordsOffset]) { $0.append(($0.last ?? 0) + $1.bytes.count) }
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = [0x6c, 0x6d, 0x67, 0x67]
        for number in header + filterShape { bytes += Self.bytes(number) }
        bytes += filters + Self.bytes(pieces.count)
        for piece in pieces { bytes += Self.bytes(piece.count) + piece }
        for record in records { bytes += record.bytes }
        return bytes
    }

    /// Parses an intact file.
    package init(_ file: [UInt8]) {
        var offset = 4
        func number() -> Int {
            defer { offset += 4 }
            return (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
        }
        func next(_ count: Int) -> [UInt8] {
            defer { offset += count }
            return Array(file[offset..<(offset + count)])
        }
        header = (0..<11).map { _ in number() }
        filterShape = [number(), number()]
        filters = next(4 * filterShape[0] * filterShape[1])
        pieces = (0..<number()).map { _ in next(number()) }
        records = []
        while offset < file.count {
            let rank = number(), nameLength = number(), type = number()
            let sizes = (0..<rank).map { _ in number() }
            let name = String(decoding: next(nameLength), as: UTF8.self)
            let count = sizes.reduce(1, *)
            let bytes = [0: 4 * count, 1: 2 * count, 8: count / 32 * 34][type] ?? 0
            records.append(Record(name: name, sizes: sizes, type: type, data: next(bytes)))
        }
    }

    /// Makes a model, by default with one encoder and one decoder layer, that is narrow enough to load instantly.
    package init(
        width: Int, vocabularySize: Int = 51_864, heads: Int = 1, encoderLayers: Int = 1, decoderLayers: Int = 1
    ) {
        let dimensions = ModelDimensions(
            nMels: 80, nAudioCtx: 1500, nAudioState: width, nAudioHead: heads, nAudioLayer: encoderLayers,
            nVocab: vocabularySize,
            nTextCtx: 64, nTextState: width, nTextHead: heads, nTextLayer: decoderLayers)
        header = [vocabularySize, 1500, width, heads, encoderLayers, 64, width, heads, decoderLayers, 80, 1]
        filterShape = [80, 201]
        filters = [UInt8](repeating: 0, count: 4 * 80 * 201)
        pieces = (0..<256).map { [UInt8($0)] }
        records = TensorShapes.all(dimensions).enumerated().map { index, tensor in
            let count = tensor.shape.reduce(1, *)
            let isVector = tensor.shape.count == 1 || tensor.name.hasSuffix("positional_embedding")
            // A repeated byte that differs between tensors; all values are finite.
            let data = [UInt8](repeating: UInt8(0x20 + index % 16), count: count * (isVector ? 4 : 2))
            let isBias = tensor.name.hasPrefix("encoder.conv") && tensor.shape.count == 1
            return Record(
                name: tensor.name, sizes: isBias ? [1] + tensor.shape : tensor.shape.reversed(),
                type: isVector ? 0 : 1, data: data)
        }
    }

    /// The index of a record.
    package func index(_ name: String) -> Int { records.firstIndex { $0.name == name } ?? 0 }

    package subscript(name: String) -> Record {
        get { records[index(name)] }
        set { records[index(name)] = newValue }
    }
}
