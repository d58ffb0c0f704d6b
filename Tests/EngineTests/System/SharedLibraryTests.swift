import Testing
import WhisperEngine

@Suite("Shared libraries")
struct SharedLibraryTests {
    private typealias Unary = @convention(c) (Double) -> Double

    @Test("a function that is found can be called")
    func found() throws {
        let library = try SharedLibrary("libnowhere.so.1", "libm.so.6")
        let root = try library.function("sqrt", as: Unary.self)
        #expect(root(9) == 3)
    }

    @Test("a library that is not there is named by its first name")
    func noLibrary() {
        #expect(throws: SharedLibrary.Missing.library("libnowhere.so.1")) {
            try SharedLibrary("libnowhere.so.1", "libnowhere.so")
        }
    }

    @Test("a function that another version has is named with the library that lacks it")
    func noFunction() throws {
        let library = try SharedLibrary("libm.so.6")
        #expect(throws: SharedLibrary.Missing.function("no_such_function", library: "libm.so.6")) {
            try library.function("no_such_function", as: Unary.self)
        }
    }
}
