/// Finds the route of a request.
struct RouteTable: Sendable {
    enum Match {
        case route(Route)
        case webSocket(WebSocketRoute)
        /// The path exists with other methods.
        case wrongMethod(allowed: [String], Route)
        case none
    }

    let routes: [Route]
    let webSockets: [WebSocketRoute]

    var pathsBelowWebSockets: Set<String> {
        Set(routes.map(\.pattern).filter { path in webSockets.contains { path.hasPrefix($0.path + "/") } })
    }

    func match(method: String, path: String) -> Match {
        if let socket = webSockets.first(where: { $0.path == path }) { return .webSocket(socket) }
        let candidates = routes.filter { $0.matches(path) }
        // Like GET, without the body; libsoup omits it.
        let wanted = method == "HEAD" ? "GET" : method
        if let route = candidates.first(where: { $0.method == wanted }) { return .route(route) }
        guard let first = candidates.first else { return .none }
        let methods = Set(candidates.map(\.method))
        return .wrongMethod(
            allowed: (methods.contains("GET") ? methods.union(["HEAD"]) : methods).union(["OPTIONS"]).sorted(), first)
    }
}

extension Route {
    /// Whether a path, decoded and without a trailing slash, is one of this route.
    func matches(_ path: String) -> Bool {
        guard let brace = pattern.firstIndex(of: "{") else { return pattern == path }
        let prefix = pattern[..<brace]
        return path.hasPrefix(prefix) && path.count > prefix.count
    }
}
