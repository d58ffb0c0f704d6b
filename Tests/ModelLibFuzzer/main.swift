// Fuzzes the model readers with libFuzzer, guided by coverage: scripts/fuzz.sh --libfuzzer. An input is a packed
// `ModelFiles`. Without a corpus it starts with the valid models.
//
// Invariant: libFuzzer calls the functions on one thread and gives the sizes of its buffers.
import Foundation
import TestModels
import WhisperEngine

nonisolated(unsafe) private var target: ModelTarget?

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private func test(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let packed = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    do {
        let outcome = unsafe try target?.open(ModelFiles(packed: packed))
        return outcome?.depth == .container ? -1 : 0
    } catch { preconditionFailure("\(error)") }
}

/// Called by libFuzzer to mutate an input in its buffer; returns the new size.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: CUnsignedInt) -> Int {
    var draws = SplitMix64(seed: UInt64(seed))
    let model = ModelFiles(packed: unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    let packed = ModelMutator.mutant(of: model, using: &draws).packed.prefix(capacity)
    for (index, byte) in packed.enumerated() { unsafe bytes[index] = byte }
    return packed.count
}

let folder = FileManager.default.temporaryDirectory.appending(path: "model-libfuzzer-\(getpid())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
unsafe target = ModelTarget(folder: FilePath(folder.path))
if let corpus = CommandLine.arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) {
    for (index, model) in try ModelMutator().originals.enumerated() {
        try Data(model.packed).write(to: URL(filePath: corpus).appending(path: "valid-\(index)"))
    }
}
var count = CommandLine.argc
var arguments = unsafe CommandLine.unsafeArgv
exit(unsafe runDriver(&count, &arguments, test))
