import Foundation
import PackagePlugin

/// Records the commit and the compiler in a generated source file, for `--version`.
///
/// The build runs the script again whenever a source file or HEAD has changed; the file changes only if its contents do.
@main
struct RecordBuild: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = context.package.directoryURL
        let script = root.appending(path: "scripts/record-build.sh")
        let record = context.pluginWorkDirectoryURL.appending(path: "Record.swift")
        let sources = context.package.targets.compactMap { $0 as? any SourceModuleTarget }
            .filter { $0.kind != .test }.flatMap { $0.sourceFiles.map(\.url) }
        return [
            .buildCommand(
                displayName: "Recording the commit", executable: URL(filePath: "/bin/sh"),
                arguments: [script.path(), record.path(), try context.tool(named: "swiftc").url.path()],
                inputFiles: [script, root.appending(path: "Package.swift")] + sources + headLog(of: root),
                outputFiles: [record])
        ]
    }

    /// The log that git appends to whenever HEAD moves; empty outside a clone.
    private func headLog(of root: URL) -> [URL] {
        var folder = root.appending(path: ".git")
        // In a linked worktree `.git` is a file that names the folder.
        if let link = try? String(contentsOf: folder, encoding: .utf8), link.hasPrefix("gitdir: ") {
            folder = URL(filePath: link.dropFirst(8).trimmingCharacters(in: .newlines), relativeTo: root)
        }
        let log = folder.appending(path: "logs/HEAD")
        return FileManager.default.fileExists(atPath: log.path()) ? [log] : []
    }
}
