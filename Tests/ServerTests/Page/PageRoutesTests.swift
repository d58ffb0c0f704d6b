import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Page")
struct PageRoutesTests {
    private func text(_ path: String) async throws -> String {
        let response = try #require(try await PageFixture.answer("GET", path))
        guard case .bytes(let bytes) = response.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private var files: [Route] {
        PageFixture.routes(ScriptedTranscriber(result: .failure(HTTPError(500, "")))).filter {
            $0.method == "GET" && $0.pattern != "/page/choices"
        }
    }

    @Test(
        "files come with their types",
        arguments: [
            ("/", "text/html; charset=utf-8"), ("/page/app.js", "text/javascript; charset=utf-8"),
            ("/page/page.css", "text/css; charset=utf-8"), ("/page/icon.svg", "image/svg+xml"),
            ("/docs", "text/html; charset=utf-8"),
        ])
    func types(path: String, type: String) async throws {
        let response = try #require(try await PageFixture.answer("GET", path))
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == type)
    }

    @Test("every file forbids other sources, guessed types and referrers, and needs no key")
    func headers() async throws {
        #expect(files.count > 10)
        for file in files {
            let headers = try #require(try await PageFixture.answer("GET", file.pattern)).headers
            #expect(
                headers["Content-Security-Policy"]
                    == "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; media-src 'self' blob:; img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            )
            #expect(headers["X-Content-Type-Options"] == "nosniff")
            #expect(headers["Referrer-Policy"] == "no-referrer")
            #expect(file.access == .everyone)
        }
    }

    @Test("everything that the page refers to is served")
    func references() async throws {
        let served = Set(files.map(\.pattern) + ["/page/choices", "/page/transcribe", "/page/subtitles"])
        var found: Set<String> = []
        for file in files {
            for match in try await text(file.pattern).matches(of: #/["'](\/page\/[^"'?]*)/#) {
                #expect(served.contains(String(match.1)), "\(file.pattern) refers to \(match.1)")
                found.insert(String(match.1))
            }
        }
        #expect(found.isSuperset(of: ["/page/app.js", "/page/page.css", "/page/transcribe"]), "\(found)")
    }

    @Test("the page has no script or style of its own and no address elsewhere")
    func inline() async throws {
        for page in [try await text("/"), try await text("/docs")] {
            for inline in ["<style", "style=", "<script>", "onclick=", "javascript:"] {
                #expect(!page.contains(inline))
            }
        }
        for file in files {
            for match in try await text(file.pattern).matches(of: #/https?:\/\/[^\s"'`)]*/#) {
                // The namespace of SVG, and an address in a message.
                #expect(["http://www.w3.org/2000/svg", "http://127.0.0.1"].contains(String(match.0)))
            }
        }
    }

    @Test("a file that the browser already has is not sent again")
    func unchanged() async throws {
        let first = try #require(try await PageFixture.answer("GET", "/page/app.js"))
        let tag = try #require(first.headers["ETag"])
        let again = try #require(
            try await PageFixture.answer(
                "GET", "/page/app.js", headers: Headers([("If-None-Match", "\"other\", \(tag)")])))
        #expect(again.status == 304)
        #expect(again.headers["ETag"] == tag)
        let other = try #require(
            try await PageFixture.answer("GET", "/page/app.js", headers: Headers([("If-None-Match", "\"other\"")])))
        #expect(other.status == 200)
    }

    @Test("models and their languages can be chosen, with the server's key")
    func choices() async throws {
        let response = try #require(try await PageFixture.answer("GET", "/page/choices"))
        guard case .bytes(let bytes) = response.body else { throw HTTPError(500, "not JSON") }
        let choices = try JSONValue(bytes, depth: 4, members: 1000)
        guard case .array(let models)? = choices["models"] else { throw HTTPError(500, "no models") }
        #expect(models.map { $0["name"]?.string } == ["nano.en", "base"])
        #expect(models[0]["languages"] == .array([.string("en")]))
        #expect(models[0]["translates"] == .bool(false) && models[0]["takesLanguage"] == .bool(true))
        #expect(choices["speakers"] == .bool(false) && choices["limit"] == .number("1048576"))
        // One that cannot be opened.
        guard case .array(let all)? = models[1]["languages"] else { throw HTTPError(500, "no languages") }
        #expect(all.count == 100)
        #expect(choices["default"]?.string == "nano.en")
        guard case .array(let languages)? = choices["languages"] else { throw HTTPError(500, "no languages") }
        #expect(languages.count == 100)
        #expect(languages.contains { $0["code"]?.string == "ht" && $0["name"]?.string == "haitian creole" })
        let routes = PageFixture.routes(ScriptedTranscriber(result: .failure(HTTPError(500, ""))))
        #expect(
            routes.filter { $0.access == .key }.map(\.pattern) == [
                "/page/choices", "/page/subtitles", "/page/transcribe",
            ])
    }
}
