/// The sending end of a response that consists of server-sent events.
struct EventStream: Sendable {
    private let output: AsyncStream<[UInt8]>.Continuation
    private let comments: Task<Void, Never>

    /// - Parameter keepAlive: interval between comments, so that clients and proxies do not time out.
    static func open(_ headers: Headers = Headers(), keepAlive: Duration) -> (events: EventStream, response: Response) {
        let (body, output) = AsyncStream<[UInt8]>.makeStream()
        let comments = Task {
            while (try? await Task.sleep(for: keepAlive)) != nil { output.yield(Array(": keep-alive\n\n".utf8)) }
        }
        var headers = headers
        headers.add("Content-Type", "text/event-stream; charset=utf-8")
        headers.add("Cache-Control", "no-cache")
        return (EventStream(output: output, comments: comments), Response(headers: headers, body: .stream(body)))
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
