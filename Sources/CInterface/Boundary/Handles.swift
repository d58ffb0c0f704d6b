import Synchronization

/// The objects that callers have handles of.
///
/// A handle is a number that is never used again, so that one that was closed is recognized. It is not an address.
enum Handles {
    private struct Table {
        var objects: [UInt: any AnyObject & Sendable] = [:]
        var last: UInt = 0x1000
    }

    private static let table = Mutex(Table())

    static func add(_ object: some AnyObject & Sendable) -> OpaquePointer? {
        let number = table.withLock { table in
            table.last += 16
            table.objects[table.last] = object
            return table.last
        }
        return unsafe OpaquePointer(bitPattern: number)
    }

    /// - Throws: `InterfaceError.badHandle`, also if it is a handle of something else.
    static func object<Object: AnyObject & Sendable>(
        _ handle: OpaquePointer?, _ type: Object.Type = Object.self
    ) throws(InterfaceError) -> Object {
        let number = UInt(bitPattern: handle)
        guard let object = table.withLock({ $0.objects[number] }) as? Object else { throw .badHandle }
        return object
    }

    /// Makes a handle invalid.
    ///
    /// - Returns: its object; `nil` if there is none.
    static func remove<Object: AnyObject & Sendable>(
        _ handle: OpaquePointer?, _ type: Object.Type = Object.self
    ) -> Object? {
        let number = UInt(bitPattern: handle)
        return table.withLock { table in
            guard let object = table.objects[number] as? Object else { return nil }
            table.objects[number] = nil
            return object
        }
    }
}
