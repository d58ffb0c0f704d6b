import Testing
import WhisperCommands

/// Machine.processorName reads the running machine's text; DoctorTests check that `doctor` shows a name.
@Suite("Name of the processor")
struct MachineTests {
    /// The lines that Linux prints for a core on ARM.
    private static func armCore(implementer: String = "0x41", part: String) -> String {
        """
        processor\t: 0
        BogoMIPS\t: 108.00
        Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp
        CPU implementer\t: \(implementer)
        CPU architecture: 8
        CPU variant\t: 0x4
        CPU part\t: \(part)
        CPU revision\t: 1


        """
    }

    @Test("x86-64 has a name in words")
    func model() {
        let text = "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 7763: 64-Core\nstepping\t: 1\n"
        #expect(Machine.processorName(text) == "AMD EPYC 7763: 64-Core")
        #expect(Machine.processorName("processor\t: 0\n") == nil)
    }

    @Test("ARM's cores are named by their numbers, each kind once")
    func parts() {
        let big = Self.armCore(part: "0xd0b"), small = Self.armCore(part: "0xd05")
        #expect(Machine.processorName(big + big) == "Cortex-A76")
        #expect(Machine.processorName(small + big + small) == "Cortex-A55 and Cortex-A76")
        #expect(Machine.processorName(Self.armCore(part: "0xfff")) == "ARM core 0xfff")
        #expect(Machine.processorName(Self.armCore(implementer: "0x61", part: "0x022")) == nil)
    }
}
