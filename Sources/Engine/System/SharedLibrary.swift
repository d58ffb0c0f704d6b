import Glibc

/// A shared library opened at run time: the program starts without it, and a machine that lacks it can be told so.
///
/// Invariant: the library is never closed, so what is found in it stays for the life of the process.
@safe
package struct SharedLibrary: @unchecked Sendable {
    /// What is not there.
    package enum Missing: Error, Equatable, Sendable {
        case library(String)
        /// It is there, but lacks a function: another version than the one this program was built for.
        case function(String, library: String)
    }

    private let name: String
    private let handle: UnsafeMutableRawPointer

    /// - Parameter names: file names to try in turn. The system looks for them in its folders; the number behind `.so`
    ///   is that of the version whose headers the functions' types come from.
    package init(_ names: String...) throws(Missing) {
        for name in names {
            guard let opened = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            self.name = name
            unsafe handle = opened
            return
        }
        throw .library(names[0])
    }

    /// A function of the library, or of one that it needs itself.
    ///
    /// - Parameter type: the function's C type; to be taken from the library's own header.
    package func function<Function>(_ symbol: String, as type: Function.Type = Function.self) throws(Missing)
        -> Function
    {
        guard let address = unsafe dlsym(handle, symbol) else { throw .function(symbol, library: name) }
        return unsafe unsafeBitCast(address, to: type)
    }
}
