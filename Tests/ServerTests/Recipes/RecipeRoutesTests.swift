import Foundation
import Testing
import WhisperEngine
import WhisperServer

@Suite("Recipe route")
struct RecipeRoutesTests {
    private let fixture: CacheFixture
    private let path: FilePath
    private let route: Route

    init() throws {
        fixture = try CacheFixture()
        path = FilePath(fixture.folder.path + "/data/recipes.db")
        route = RecipeRoutes.routes(try RecipeStore(path))[0]
    }

    private static let recipe =
        #"{"title":"Soup","ingredients":[{"name":"salt","amount":1.5,"unit":"g","preparation":""}], "instructions":"#
        + #"[{"step":1,"text":"Stir."}],"tags":["hot"]}"#

    private static func body(
        _ recipe: String = recipe, url: String = #""https:\/\/youtu.be\/dQw4w9WgXcQ""#, more: String = ""
    ) -> String {
        #"{"recipe": \#(recipe) ,"sourceType":"video","sourcePlatform":"youtube","sourceUrl":\#(url),"#
            + #""sourceVideoId":"dQw4w9WgXcQ","userId":"user-42","username":"ann"\#(more)}"#
    }

    private func response(_ body: String, authorization: String? = "Bearer token") async throws -> Response {
        let headers = Headers(authorization.map { [("Authorization", $0)] } ?? [])
        let head = RequestHead(method: "POST", path: route.pattern, headers: headers)
        return try await route.respond(Request(head, body: .bytes(Array(body.utf8))))
    }

    @Test("a recipe is stored once for each address, and imports are counted")
    func save() async throws {
        #expect(
            route.method == "POST" && route.pattern == "/api/app/recipes/save-community-recipe" && route.access == .key)
        let first = try await response(Self.body())
        let parts = first.text.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
        let id = try #require(parts.count > 5 ? parts[5] : nil)
        #expect(UUID(uuidString: id) != nil)
        #expect(
            first.text == #"{"success":true,"recipeId":"\#(id)","existed":false,"importCount":1,"#
                + #""message":"Recipe saved to community database"}"#)
        let second = try await response(Self.body(#"{"title":"Other","ingredients":[],"instructions":[]}"#))
        #expect(
            second.text == #"{"success":true,"recipeId":"\#(id)","existed":true,"importCount":2,"#
                + #""message":"Recipe already in database. Import count incremented."}"#)
        #expect(first.status == 200 && second.status == 200)
        let other = try await response(Self.body(url: #""https://youtu.be/AAAAAAAAAAA""#))
        #expect(other.text.contains(#""existed":false,"importCount":1"#) && !other.text.contains(id))
    }

    @Test("the recipe is stored as it was sent, with defaults, in a private file, without the user's id")
    func stored() async throws {
        _ = try await response(Self.body())
        let columns = "source_url, platform, video_id, username, is_public, extraction_method, recipe"
        let row = try SQLiteDatabase(path, access: .read).rows("SELECT \(columns) FROM recipe") { row in
            (0..<7).map { row.optionalText($0) ?? "\(row.integer($0))" }
        }
        #expect(
            row == [
                [
                    "https://youtu.be/dQw4w9WgXcQ", "youtube", "dQw4w9WgXcQ", "ann", "1", "whisper_ai", Self.recipe,
                ]
            ])
        for suffix in ["", "-wal"] {
            let file = path.description + suffix
            #expect(try Data(contentsOf: URL(filePath: file)).range(of: Data("user-42".utf8)) == nil)
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("optional fields are accepted and checked")
    func options() async throws {
        func status(_ more: String) async throws -> Int { try await response(Self.body(more: more)).status }
        let fields = #","isPublic":false,"extractionMethod":"hand","extractionConfidence":0.75,"unknown":[{}]"#
        #expect(try await status(fields) == 200)
        let database = try SQLiteDatabase(path, access: .read)
        let stored = try database.rows(
            "SELECT is_public, extraction_method, extraction_confidence * 100 = 75 FROM recipe"
        ) { ["\($0.integer(0))", $0.text(1), "\($0.integer(2))"] }
        #expect(stored == [["0", "hand", "1"]])
        #expect(try await status(#","isPublic":null,"extractionConfidence":null"#) == 200)
        for bad in [#""isPublic":1"#, #""extractionConfidence":1.5"#, #""extractionConfidence":"1""#] {
            #expect(try await status("," + bad) == 400, "\(bad)")
        }
    }

    @Test("what is missing is named")
    func missing() async throws {
        let fields =
            #"{"error":"Missing required fields","required":["recipe","sourceType","sourcePlatform","sourceUrl","#
            + #""sourceVideoId","userId","username"]}"#
        let body = Self.body()
        for name in ["recipe", "sourceType", "sourcePlatform", "sourceUrl", "sourceVideoId", "userId", "username"] {
            let changed = body.replacingOccurrences(of: "\"\(name)\":", with: "\"x\":")
            #expect(changed != body)
            let response = try await response(changed)
            #expect(response.status == 400 && response.text == fields, "\(name)")
        }
        let inner = #"{"error":"Missing required fields","required":["title","ingredients","instructions"]}"#
        for recipe in [
            "{}", #"{"title":"","ingredients":[],"instructions":[]}"#, #"{"title":"x","ingredients":[]}"#,
            #"{"title":"x","ingredients":[{"amount":1}],"instructions":[]}"#,
            #"{"title":"x","ingredients":[],"instructions":["Stir."]}"#,
        ] {
            #expect(try await response(Self.body(recipe)).text == inner, "\(recipe)")
        }
        #expect(try await response(Self.body("[]")).text == fields)
    }

    @Test("a request without a token, with another source or without JSON is rejected")
    func refused() async throws {
        #expect(try await response(Self.body(), authorization: nil).text == #"{"error":"No token provided"}"#)
        for body in ["", "[]", "{", Self.body() + "x"] {
            #expect(try await response(body).text == #"{"error":"Invalid JSON"}"#)
        }
        let page = Self.body().replacingOccurrences(of: #""video""#, with: #""page""#)
        #expect(try await response(page).text == #"{"error":"Invalid sourceType","allowed":["video"]}"#)
        let vimeo = Self.body().replacingOccurrences(of: #""youtube""#, with: #""vimeo""#)
        #expect(
            try await response(vimeo).text
                == #"{"error":"Invalid platform","allowed":["tiktok","instagram","youtube"]}"#)
        #expect(route.refusal(HTTPError(413, "Too long.")).text == #"{"error":"Too long."}"#)
    }
}
