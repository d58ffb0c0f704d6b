import Foundation
import Testing

/// Disks, networks and servers that fail before anything arrives.
#if HAS_CURL
    extension ModelsPullTests {
        @Test("a certificate is checked, and one given with SSL_CERT_FILE is trusted")
        func certificates() throws {
            let outcome = try run(
                """
                openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \\
                    -keyout key.pem -out certificate.pem 2>&-
                cat key.pem certificate.pem > both.pem
                model-server tls-port both.pem & servers="$servers $!"
                until [ -s tls-port ]; do kill -0 $! || exit; sleep 0.05; done
                server=https://localhost:$(cat tls-port)
                pull_checked plain; echo $?
                export SSL_CERT_FILE=certificate.pem
                pull_checked to-http; echo $?
                pull_checked plain; echo $?
                SSL_CERT_FILE=nowhere.pem; rm $file
                pull_checked plain; echo $?
                """)
            #expect(
                outcome.output.split(separator: "\n").filter { $0.count < 4 } == ["69", "69", "0", "69"],
                "\(outcome.output) \(outcome.error)")
            #expect(outcome.error.contains("no secure connection to localhost:"))
            #expect(outcome.error.contains("redirects to an address that is not allowed"))
            #expect(outcome.error.contains("cannot read the trusted certificates"))
        }

        @Test("a full disk is reported, and the received data is kept")
        func fullDisk() throws {
            let outcome = try run("(ulimit -f 4000; pull_checked plain); echo $?; ls \(Self.folder)")
            #expect(outcome.output.hasPrefix("74\nggml-micro.bin.part\n"))
            #expect(outcome.error.contains("disk"))
        }

        @Test("without a network, the error says so")
        func offline() throws {
            let outcome = try Program.shell(
                """
                export WHISPER_LOCAL_MODEL_URL=http://models.invalid/
                whisper-local models pull tiny; echo $?
                WHISPER_LOCAL_MODEL_URL=http://127.0.0.1:1 whisper-local models pull tiny; echo $?
                http_proxy=http://127.0.0.1:1 whisper-local models pull tiny; echo $?
                http_proxy=http://proxy.invalid:1 whisper-local models pull tiny; echo $?
                FAULT_LIBRARY=libcurl LD_PRELOAD=$FAULTS whisper-local models pull tiny; echo $?
                """, in: Program.Scratch())
            #expect(outcome.output == "69\n69\n69\n69\n69\n")
            for text in [
                "cannot reach models.invalid: no network or no name server", "cannot connect to 127.0.0.1:1",
                "cannot find the proxy",
                "downloads need libcurl", "try: apt install libcurl4",
            ] {
                #expect(outcome.error.contains(text), "\(text)\n\(outcome.error)")
            }
        }

        @Test("a host that does not answer at all is reported after one timeout, as one that cannot be reached")
        func unanswered() throws {
            let outcome = try Program.shell(
                """
                python3 - <<'END' &
                import socket, time
                server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(0)
                # While the queue is full, Linux ignores further connections.
                clients = [socket.socket() for _ in range(4)]
                for client in clients: client.setblocking(False); client.connect_ex(server.getsockname())
                time.sleep(0.2)
                open("port", "w").write(str(server.getsockname()[1]))
                time.sleep(60)
                END
                server=$!; trap 'kill $server' EXIT
                until [ -s port ]; do kill -0 $server || exit; sleep 0.05; done
                export WHISPER_LOCAL_MODEL_URL=http://127.0.0.1:$(cat port)
                whisper-local models pull --timeout 1 tiny; echo $?
                """, in: Program.Scratch())
            #expect(outcome.output == "69\n")
            #expect(outcome.error.contains("cannot connect to 127.0.0.1:"), "\(outcome.error)")
            #expect(outcome.error.contains("try: check the network"), "\(outcome.error)")
            #expect(!outcome.error.contains("trying again"), "\(outcome.error)")
        }

        @Test("the download is retried if the handshake is interrupted or a proxy cannot reach the server")
        func unreliableConnections() throws {
            let outcome = try run(
                """
                https_proxy=$server whisper-local models pull tiny; echo $?
                cat requests.log
                python3 - <<'END' & servers="$servers $!"
                import socket, struct
                server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen(5)
                open("reset-port", "w").write(str(server.getsockname()[1]))
                client = server.accept()[0]
                client.recv(1)
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                server.close(); client.close()
                END
                until [ -s reset-port ]; do kill -0 $! || exit; sleep 0.05; done
                WHISPER_LOCAL_MODEL_URL=https://127.0.0.1:$(cat reset-port) whisper-local models pull tiny; echo $?
                """)
            #expect(outcome.output == "69\nconnect 1\nconnect 2\n69\n")
            let lines = outcome.error.split(separator: "\n").filter { !$0.hasPrefix("downloading") }
            try #require(lines.count == 6, "\(outcome.error)")
            #expect(lines[0] == "the proxy refused to connect to huggingface.co (status 502); trying again in 1 s")
            #expect(lines[1] == "error: the proxy refused to connect to huggingface.co (status 403)")
            #expect(
                lines[3].hasPrefix("no secure connection to 127.0.0.1:") && lines[3].hasSuffix("trying again in 1 s"))
            #expect(lines[4].hasPrefix("error: cannot connect to 127.0.0.1:"))
        }
    }
#endif
