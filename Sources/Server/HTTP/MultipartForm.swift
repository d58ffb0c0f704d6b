/// The parts of a multipart form.
package struct MultipartForm: Sendable {
    /// Text fields in order, also those that came as files.
    package var fields: [(name: String, value: String)]
    /// The recordings in order; no two have the same name.
    package var files: [File]

    /// The fields of most routes that hold a recording.
    package static let fileFields: Set = ["file", url]
    /// A recording in a `data:` URL.
    package static let url = "url"

    package init(fields: [(name: String, value: String)] = [], files: [File] = []) {
        self.fields = fields
        self.files = files
    }

    /// The file of a field.
    package func file(_ name: String) -> File? { files.first { $0.name == name } }

    /// A file of a form. The name that the client gave it is not kept: it may be a path, and it may be private.
    package struct File: Sendable {
        /// The name of the field.
        package var name: String
        package var file: Upload
        /// Such as `m4a`, in lower case; `nil` if the name has none. Only a hint: the content decides.
        package var fileExtension: String?
        /// As the client declares it, such as `audio/mp4`. Only a hint.
        package var contentType: String?

        package init(name: String, file: Upload, fileExtension: String? = nil, contentType: String? = nil) {
            self.name = name
            self.file = file
            self.fileExtension = fileExtension
            self.contentType = contentType
        }
    }
}
