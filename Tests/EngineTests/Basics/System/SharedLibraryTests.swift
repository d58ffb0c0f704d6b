import Testing

@Suite("Shared libraries")
struct SharedLibraryTests {
    private typealias Unary = @convention(c) (Double) -> Double

    @Test("a function can be looked up and called")
    func lookup() throws {
        let library = try SharedLibrary("libnowhere.so.1", "libm.so.6")
        let root = try library.function("sqrt", as: Unary.self)
        #expect(root(9) == 3)
    }

    @Test("a missing library is reported by the first of its names")
    func noLibrary() {
        #expect(throws: SharedLibrary.Missing.library("libnowhere.so.1")) {
            try SharedLibrary("libnowhere.so.1", "libnowhere.so")
        }
    }

    @Test("a missing function is reported with its library")
    func noFunction() throws {
        let library = try SharedLibrary("libm.so.6")
        #expect(throws: SharedLibrary.Missing.function("no_such_function", library: "libm.so.6")) {
            try library.function("no_such_function", as: Unary.self)
        }
    }
}
