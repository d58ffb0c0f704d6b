// Fuzzes the model readers with libFuzzer: scripts/fuzz.sh --libfuzzer. An input is a packed
// `ModelFiles`. libFuzzer has the main function and calls these.
//
// Invariant: libFuzzer calls the functions on one thread and gives the sizes of its buffers.
import Foundation
import TestModels
import WhisperEngine

nonisolated(unsafe) private var target: ModelTarget?

/// Called before the first input: writes the valid models to the corpus, the first argument that is not an option.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
    do {
        let folder = FileManager.default.temporaryDirectory.appending(path: "model-libfuzzer-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        unsafe target = ModelTarget(folder: FilePath(folder.path))
        guard let corpus = CommandLine.arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) else { return 0 }
        for (index, model) in try ModelMutator().originals.enumerated() where model.size < 1_000_000 {
            try Data(model.packed).write(to: URL(filePath: corpus).appending(path: "valid-\(index)"))
        }
        return 0
    } catch { preconditionFailure("\(error)") }
}

/// Called with each input. Inputs of unknown formats do not enter the corpus.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let packed = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    do {
        let outcome = unsafe try target?.open(ModelFiles(packed: packed))
        return outcome?.depth == .container ? -1 : 0
    } catch { preconditionFailure("\(error)") }
}

/// Called to mutate an input in its buffer; returns the new size.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
    _ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: CUnsignedInt
) -> Int {
    var draws = SplitMix64(seed: UInt64(seed))
    let model = ModelFiles(packed: unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    let packed = ModelMutator.mutant(of: model, using: &draws).packed.prefix(capacity)
    for (index, byte) in packed.enumerated() { unsafe bytes[index] = byte }
    return packed.count
}
