import Glibc

/// A shared library opened at run time, so that the program also starts on machines without it.
///
/// Invariant: the library is never closed, so its functions stay valid for the life of the process.
@safe
package struct SharedLibrary: @unchecked Sendable {
    /// A library or function that could not be loaded.
    package enum Missing: Error, Equatable, Sendable {
        case library(String)
        /// The library is installed but has no such function: its version differs from the one this program was built
        /// for.
        case function(String, library: String)
    }

    private let name: String
    private let handle: UnsafeMutableRawPointer

    /// - Parameter names: file names to try in turn, looked up by the dynamic loader. The number after `.so` is the
    ///   version whose headers declare the functions.
    package init(_ names: String...) throws(Missing) {
        for name in names {
            guard let opened = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            self.name = name
            unsafe handle = opened
            return
        }
        throw .library(names[0])
    }

    /// Looks up a function in the library and its dependencies.
    ///
    /// - Parameter type: the function's C type, which must match the library's header.
    package func function<Function>(_ symbol: String, as type: Function.Type = Function.self) throws(Missing)
        -> Function
    {
        guard let address = unsafe dlsym(handle, symbol) else { throw .function(symbol, library: name) }
        return unsafe unsafeBitCast(address, to: type)
    }

    /// Looks up all functions of a table, each in the first of the libraries that has it.
    ///
    /// - Parameters:
    ///   - name: the names of the functions by their place in the table, then `nil`.
    /// - Returns: the table, a C structure whose members are pointers to these functions.
    package static func functions<Table>(
        of libraries: [SharedLibrary], named name: (Int32) -> UnsafePointer<CChar>?
    ) throws(Missing) -> Table {
        var addresses: [UInt] = []
        while let name = unsafe name(Int32(addresses.count)).map({ unsafe String(cString: $0) }) {
            guard let address = libraries.lazy.compactMap({ try? $0.function(name, as: UInt.self) }).first else {
                throw .function(name, library: libraries[0].name)
            }
            addresses.append(address)
        }
        return unsafe addresses.withUnsafeBytes { unsafe $0.load(as: Table.self) }
    }
}
