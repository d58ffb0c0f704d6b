// Runs the parts of a network once each, on one thread, for InstructionCountTests.
//
//   instruction-probe MODEL SET TYPE      an instruction set and a number format, such as: avx2 int8
//
// Parts, in this order: the encoder with the keys and values of cross-attention; the decoder's layers without the token
// table, for one token and for five; a whole step with one beam and with five.
import Glibc
import WhisperEngine

/// At the end of every call, Callgrind writes what it has counted since the last one; it finds the function by its name.
@inline(never)
func counted(_ body: () throws -> Void) rethrows { try body() }

func run(_ path: String, _ set: String, _ type: String) throws {
    guard let computeType = ComputeType(rawValue: type), Processor.limit(to: set) else {
        print("\(set), \(type): not supported here")
        exit(69)
    }
    let model = try WhisperModel.load(
        try GGMLFile(FilePath(path)), options: ComputeOptions(computeType: computeType, threads: 1))
    let beams = 5, positions = 36
    let encoder = try AudioEncoder(model), decoder = try TextDecoder(model, maxRows: beams)
    let window = (0..<(2 * positions * model.dimensions.nMels)).map { Float($0 % 97) / 97 - 0.5 }
    let tokens = (0..<beams).map { $0 + 100 }
    var logits: [[Float]] = []

    // Once before, so that libraries are loaded.
    decoder.attend(to: encoder.encode([], positions: 1))
    _ = try decoder.start([50_257], logitsAt: [0])

    /// A part, and what must come right before it.
    typealias Part = (prepare: () throws -> Void, run: () throws -> Void)
    func step(rows: Int) -> Part {
        (
            { _ = try decoder.start([50_257], logitsAt: []) },
            {
                try decoder.advance(
                    Array(tokens.prefix(rows)), from: [Int](repeating: 0, count: rows), into: &logits)
            }
        )
    }
    decoder.expect(ScoreNeeds(best: 2, never: [], exactFrom: model.dimensions.nVocab - 1))
    let parts: [Part] = [
        ({}, { decoder.attend(to: encoder.encode(window, positions: positions)) }),
        ({}, { _ = try decoder.start([tokens[0]], logitsAt: []) }),
        ({}, { _ = try decoder.start(tokens, logitsAt: []) }),
        step(rows: 1), step(rows: beams),
    ]
    for part in parts {
        try counted(part.prepare)
        try counted(part.run)
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
    print("usage: instruction-probe MODEL SET TYPE")
    exit(64)
}
try run(arguments[1], arguments[2], arguments[3])
