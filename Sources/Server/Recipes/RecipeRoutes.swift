import WhisperEngine

/// `/api/app/recipes/save-community-recipe`: an application's record store, which has nothing to do with recognition.
package enum RecipeRoutes {
    package static func routes(_ store: RecipeStore) -> [Route] {
        [
            Route(
                "POST", "/api/app/recipes/save-community-recipe", body: .bytes(limit: RecipeRequest.bodyLimit),
                refusal: { VideoRefusal($0).response }
            ) { (request) throws(HTTPError) in
                guard AccessKey.bearer(request.head.headers) != nil else {
                    return VideoRefusal.noToken.response
                }
                guard case .bytes(let body) = request.body else { return VideoRefusal.invalidJSON.response }
                let recipe: RecipeRequest
                do throws(RecipeRequest.Refusal) { recipe = try RecipeRequest(body) } catch { return error.response }
                do throws(StoreError) {
                    return response(try await store.save(recipe))
                } catch {
                    throw HTTPError(
                        500, "The recipe could not be stored.", type: "server_error", code: "internal_error")
                }
            }
        ]
    }

    private static func response(_ receipt: RecipeStore.Receipt) -> Response {
        let existed = receipt.imports > 1
        let message =
            existed ? "Recipe already in database. Import count incremented." : "Recipe saved to community database"
        return .json(
            JSONText.object([
                ("success", "true"), ("recipeId", JSONText.string(receipt.id)), ("existed", "\(existed)"),
                ("importCount", "\(receipt.imports)"), ("message", JSONText.string(message)),
            ]))
    }
}
