import WhisperEngine

/// The body of a request to store a recipe. The sender's id is required, as applications send it, and dropped.
struct RecipeRequest: Equatable {
    static let bodyLimit = 64 << 10

    enum Refusal: Error, Equatable {
        case invalidJSON
        case missingFields([String])
        /// - Parameter allowed: the allowed values, if there are only a few.
        case invalid(field: String, allowed: [String] = [])
    }

    let sourceType: String
    let platform: String
    let sourceURL: String
    let videoID: String
    let username: String
    let isPublic: Bool
    let extractionMethod: String
    /// 0…1.
    let extractionConfidence: Double?
    /// The recipe as it was sent.
    let json: String

    private static let requiredFields = [
        "recipe", "sourceType", "sourcePlatform", "sourceUrl", "sourceVideoId", "userId", "username",
    ]

    init(_ body: [UInt8]) throws(Refusal) {
        var fields: [String: JSONValue] = [:]
        var json = ""
        var parser = JSONParser(text: body, membersLeft: 10_000)
        do throws(JSONValue.Problem) {
            try parser.document(depth: 16) { (name, parser) throws(JSONValue.Problem) in
                let start = parser.position
                fields[name] = try parser.value(depth: 15)
                if name == "recipe" { json = String(decoding: body[start..<parser.position], as: UTF8.self) }
            }
        } catch {
            throw .invalidJSON
        }
        guard case .object? = fields["recipe"], let sourceType = Self.text(fields["sourceType"]),
            let platform = Self.text(fields["sourcePlatform"]), let sourceURL = Self.text(fields["sourceUrl"]),
            let videoID = Self.text(fields["sourceVideoId"]), Self.text(fields["userId"]) != nil,
            let username = Self.text(fields["username"])
        else { throw .missingFields(Self.requiredFields) }
        try Self.check(fields["recipe"])
        guard sourceType == "video" else { throw .invalid(field: "sourceType", allowed: ["video"]) }
        let platforms = VideoLink.Platform.allCases.map(\.rawValue)
        guard platforms.contains(platform) else { throw .invalid(field: "platform", allowed: platforms) }
        self.sourceType = sourceType
        self.platform = platform
        self.sourceURL = sourceURL
        self.videoID = videoID
        self.username = username
        self.json = json
        isPublic = try Self.flag(fields["isPublic"])
        extractionMethod = Self.text(fields["extractionMethod"]) ?? "whisper_ai"
        extractionConfidence = try Self.confidence(fields["extractionConfidence"])
    }

    private static func check(_ recipe: JSONValue?) throws(Refusal) {
        guard text(recipe?["title"]) != nil, isList(recipe?["ingredients"], of: "name"),
            isList(recipe?["instructions"], of: "text")
        else { throw .missingFields(["title", "ingredients", "instructions"]) }
    }

    /// Whether a value is an array of objects, each with this text.
    private static func isList(_ value: JSONValue?, of field: String) -> Bool {
        guard case .array(let elements)? = value else { return false }
        return elements.allSatisfy { text($0[field]) != nil }
    }

    /// `nil` for an empty text.
    private static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func flag(_ value: JSONValue?) throws(Refusal) -> Bool {
        switch value {
        case nil, .null?: return true
        case .bool(let isOn)?: return isOn
        default: throw .invalid(field: "isPublic", allowed: ["true", "false"])
        }
    }

    private static func confidence(_ value: JSONValue?) throws(Refusal) -> Double? {
        switch value {
        case nil, .null?: return nil
        case .number(let text)?:
            if let number = Double(text), (0...1).contains(number) { return number }
        default: break
        }
        throw .invalid(field: "extractionConfidence")
    }
}

extension RecipeRequest.Refusal {
    var response: Response {
        let members: [(key: String, value: String)] =
            switch self {
            case .invalidJSON: [("error", JSONText.string("Invalid JSON"))]
            case .missingFields(let names):
                [
                    ("error", JSONText.string("Missing required fields")),
                    ("required", JSONText.array(names.map { JSONText.string($0) })),
                ]
            case .invalid(let field, let allowed):
                [("error", JSONText.string("Invalid \(field)"))]
                    + (allowed.isEmpty ? [] : [("allowed", JSONText.array(allowed.map { JSONText.string($0) }))])
            }
        return .json(JSONText.object(members), status: 400)
    }
}
