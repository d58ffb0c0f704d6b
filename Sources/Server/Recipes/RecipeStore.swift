package import WhisperEngine

/// Recipes that an application made from videos, one for each address, in an SQLite database.
package actor RecipeStore {
    private static let migrations = [
        """
        CREATE TABLE recipe(
          id TEXT PRIMARY KEY, source_url TEXT NOT NULL UNIQUE, source_type TEXT NOT NULL, platform TEXT NOT NULL,
          video_id TEXT NOT NULL, username TEXT NOT NULL, is_public INTEGER NOT NULL, extraction_method TEXT NOT NULL,
          extraction_confidence REAL, recipe TEXT NOT NULL, created_utc TEXT NOT NULL,
          imports INTEGER NOT NULL DEFAULT 1) STRICT, WITHOUT ROWID;
        """
    ]

    private let executor = ComputeExecutor()
    private let path: FilePath
    private let database: SQLiteDatabase
    private let wallClock: @Sendable () -> WallTime

    /// Opens the database and creates it if necessary, private to the user.
    package init(
        _ path: FilePath, wallClock: @escaping @Sendable () -> WallTime = { .now }
    ) throws(StoreError) {
        self.path = path
        self.wallClock = wallClock
        database = try DatabaseFile.open(path, migrations: Self.migrations)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.reference }

    /// A stored recipe.
    package struct Receipt: Hashable, Sendable {
        package let id: String
        /// Number of times a recipe from this address was sent; 1 if it is new.
        package let imports: Int
    }

    /// Stores a recipe; if there is one from the same address, counts another import instead.
    func save(_ recipe: RecipeRequest) throws(StoreError) -> Receipt {
        do {
            return try database.transaction {
                let existing = try database.rows(
                    "UPDATE recipe SET imports = imports + 1 WHERE source_url = ? RETURNING id, imports",
                    [.text(recipe.sourceURL)]
                ) { Receipt(id: $0.text(0), imports: $0.integer(1)) }
                if let receipt = existing.first { return receipt }
                let receipt = Receipt(id: SessionID().description, imports: 1)
                try insert(recipe, receipt.id)
                return receipt
            }
        } catch {
            throw StoreError(error, at: path)
        }
    }

    private func insert(_ recipe: RecipeRequest, _ id: String) throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO recipe(
              id, source_url, source_type, platform, video_id, username, is_public, extraction_method,
              extraction_confidence, recipe, created_utc)
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(id), .text(recipe.sourceURL), .text(recipe.sourceType), .text(recipe.platform),
                .text(recipe.videoID), .text(recipe.username), .integer(recipe.isPublic ? 1 : 0),
                .text(recipe.extractionMethod), recipe.extractionConfidence.map { .real($0) } ?? .null,
                .text(recipe.json), .text(wallClock().description),
            ])
    }
}
