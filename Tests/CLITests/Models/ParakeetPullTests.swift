import Foundation
import Testing

#if HAS_CURL
    /// Downloads of NVIDIA's files from the loopback server, which serves small ones in their place.
    @Suite("Downloading Parakeet models")
    struct ParakeetPullTests {
        private static let fixtures = Fixtures.folder.appending(path: "../parakeet").standardizedFileURL.path

        private func run(_ script: String) throws -> Program.Outcome {
            try Program.shell(
                ModelsPullTests().prelude + """
                    mkdir own; cp "\(Self.fixtures)/tdt/q8_0.gguf" own/parakeet-v3.gguf
                    cp "\(Self.fixtures)/tdt/f16.nemo" own/parakeet-v2.nemo
                    cp "\(Self.fixtures)/tdt/ggml-f16.bin" own/ggml-mine.bin
                    sum() { sha256sum < own/$1 | cut -d ' ' -f 1; }
                    folder=\(ModelsPullTests.folder)

                    """ + script, in: Program.Scratch(), environment: ["OWN": "own"])
        }

        @Test("a model is found by its name and its alias, and is not downloaded again")
        func install() throws {
            let outcome = try run(
                """
                for n in 1 2; do pull own --sha256 $(sum parakeet-v3.gguf) parakeet; done
                cmp own/parakeet-v3.gguf $folder/parakeet-v3.gguf && ls -A $folder
                for name in parakeet parakeet-v3; do whisper-local models path $name; done
                whisper-local models list | grep '^parakeet'
                whisper-local transcribe -q -m parakeet "$CLIPS/say-01.wav"
                whisper-local models remove --yes parakeet; ls -A $folder
                """)
            #expect(outcome.error.contains("SHA-256 correct") && outcome.error.contains("already installed"))
            let path = "/.home/.local/share/whisper-local/models/parakeet-v3.gguf\n"
            #expect(outcome.output.components(separatedBy: path).count == 6, "\(outcome)")
            #expect(outcome.output.contains("4 languages    q8_0") && outcome.output.contains("i5me"), "\(outcome)")
            #expect(outcome.output.contains("parakeet-v2") && outcome.output.contains("not installed"), "\(outcome)")
        }

        @Test("a file with the publisher's name and the type of its weights counts as installed")
        func otherName() throws {
            let outcome = try run(
                """
                mkdir -p $folder; cp own/parakeet-v3.gguf $folder/parakeet-tdt-0.6b-v3.q8_0.gguf; pull own parakeet
                whisper-local models list | grep '^parakeet'; whisper-local models path parakeet
                whisper-local models remove --yes parakeet-v3; ls -A $folder
                for type in f16 q8_0; do cp own/parakeet-v3.gguf $folder/parakeet-v3-$type.gguf; done
                whisper-local models remove --yes parakeet
                """)
            let path = "/.home/.local/share/whisper-local/models/parakeet-tdt-0.6b-v3.q8_0.gguf\n"
            #expect(outcome.status == 64, "\(outcome)")
            #expect(
                outcome.error.hasSuffix(
                    "error: 'parakeet' stands for several models: parakeet-v3-f16, parakeet-v3-q8_0\n"
                        + "try: give the full name of one of them\n"), "\(outcome)")
            #expect(outcome.error.contains("parakeet-v3 is already installed as "), "\(outcome)")
            #expect(outcome.output.components(separatedBy: path).count == 4, "\(outcome)")
            #expect(!outcome.output.contains("parakeet-v3 "), "\(outcome)")
        }

        @Test("without a published digest, the structure is checked")
        func structure() throws {
            let outcome = try run(
                """
                pull own parakeet-v2; whisper-local models verify parakeet-v2
                head -c 300000 own/parakeet-v2.nemo >own/cut; mv own/cut own/parakeet-v2.nemo
                rm $folder/*; pull own parakeet-v2; echo $?; ls -A $folder
                """)
            #expect(outcome.error.contains("no digest to check; the structure is that of a model"), "\(outcome)")
            #expect(outcome.error.contains("is not a usable model") && outcome.error.contains("is truncated"))
            #expect(
                outcome.output.contains("parakeet-v2: ok, no published digest") && outcome.output.hasSuffix("\n65\n"))
        }

        @Test("the published file is expected, and no other format")
        func published() throws {
            let outcome = try run(
                """
                pull own parakeet; echo $?
                cp own/parakeet-v2.nemo own/parakeet-v3.gguf; pull own --sha256 $(sum parakeet-v3.gguf) parakeet; echo $?
                pull own mine && whisper-local models info mine | grep format
                """)
            #expect(
                outcome.error.contains("the server's file has 268928 bytes, the published one 713975456"), "\(outcome)")
            #expect(outcome.error.contains("the server sent a file that is not in GGUF format"), "\(outcome)")
            #expect(
                outcome.output.hasPrefix("65\n65\n") && outcome.output.hasSuffix("format      ggml\n"), "\(outcome)")
        }
    }
#endif
