import Foundation
import Testing

/// OpenBLAS may fall back to slow kernels on processors that it does not know; the program chooses by instruction set.
@Suite("Kernels of OpenBLAS")
struct OpenBLASCoreTests {
    @Test("every instruction set has the core type that uses it")
    func coreTypes() {
        #if arch(arm64)
            let expected = ["baseline": "ARMV8", "dotprod": "NEOVERSEN1", "i8mm": nil]
        #else
            let expected = [
                "baseline": "PRESCOTT", "avx2": "HASWELL", "avxvnni": "HASWELL", "avx512": "SKYLAKEX",
                "avx512vnni": "SKYLAKEX", "avx512bf16": "SKYLAKEX",
            ]
        #endif
        #expect(Set(expected.keys) == Set(Processor.instructionSets))
        for (set, type) in expected { #expect(OpenBLASLibrary.coreType(for: set) == type) }
    }

    @Test("OpenBLAS loads the chosen kernels, even on a processor that it does not know")
    func loaded() async {
        await #expect(processExitsWith: .success) {
            unsafe unsetenv(OpenBLASLibrary.coreTypeVariable)
            let set = Processor.instructionSet, library = OpenBLASLibrary.shared
            guard library.isInstalled, set != "baseline" else { exit(0) }
            // Child processes choose for themselves.
            guard library.coreTypeChosenHere, unsafe getenv(OpenBLASLibrary.coreTypeVariable) == nil else { exit(3) }
            exit(library.coreName?.uppercased() == OpenBLASLibrary.coreType(for: set) ? 0 : 4)
        }
    }

    // The tests of Swift 6.2 cannot hand a value to the other process.
    #if compiler(>=6.3)
        @Test("OpenBLAS respects a limit to an instruction set", arguments: InstructionSets.all)
        func limited(set: String) async {
            await #expect(processExitsWith: .success) { [set] in
                unsafe unsetenv(OpenBLASLibrary.coreTypeVariable)
                guard Processor.limit(to: set) else { exit(3) }
                guard OpenBLASLibrary.shared.isInstalled else { exit(0) }
                exit(OpenBLASLibrary.shared.coreName?.uppercased() == OpenBLASLibrary.coreType(for: set) ? 0 : 4)
            }
        }
    #endif

    @Test("a core type chosen by the user is respected")
    func given() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv(OpenBLASLibrary.coreTypeVariable, "NEHALEM", 1)
            let library = OpenBLASLibrary.shared
            guard library.isInstalled else { exit(0) }
            exit(!library.coreTypeChosenHere && library.coreName == "Nehalem" ? 0 : 4)
        }
    }
}
