import Foundation
import Testing

/// A build's outputs contain absolute paths. What `scripts/setup.sh` does about it is tried on a small package.
@Suite("A moved clone")
struct MovedCloneTests {
    @Test("after it has been moved or copied, a clone is built from scratch, and only then")
    func moved() throws {
        let scratch = try Program.Scratch()
        try scratch.write(
            "old/Package.swift",
            """
            // swift-tools-version:6.0
            import PackageDescription
            let package = Package(name: "app", targets: [.executableTarget(name: "app")])
            """)
        try scratch.write("old/Sources/app/main.swift", "import Glibc\nputs(\"built\")\n")
        try scratch.write("old/.build/race/results")
        let swift = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let outcome = try Program.shell(
            """
            build() { swift build --disable-sandbox >log 2>&1 || { grep -m 1 'compiled with module cache path' log; return 1; }; .build/debug/app; }
            check() { bash -c '. "$FIXTURES/../../../scripts/lib/moved.sh"; remove_moved_build .'; }
            cd old; check; build; check; cd ..
            cp -r old 'a copy'; cd 'a copy'; build || check; build; check; ls .build/race; cd ..
            mv old new; cd new; check; ls .build; cd ../'a copy'; check
            """, in: scratch, environment: ["PATH": swift])
        let lines = outcome.output.split(separator: "\n").map(String.init)
        let notice = "this clone was built in another folder; building it from scratch"
        try #require(lines.count > 5, "\(outcome)")
        #expect(lines[0] == "built" && lines[1].contains("error:"), "\(outcome)")
        #expect(lines[2...5] == [notice, "built", "results", notice], "\(outcome)")
        #expect(lines.contains("race") && !lines.contains("debug") && lines.last != notice, "\(outcome)")
    }
}
