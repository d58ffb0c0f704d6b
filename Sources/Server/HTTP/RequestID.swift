/// The IDs of requests: `req_` and 26 characters.
package enum RequestID {
    /// The ID of the request that the current task handles.
    @TaskLocal package static var current: String?

    private static let characters = Array("0123456789abcdefghjkmnpqrstvwxyz")

    /// An ID of this kind for something else.
    static func random(_ prefix: String = "req") -> String {
        "\(prefix)_" + String((0..<26).map { _ in characters[Int.random(in: 0..<characters.count)] })
    }
}
