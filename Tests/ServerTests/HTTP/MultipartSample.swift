import WhisperServer

/// Bodies of forms and what a parser makes of them.
enum MultipartSample {
    static let contentType = "multipart/form-data; boundary=XyZ"

    /// The result of parsing a body, comparable as a whole.
    enum Outcome: Equatable, CustomStringConvertible {
        case form([String])
        case refused(HTTPError)

        var description: String {
            switch self {
            case .form(let parts): "form \(parts)"
            case .refused(let error): "\(error.status) \(error.code ?? "-") \(error.message)"
            }
        }

        var error: HTTPError? {
            if case .refused(let error) = self { error } else { nil }
        }
    }

    /// A part with a disposition and further lines.
    static func part(_ disposition: String, _ content: String = "value", lines: [String] = []) -> String {
        (["--XyZ", "Content-Disposition: form-data; \(disposition)"] + lines + ["", content, ""])
            .joined(separator: "\r\n")
    }

    static func body(_ parts: String...) -> [UInt8] { Array((parts.joined() + "--XyZ--\r\n").utf8) }

    /// - Parameter cuts: where the body is divided into reads.
    static func parse(
        _ body: [UInt8], contentType: String? = contentType, limit: Int = 1 << 20, cuts: [Int] = []
    ) -> Outcome {
        do throws(HTTPError) {
            var parser = try MultipartParser(contentType: contentType, fileLimit: limit)
            var start = 0
            for cut in cuts + [body.count] {
                try parser.append(Array(body[start..<cut]))
                start = cut
            }
            return .form(described(try parser.finish()))
        } catch {
            return .refused(error)
        }
    }

    static func described(_ form: MultipartForm) -> [String] {
        var parts = form.fields.map { "\($0.name)=\($0.value)" }
        for file in form.files {
            parts.append(
                "\(file.name): \(file.file.count) .\(file.fileExtension ?? "") \(file.contentType ?? "")"
                    + " \(file.file.sha256)")
        }
        return parts
    }

    /// The bytes of the file of an accepted form.
    static func file(_ body: [UInt8], name: String = "file") throws -> [UInt8]? {
        var parser = try MultipartParser(contentType: contentType, fileLimit: 1 << 20)
        try parser.append(body)
        let file = try parser.finish().file(name)?.file
        return try file.map { try $0.bytes(0..<$0.count) }
    }
}
