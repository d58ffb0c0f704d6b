import Foundation
import Testing

/// Downloads from a loopback server with bad habits (`Fixtures/cli/tools/model-server`), as a user starts them.
#if HAS_CURL
    @Suite("Downloading models")
    struct ModelsPullTests {
        static let folder = ".home/.local/share/whisper-local/models"
        static let file = folder + "/ggml-micro.bin"
        static let model = "$MODELS/ggml-micro.en.bin"

        /// Runs a script while the server is running; `$server` is its address, `$sum` the SHA-256 of the model and
        /// `$file` the destination of `micro`.
        func run(
            _ script: String, environment: [String: String] = [:], in scratch: Program.Scratch? = nil
        ) throws -> Program.Outcome {
            try Program.shell(prelude + script, in: try scratch ?? Program.Scratch(), environment: environment)
        }

        var prelude: String {
            """
            model-server port & servers=$!
            trap 'kill $servers' EXIT
            until [ -s port ]; do kill -0 $! || exit; sleep 0.05; done
            server=http://127.0.0.1:$(cat port) file=\(Self.file)
            sum=$(sha256sum < "\(Self.model)" | cut -d ' ' -f 1)
            pull() { habit=$1; shift; WHISPER_LOCAL_MODEL_URL=$server/$habit whisper-local models pull "$@"; }
            pull_checked() { pull "$@" --sha256 "$sum" micro; }

            """
        }

        @Test(
            "downloads are correct despite unusual server behavior",
            arguments: [
                "plain", "half-once", "no-range", "no-mark", "changed", "changed-silently", "changed-broken",
                "wrong-range", "no-length", "no-length-cut",
                "chunked", "redirect", "flaky", "busy", "silent",
            ])
        func right(habit: String) throws {
            let outcome = try run(
                "pull_checked \(habit) && cmp $file \"\(Self.model)\" && ls -A \(Self.folder)")
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.output.hasSuffix("/\(Self.file)\nggml-micro.bin\n"))
            #expect(outcome.error.contains("SHA-256 correct"))
        }

        @Test(
            "an invalid response is reported, and no file is created",
            arguments: [
                ("wrong", 65, "expected $sum"), ("html", 65, "the server sent a web page instead of a model"),
                ("html-as-bytes", 65, "a web page or an error message"),
                ("message", 65, "a web page or an error message"),
                ("pointer", 65, "a git-lfs pointer"), ("empty", 65, "expected $sum"), ("short", 65, "expected $sum"),
                ("cut", 65, "expected $sum"), ("missing", 69, "the server answered 404 (not found)"),
                ("forbidden", 69, "the server answered 403 (forbidden)"),
                ("to-file", 69, "redirects to an address that is not allowed"),
                ("to-ftp", 69, "redirects to an address that is not allowed"), ("loop", 69, "more than 10 redirects"),
                ("to-http", 69, "Failed to connect to 127.0.0.1 port 1"),
            ])
        func wrong(habit: String, status: Int32, message: String) throws {
            let outcome = try run("pull_checked \(habit); echo $? $sum; ls -A \(Self.folder)")
            let words = outcome.output.split(whereSeparator: \.isWhitespace).map(String.init)
            #expect(words.count == 2, "\(outcome.output)")
            #expect(words.first == "\(status)")
            #expect(outcome.error.contains(message.replacing("$sum", with: words.last ?? "")), "\(outcome.error)")
            #expect(outcome.error.contains("\ntry: "))
        }

        @Test(
            "without a digest, the structure is checked",
            arguments: [
                ("plain", 0, "no digest to check"), ("no-length-cut", 0, "no digest to check"),
                ("cut", 65, "truncated"), ("short", 65, "truncated"),
            ])
        func structure(habit: String, status: Int32, message: String) throws {
            let outcome = try run("pull \(habit) micro; echo $?; ls -A \(Self.folder)")
            #expect(outcome.error.contains(message), "\(outcome.error)")
            #expect(outcome.output.split(separator: "\n").contains("\(status)"))
            #expect(outcome.output.hasSuffix("ggml-micro.bin\n") == (status == 0))
        }

        @Test(
            "an answer without end is cut before it fills the disk, and nothing is left",
            arguments: [
                ("endless", "can have"), ("endless-chunks", "can have"), ("endless-other", "can have"),
                ("huge", "can have"), ("endless-head", "too long"),
            ])
        func endless(habit: String, message: String) throws {
            // micro.en has 8 MB; in float32, with long pieces, it could have 70.
            let outcome = try run(
                """
                (ulimit -f 200000; pull \(habit) micro; echo $?; pull_checked \(habit); echo $?); ls -A \(Self.folder)
                """)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 2 && lines.allSatisfy { ["65", "69"].contains($0) }, "\(outcome)")
            #expect(outcome.error.matches(of: /error: .*\ntry: check the address/).count == 2, "\(outcome.error)")
            #expect(outcome.error.contains(message), "\(outcome.error)")
        }

        @Test("a server that sends a byte now and then is abandoned after the timeout, like one that sends nothing")
        func drip() throws {
            let outcome = try run(
                """
                pull drip micro --timeout 1 2>errors & process=$!
                # The second failure in a row, so that the bytes do not count as progress.
                for n in $(seq 300); do grep -q 'trying again in 2 s' errors && break; sleep 0.1; done
                kill -TERM $process; wait $process; echo $?; cat errors >&2
                """)
            #expect(outcome.output == "143\n", "\(outcome)")
            #expect(
                outcome.error.matches(of: /sent no data, or very little, for too long; trying again in (1|2) s/).count
                    == 2,
                "\(outcome.error)")
        }

        @Test("no message shows what may be secret in an address: a password, a query, a fragment")
        func secrets() throws {
            let outcome = try run(
                """
                for habit in plain missing html empty silent to-ftp endless long; do
                    for secret in "?token=SECRET&file=" "?SECRET#" "#SECRET" "?a=b/c@SECRET/"; do
                        WHISPER_LOCAL_MODEL_URL="http://me:SECRET@${server#http://}/$habit/{name}.bin$secret" \\
                            timeout 5 whisper-local models pull --model-dir x micro
                        rm -rf x
                    done
                done
                for address in "http://me:SECRET@127.0.0.1:1?SECRET" "ftp://me:SECRET@h/x?t=SECRET" "h/x?t=SECRET" \\
                    "http://x/é?t=SECRET" "http:// x?t=SECRET" "me:SECRET@h" "http://me:SECRET@h\\\\?SECRET"; do
                    WHISPER_LOCAL_MODEL_URL=$address whisper-local models pull micro
                done
                """)
            #expect(outcome.error.contains("/plain/micro.bin?…\n"), "\(outcome.error)")
            #expect(!(outcome.output + outcome.error).contains("SECRET"), "\(outcome)")
        }

        @Test(
            "the advice after an answer fits it",
            arguments: [
                ("part", 69, "check the address"), ("status/204", 69, "check the address"),
                ("status/304", 69, "check the address"), ("status/400", 69, "check the address"),
                ("status/402", 69, "check the address"), ("status/405", 69, "check the address"),
                ("status/416", 69, "check the address"), ("status/451", 69, "check the address"),
                ("status/404", 69, "check whether the server has the model micro"),
                ("status/401", 69, "check whether the address needs a login"),
                ("pointer", 65, "use the address of the file itself"),
                ("html", 65, "check the address; a network with a login"),
            ])
        func advice(habit: String, status: Int32, advice: String) throws {
            let outcome = try run("pull \(habit) micro; echo $?; ls -A \(Self.folder); wc -l <requests.log")
            #expect(outcome.output == "\(status)\n1\n", "\(outcome)")
            #expect(outcome.error.contains("\ntry: \(advice)"), "\(outcome.error)")
        }

        @Test("a server that always sends the file from the start, but never all of it, is abandoned")
        func neverWhole() throws {
            let outcome = try run("pull_checked never-whole; echo $?; wc -l < requests.log")
            #expect(outcome.output == "74\n6\n", "\(outcome.error)")
        }

        @Test(
            "a download resumes by date where there is no ETag, and where the end was only assumed",
            arguments: ["dated", "no-length-cut"])
        func resumes(habit: String) throws {
            let outcome = try run("pull_checked \(habit) && cmp $file \"\(Self.model)\" && cat requests.log")
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.output.hasSuffix("\n\(habit) 0\n\(habit) 4129129\n"), "\(outcome.output)")
        }

        @Test("a server that keeps failing is abandoned after some attempts, and the received data is kept")
        func persistent() throws {
            let outcome = try run(
                """
                pull_checked down; echo $?
                pull_checked long; echo $?
                grep -c down requests.log
                ls -A \(Self.folder)
                """)
            #expect(outcome.output == "75\n74\n5\nggml-micro.bin.part\nggml-micro.bin.part.version\n")
            #expect(outcome.error.contains("the server answered 500 (server error)"))
            #expect(outcome.error.contains("trying again in 8 s"))
        }

        @Test(
            "a server that stops sending is abandoned after the timeout, and the download resumes",
            arguments: ["stall-once", "slow-head"])
        func stalls(habit: String) throws {
            let outcome = try run(
                "pull_checked \(habit) --timeout 2 && cmp $file \"\(Self.model)\" && cat requests.log")
            #expect(outcome.status == 0, "\(outcome.error)")
            let starts = outcome.output.split(separator: "\n").suffix(2)
            #expect(starts.first == "\(habit) 0")
            #expect((starts.last == "\(habit) 0") == (habit == "slow-head"))
        }

        @Test("a download is correct after 100 random disconnections")
        func disconnections() throws {
            let outcome = try run(
                """
                while [ "$(wc -l < requests.log 2>&- || echo 0)" -lt 100 ]; do
                    rm -f $file
                    until pull_checked broken -q 2>> errors; do echo again >> again; done > paths
                    cmp $file "\(Self.model)" || exit
                done
                ! grep '^error' errors | grep -v 'was lost'
                """)
            #expect(outcome.status == 0, "\(outcome.output) \(outcome.error)")
        }

        @Test("an interrupted download says how to resume, and resumes where it stopped")
        func interrupted() throws {
            let outcome = try run(
                """
                WHISPER_LOCAL_MODEL_URL=$server/paced whisper-local models pull --sha256 $sum micro & download=$!
                until [ "$(stat -c %s $file.part 2>&-)" -gt 1000000 ] 2>&-; do kill -0 $download || exit; sleep 0.05; done
                pull_checked paced; echo $?
                kill -TERM $download; wait $download; echo $?
                pull_checked plain; echo $?
                cmp $file "\(Self.model)"
                tail -1 requests.log | cut -d ' ' -f 2
                """)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == 5)
            #expect(lines.prefix(2) == ["75", "143"])
            #expect(lines.dropFirst(3).first == "0")
            #expect(Int(lines.last ?? "") ?? 0 > 1_000_000)
            #expect(outcome.error.contains("is already downloading micro"))
            #expect(outcome.error.contains("stopped; to resume: whisper-local models pull --sha256"))
            #expect(outcome.error.contains("resuming after"))
        }

        @Test(
            "on a terminal, Ctrl-C and other signals keep the received data, and the next run continues from there",
            arguments: [("send:\\x03", 130), ("signal:SIGTERM", 143), ("signal:SIGHUP", 129), ("send:\\x03\\x03", 130)])
        func interruptedOnTerminal(step: String, status: Int32) throws {
            let isTwice = step.hasSuffix("\\x03\\x03")
            // A second Ctrl-C ends the program at once, so its lock file may stay.
            let outcome = try run(
                """
                WHISPER_LOCAL_MODEL_URL=$server/paced TERM=xterm in-terminal 100 10 'see:MB/s' '\(step)' -- \\
                    whisper-local models pull --sha256 $sum micro; echo $?
                \(isTwice ? "rm -f \(Self.folder)/.*.lock" : "")
                ls -A \(Self.folder)
                stat -c %s $file.part
                pull_checked plain -q > paths; cmp $file "\(Self.model)" && ls -A \(Self.folder)
                tail -1 requests.log | cut -d ' ' -f 2
                """)
            let lines = outcome.output.split(whereSeparator: \.isNewline).map(String.init)
            let last = Array(lines.suffix(6))
            try #require(outcome.error == "" && last.count == 6, "\(outcome.output) \(outcome.error)")
            #expect(last[0] == "\(status)")
            #expect(last[1...2] == ["ggml-micro.bin.part", "ggml-micro.bin.part.version"])
            #expect(Int(last[3]) ?? 0 > 100_000 && last[4] == "ggml-micro.bin" && last[5] == last[3])
            if !isTwice {
                #expect(outcome.output.contains("stopped; to resume: whisper-local models pull --sha256"))
            }
        }

        @Test("on a terminal, the progress line shows share, speed and time left")
        func progress() throws {
            let outcome = try run(
                """
                TERM=xterm script -qec "stty cols 100
                    WHISPER_LOCAL_MODEL_URL=$server/paced whisper-local models pull --sha256 $sum micro" /dev/null
                """)
            let pattern = /\rmicro: \d of 8 MB \(\d+%\), \d+\.\d MB\/s, 0:0\d left/
            #expect(outcome.output.contains(pattern), "\(outcome.output)")
        }

        @Test("an installed model is checked instead of downloaded again")
        func installed() throws {
            let outcome = try run(
                """
                pull_checked plain; pull_checked plain; echo $?
                printf x >> $file
                pull_checked plain; echo $?
                wc -l < requests.log
                """)
            #expect(outcome.output.split(separator: "\n").suffix(3) == ["0", "65", "1"])
            #expect(outcome.error.contains("micro is already installed\n"))
            #expect(outcome.error.contains("micro is already installed, but its SHA-256 is "))
        }

        @Test("a model that is installed in another format is not downloaded, unless a digest asks for that file")
        func otherFormat() throws {
            let outcome = try run(
                """
                mkdir -p \(Self.folder); cp "\(Self.model)" \(Self.folder)/micro.pt; : >\(Self.folder)/small.pt
                pull plain micro; echo $?
                pull missing small; echo $?
                pull_checked plain; echo $?
                ls \(Self.folder)
                """)
            let lines = outcome.output.split(separator: "\n").map(String.init)
            try #require(lines.count == 8, "\(outcome.output) \(outcome.error)")
            #expect(lines[0].hasSuffix("/\(Self.folder)/micro.pt") && lines[1] == "0" && lines[2] == "69")
            #expect(lines[3].hasSuffix("/\(Self.file)") && lines[4] == "0")
            #expect(lines[5...] == ["ggml-micro.bin", "micro.pt", "small.pt"])
            #expect(outcome.error.contains("micro is already installed as "))
        }

        @Test("the path of the model is printed byte for byte, and short names are known even with a digest")
        func printedPath() throws {
            let outcome = try run(
                """
                folder=$(printf 'o\\377dd folder')
                [ "$(pull plain -q --sha256 $sum --model-dir "$folder" turbo)" = "$folder/ggml-large-v3-turbo.bin" ] && echo same
                cmp "$folder/ggml-large-v3-turbo.bin" "\(Self.model)" && ls "$folder"
                """)
            #expect(outcome == Program.Outcome(status: 0, output: "same\nggml-large-v3-turbo.bin\n", error: ""))
        }

        @Test("a file that appears during the download is kept")
        func appearing() throws {
            let outcome = try run(
                """
                pull_checked paced & download=$!
                until [ -s $file.part ]; do kill -0 $download || exit; sleep 0.05; done
                echo mine >$file; wait $download; echo $?; cat $file
                rm $file; pull_checked paced -q >path; echo $?; cmp $file "\(Self.model)"; wc -l <requests.log
                """)
            #expect(outcome.output == "65\nmine\n0\n1\n", "\(outcome.error)")
            #expect(outcome.error.contains("micro is already installed, but its SHA-256 is"), "\(outcome.error)")
        }

        @Test("a published model must have its published size and digest")
        func published() throws {
            let outcome = try run(
                """
                pull plain tiny; echo $?
                pull sized tiny; echo $?
                ls -A \(Self.folder)
                """)
            #expect(outcome.output == "65\n65\n")
            #expect(outcome.error.contains("the server's file has 8258258 bytes, the published one 77691713"))
            #expect(outcome.error.contains("expected bd577a113a864445d4c299885e0cb97d4ba92b5f"))
            #expect(outcome.error.contains("downloading tiny (78 MB) from http://127.0.0.1:"))
        }

        @Test("the networks for speakers and speech detection come from a server of one's own, with the right content")
        func networks() throws {
            let outcome = try run(
                """
                mkdir folder
                pull plain speakers; echo $?
                pull sized silero-vad --sha256 $(printf %064d 1); echo $?
                pull missing speakers; echo $?
                ls -A \(Self.folder)
                cp "\(Self.model)" folder/silero_vad_16k.safetensors
                OWN=folder; export OWN
                kill $servers; rm port; model-server port & servers=$!
                until [ -s port ]; do kill -0 $! || exit; sleep 0.05; done
                server=http://127.0.0.1:$(cat port)
                pull own silero-vad; echo $?
                """)
            #expect(outcome.output == "65\n65\n69\n65\n")
            for text in [
                "the server's file has 8258258 bytes, the published one 33724804",
                "the server sent a file that is not in safetensors format instead of a model",
                "the server answered 404 (not found): http://127.0.0.1:",
                "the server's file has 8258258 bytes, the published one 1239860",
            ] {
                #expect(outcome.error.contains(text), "\(text)\n\(outcome.error)")
            }
        }

        @Test(
            "the installed networks can be pulled from a server that has them, and are found then",
            .enabled(if: RealVoices.isInstalled, RealVoices.reason))
        func installedNetworks() throws {
            let outcome = try run(
                """
                pull own -q speakers silero-vad; echo $?
                cmp $OWN/speakers.safetensors \(Self.folder)/speakers.safetensors
                pull own speakers; echo $?
                pull own -q --model-dir here --sha256 $(sha256sum < $OWN/silero_vad_16k.safetensors | cut -c 1-64) silero-vad
                whisper-local models list | grep -e "^speakers " -e ^silero-vad
                wc -l < requests.log
                """, environment: ["OWN": RealVoices.models ?? ""])
            let lines = outcome.output.split(separator: "\n").map(String.init)
            try #require(lines.count == 9, "\(outcome.output) \(outcome.error)")
            #expect(lines[0].hasSuffix("/\(Self.folder)/speakers.safetensors"))
            #expect(lines[1].hasSuffix("/\(Self.folder)/silero_vad_16k.safetensors"))
            #expect(lines[2] == "0" && lines[3] == lines[0] && lines[4] == "0")
            #expect(lines[5] == "here/silero_vad_16k.safetensors")
            #expect(!outcome.output.contains("not installed") && lines.last == "3")
            #expect(outcome.error == "speakers is already installed\n")
        }

        @Test("a mirror's address may contain the name, and its password is not shown")
        func address() throws {
            let outcome = try run(
                """
                WHISPER_LOCAL_MODEL_URL="http://me:secret@${server#http://}/plain/{name}/model.bin" \\
                    whisper-local models pull --model-dir here/there micro; echo $?
                """)
            #expect(outcome.output == "here/there/ggml-micro.bin\n0\n")
            #expect(!outcome.error.contains("secret"))
            #expect(outcome.error.contains("from http://127.0.0.1:"))
        }

        @Test("wrong names and addresses are reported before anything is downloaded")
        func wrongArguments() throws {
            let outcome = try Program.shell(
                """
                for name in tinny base-q5_1 ../tiny .tiny '' 'a b'; do whisper-local models pull "$name"; echo $?; done
                for url in ftp://example.org file:///tmp; do
                    WHISPER_LOCAL_MODEL_URL=$url whisper-local models pull tiny; echo $?
                done
                whisper-local models pull; echo $?
                whisper-local models pull --sha256 12 tiny; echo $?
                whisper-local models pull --sha256 $(printf %064d 1) tiny base; echo $?
                ls -A .home
                """, in: Program.Scratch())
            #expect(outcome.output == String(repeating: "64\n", count: 11))
            #expect(outcome.error.contains("no published model is called 'tinny'; did you mean 'tiny'?"))
            #expect(outcome.error.contains("the digest of 'base-q5_1' is not known"))
            #expect(outcome.error.contains("invalid model name '../tiny'"))
            #expect(outcome.error.contains("is not an HTTP or HTTPS address: 'file:///tmp'"))
        }
    }
#endif
