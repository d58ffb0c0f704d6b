/// The headers of a part of a form.
struct MultipartHead {
    /// The name of the field.
    let name: String
    /// Whether the part has a file name, even an empty one.
    let hasFileName: Bool
    /// The extension of the file name in lower case, if it has a plain one.
    let fileExtension: String?
    let contentType: String?

    /// Maximum bytes of all headers without file names, which some clients fill with anything.
    static let maxBytes = 4 << 10
    /// Maximum bytes including file names.
    static let maxBytesWithFileName = 16 << 10
    private static let maxHeaders = 16

    /// - Parameter block: the lines of the headers, each with its CRLF.
    /// - Throws: 400 for anything but a well-formed `form-data` part with a name.
    init(_ block: [UInt8]) throws(HTTPError) {
        var headers: [(name: String, value: [UInt8])] = []
        for line in try Self.lines(of: block) {
            let name = line.prefix(while: HTTPLine.isToken)
            guard !name.isEmpty, line.dropFirst(name.count).first == UInt8(ascii: ":") else {
                throw .malformedForm("a part has a line that is not a header")
            }
            let value = MultipartParameters.trimmed(line.dropFirst(name.count + 1))
            headers.append((String(decoding: name, as: UTF8.self).lowercased(), Array(value)))
            if headers.count > Self.maxHeaders { throw .malformedForm("a part has too many headers") }
        }
        let dispositions = headers.filter { $0.name == "content-disposition" }
        guard dispositions.count == 1, let disposition = MultipartParameters(dispositions[0].value),
            disposition.value == "form-data"
        else { throw .malformedForm("a part has no valid Content-Disposition") }

        let fileNames = disposition["filename"] + disposition["filename*"]
        guard block.count - fileNames.reduce(0, { $0 + $1.count }) <= Self.maxBytes else {
            throw .malformedForm("the headers of a part are too long")
        }
        name = try Self.name(disposition)
        hasFileName = !fileNames.isEmpty
        // The extended form is preferred (RFC 6266, section 4.3).
        fileExtension = (disposition["filename*"] + disposition["filename"]).first.flatMap {
            Self.fileExtension(of: $0)
        }
        contentType = headers.first { $0.name == "content-type" }.flatMap {
            String(validating: $0.value, as: UTF8.self)
        }
        for encoding in headers where encoding.name == "content-transfer-encoding" {
            // RFC 7578, section 4.7, deprecates the header.
            guard ["binary", "8bit", "7bit"].contains(String(decoding: encoding.value, as: UTF8.self).lowercased())
            else { throw .malformedForm("a part has an unsupported Content-Transfer-Encoding") }
        }
    }

    private static func lines(of block: [UInt8]) throws(HTTPError) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = 0
        for index in block.indices where block[index] == UInt8(ascii: "\n") {
            guard index > start, block[index - 1] == UInt8(ascii: "\r") else {
                throw .malformedForm("lines must end with CR and LF")
            }
            lines.append(block[start..<(index - 1)])
            start = index + 1
        }
        guard start == block.count, !lines.joined().contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }) else {
            throw .malformedForm("the headers of a part contain control characters")
        }
        return lines.last?.isEmpty == true ? Array(lines.dropLast()) : lines
    }

    /// The name, percent-decoded: some clients encode the brackets of `name[]`.
    private static func name(_ disposition: MultipartParameters) throws(HTTPError) -> String {
        let names = disposition["name"]
        guard names.count == 1 else { throw .malformedForm("a part has no name") }
        let decoded = MultipartParameters.percentDecoded(names[0])
        guard !decoded.isEmpty else { throw .malformedForm("a part has no name") }
        guard decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }), let name = String(validating: decoded, as: UTF8.self)
        else { throw .malformedForm("the name of a part contains control characters or is not UTF-8") }
        return name
    }

    private static func fileExtension(of fileName: [UInt8]) -> String? {
        let decoded = MultipartParameters.percentDecoded(fileName)
        guard let dot = decoded.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let ending = decoded[(dot + 1)...]
        let isPlain = ending.allSatisfy {
            HTTPLine.isToken($0) && Character(Unicode.Scalar($0)).isLetter || (0x30...0x39).contains($0)
        }
        guard (1...8).contains(ending.count), isPlain else { return nil }
        return String(decoding: ending, as: UTF8.self).lowercased()
    }
}

extension HTTPError {
    /// - Parameter problem: a short clause such as `a part has no name`.
    static func malformedForm(_ problem: String, code: String? = nil) -> HTTPError {
        HTTPError(400, "The form could not be read: \(problem).", code: code)
    }
}
