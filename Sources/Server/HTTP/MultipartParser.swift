import WhisperEngine

/// Parses a multipart form (RFC 7578) as it arrives, in linear time, with memory only for the text fields.
///
/// Every division of the body into reads gives the same form or the same error.
package struct MultipartParser: Sendable {
    package static let maxParts = 64
    /// Maximum bytes of a text field, and of one that contains a prompt.
    package static let (maxFieldBytes, maxPromptBytes) = (1 << 10, 64 << 10)
    private static let prompts: Set<String> = ["prompt", "hotwords", "initial_prompt", "terms"]
    /// Maximum bytes of all text fields together: two prompts, and every other field at its limit.
    package static let maxTextBytes = 192 << 10
    /// A field that contains recordings as text and that no route uses. The form has it without its content.
    private static let unused = "known_speaker_references"

    private enum State { case preamble, head, content, epilogue }

    private enum Content {
        /// - Parameter isFile: whether it came as a file, as some clients send all fields; then it may be anything.
        case text([UInt8], limit: Int, isFile: Bool)
        case file(Upload, limit: Int)
        case dropped
    }

    private var state = State.preamble
    private var delimiter: MultipartDelimiter
    /// The headers of the current part so far.
    private var head: [UInt8] = []
    private var name = ""
    private var content = Content.dropped
    private var partCount = 0
    private var textCount = 0
    private var form = MultipartForm()
    private let fileLimit: Int
    private let fileFields: Set<String>
    private let room: Int

    /// - Parameters:
    ///   - contentType: the request's header.
    ///   - fileLimit: maximum bytes of a file.
    ///   - fileFields: names of the fields that hold a recording.
    ///   - room: free bytes that the folder of a temporary file should have; `nil` for the limit.
    /// - Throws: 415 unless it is a form, 400 if its boundary is missing or invalid.
    package init(
        contentType: String?, fileLimit: Int, fileFields: Set<String> = MultipartForm.fileFields, room: Int? = nil
    ) throws(HTTPError) {
        let unsupported = HTTPError(
            415, "Send the recording as multipart/form-data.", code: "unsupported_media_type")
        guard let contentType else { throw unsupported }
        let type = contentType.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        guard type.lowercased() == "multipart/form-data" else { throw unsupported }
        let boundaries = MultipartParameters(Array(contentType.utf8))?["boundary"] ?? []
        guard boundaries.count == 1, Self.isValid(boundary: boundaries[0]) else {
            throw .malformedForm("its boundary is missing or invalid")
        }
        delimiter = MultipartDelimiter(boundary: boundaries[0])
        self.fileLimit = fileLimit
        self.fileFields = fileFields
        self.room = room ?? fileLimit
    }

    /// Parses the next bytes of the body. After an error, the form is lost.
    package mutating func append(_ bytes: [UInt8]) throws(HTTPError) {
        var position = 0
        while position < bytes.count, state != .epilogue {
            if state == .head {
                try readHead(bytes, from: &position)
                continue
            }
            var data: [UInt8] = []
            let found = delimiter.scan(bytes, from: &position, into: &data)
            if state == .content {
                try add(data)
                if found != nil { try endPart() }
            }
            switch found {
            case .part: state = .head
            case .end: state = .epilogue
            case nil: break
            }
        }
    }

    /// Returns the form after the last byte of the body.
    package mutating func finish() throws(HTTPError) -> MultipartForm {
        guard state == .epilogue else {
            throw .malformedForm("it is incomplete, its closing boundary is missing", code: "incomplete")
        }
        return form
    }

    /// RFC 2046, section 5.1.1: up to 70 characters of a small set, the last of which is not a blank.
    private static func isValid(boundary: [UInt8]) -> Bool {
        (1...70).contains(boundary.count) && boundary.last != 0x20
            && boundary.allSatisfy { $0.isASCIIAlphanumeric || "'()+_,-./:=? ".utf8.contains($0) }
    }

    // MARK: - Parts

    private mutating func readHead(_ bytes: [UInt8], from position: inout Int) throws(HTTPError) {
        let newline: [UInt8] = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
        while position < bytes.count {
            head.append(bytes[position])
            position += 1
            if bytes[position - 1] == newline[1], head == newline || head.suffix(4).elementsEqual(newline + newline) {
                return try beginPart()
            }
            if head.count > MultipartHead.maxBytesWithFileName {
                throw .malformedForm("the headers of a part are too long")
            }
        }
    }

    private mutating func beginPart() throws(HTTPError) {
        partCount += 1
        guard partCount <= Self.maxParts else { throw .malformedForm("it has more than \(Self.maxParts) parts") }
        let part = try MultipartHead(head)
        head = []
        name = part.name
        state = .content
        if fileFields.contains(name) {
            guard form.file(name) == nil else {
                throw HTTPError.invalid(String(name.prefix(64)), "The form has two parts with the same file field.")
            }
            // A recording in a `data:` URL is four thirds as long, its prefix aside.
            let limit = name == MultipartForm.url ? fileLimit / 3 * 4 + 1024 : fileLimit
            let upload = Upload(
                room: room,
                headerless: HeaderlessAudio.format(contentType: part.contentType, fileExtension: part.fileExtension))
            form.files.append(
                MultipartForm.File(
                    name: name, file: upload, fileExtension: part.fileExtension, contentType: part.contentType))
            content = .file(upload, limit: limit)
        } else if FormFields.element(name)?.list == Self.unused {
            content = .dropped
        } else {
            let limit = Self.prompts.contains(name) ? Self.maxPromptBytes : Self.maxFieldBytes
            content = .text([], limit: limit, isFile: part.hasFileName)
        }
    }

    private mutating func add(_ data: [UInt8]) throws(HTTPError) {
        guard !data.isEmpty else { return }
        switch content {
        case .dropped: break
        case .file(let upload, let limit):
            guard upload.count + data.count <= limit else { throw .tooLarge(limit: fileLimit, param: name) }
            try upload.append(data)
        case .text(var text, let limit, let isFile):
            content = .dropped
            guard text.count + data.count <= limit else {
                // A file in a field that no route knows.
                if isFile, !Self.prompts.contains(name) { return }
                throw HTTPError.invalid(String(name.prefix(64)), "A field of the form is longer than \(limit) bytes.")
            }
            text += data
            content = .text(text, limit: limit, isFile: isFile)
        }
    }

    private mutating func endPart() throws(HTTPError) {
        defer { content = .dropped }
        switch content {
        case .dropped: form.fields.append((name, ""))
        case .file(let upload, _):
            guard upload.count > 0 || name == MultipartForm.url else {
                throw HTTPError.invalid(name, "The file is empty. Record again.", code: "invalid_audio")
            }
            upload.finish()
        case .text(let bytes, _, let isFile):
            guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                if isFile { return form.fields.append((name, "")) }
                throw HTTPError.invalid(String(name.prefix(64)), "A field of the form is not valid UTF-8 text.")
            }
            textCount += bytes.count
            guard textCount <= Self.maxTextBytes else {
                throw .malformedForm("its fields are longer than \(Self.maxTextBytes >> 10) KiB in all")
            }
            form.fields.append((name, text))
        }
    }
}
