/// The sending end of a response that consists of server-sent events.
struct EventStream: Sendable {
    private static let comment = Array(": keep-alive\n\n".utf8)

    private let output: AsyncThrowingStream<[UInt8], any Error>.Continuation
    private let comments: Task<Void, Never>

    /// - Parameter keepAlive: interval between comments, so that clients and proxies do not time out.
    static func open(_ headers: Headers = Headers(), keepAlive: Duration) -> (events: EventStream, response: Response) {
        let (body, output) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let comments = Task {
            while (try? await Task.sleep(for: keepAlive)) != nil { output.yield(comment) }
        }
        var headers = headers
        headers.add("Content-Type", "text/event-stream; charset=utf-8")
        headers.add("Cache-Control", "no-cache")
        return (
            EventStream(output: output, comments: comments),
            Response(headers: headers, body: .stream(body, filler: comment))
        )
    }

    func send(_ json: String) { output.yield(Array("data: \(json)\n\n".utf8)) }

    func finish() {
        comments.cancel()
        output.finish()
    }

    /// Runs `action` once the stream is finished or the response is dropped.
    func onEnd(_ action: @escaping @Sendable () -> Void) {
        output.onTermination = { [comments] _ in
            comments.cancel()
            action()
        }
    }
}
