/// The float32 tensors in a PyTorch file, whatever else is in it. Classes that the file names are not imported or called.
///
/// Unlike the engine's reader, which rejects whatever a model does not need, it skips what it does not know: it reads the
/// files of a package, and the digest of the result shows whether all was read correctly.
struct TorchArchive {
    private static let storageClass = "torch FloatStorage"
    private static let rebuild = "torch._utils _rebuild_tensor_v2"
    private static let dictionary = "collections OrderedDict"

    typealias Tensor = (name: String, shape: [Int], bytes: ArraySlice<UInt8>)

    private let bytes: [UInt8]
    /// The uncompressed entries, without the name of their folder.
    private var entries: [String: Range<Int>] = [:]

    /// Reads the archive's directory; `nil` if it is damaged.
    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        let end = bytes.count - 22
        guard number(end, 4) == 0x0605_4b50, let count = number(end + 10, 2), var at = number(end + 16, 4) else {
            return nil
        }
        for _ in 0..<count {
            guard number(at, 4) == 0x0201_4b50, let method = number(at + 10, 2), let size = number(at + 24, 4),
                let nameSize = number(at + 28, 2), let extra = number(at + 30, 2), let comment = number(at + 32, 2),
                let header = number(at + 42, 4), let name = slice(at + 46, nameSize),
                let otherName = number(header + 26, 2), let otherExtra = number(header + 28, 2)
            else { return nil }
            let start = header + 30 + otherName + otherExtra
            guard slice(start, size) != nil || method != 0 else { return nil }
            let text = String(decoding: name, as: UTF8.self)
            if method == 0 { entries[String(text.drop { $0 != "/" }.dropFirst())] = start..<(start + size) }
            at += 46 + nameSize + extra + comment
        }
    }

    /// A storage with `data` in its name.
    func storage(_ key: String) -> ArraySlice<UInt8>? { entries["data/" + key].map { bytes[$0] } }

    private func slice(_ start: Int, _ count: Int) -> ArraySlice<UInt8>? {
        start >= 0 && count >= 0 && count <= bytes.count - start ? bytes[start..<(start + count)] : nil
    }

    /// A little-endian number.
    private func number(_ start: Int, _ count: Int) -> Int? {
        slice(start, count)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    // MARK: The pickle

    private enum Value {
        case other
        case int(Int)
        case text(String)
        /// A class or function, as `module name`.
        case global(String)
        case tuple([Value])
        case members(Members)
        case tensor(shape: [Int], ArraySlice<UInt8>)
    }

    /// A dictionary; its order counts.
    private final class Members { var items: [(key: Value, value: Value)] = [] }

    /// The tensors of the outermost dictionary, or of the one under `key`, in their order; `nil` if there are none.
    func tensors(under key: String?) -> [Tensor]? {
        guard case .members(var members)? = pickle() else { return nil }
        if let key {
            let inner = members.items.first { if case .text(key) = $0.key { true } else { false } }
            guard case .members(let found)? = inner?.value else { return nil }
            members = found
        }
        let tensors: [Tensor] = members.items.compactMap { item in
            guard case .text(let name) = item.key, case .tensor(let shape, let bytes) = item.value else { return nil }
            return (name, shape, bytes)
        }
        return tensors.isEmpty ? nil : tensors
    }

    /// Runs the stack machine that a pickle is a program for; `nil` for what protocol 2 does not have.
    private func pickle() -> Value? {
        guard let range = entries["data.pkl"] else { return nil }
        var at = range.lowerBound
        var stack: [Value] = [], marks: [Int] = [], memo: [Int: Value] = [:]
        func next(_ count: Int) -> Int? {
            defer { at += count }
            return at + count <= range.upperBound ? number(at, count) : nil
        }
        func line() -> String {
            let text = bytes[min(at, range.upperBound)..<range.upperBound].prefix { $0 != 0x0a }
            at += text.count + 1
            return String(decoding: text, as: UTF8.self)
        }
        /// The values above the last mark, or the last `count`.
        func pop(_ count: Int? = nil) -> [Value]? {
            guard let start = count.map({ stack.count - $0 }) ?? marks.popLast(), (0...stack.count).contains(start)
            else { return nil }
            defer { stack.removeLast(stack.count - start) }
            return Array(stack[start...])
        }
        while at < range.upperBound {
            let code = bytes[at]
            at += 1
            switch code {
            case 0x80, 0x8a, 0x47:  // PROTO, LONG1, BINFLOAT
                guard let count = code == 0x47 ? 8 : next(1) else { return nil }
                if code != 0x80 {
                    at += count
                    stack.append(.other)
                }
            case 0x7d: stack.append(.members(Members()))
            case 0x29: stack.append(.tuple([]))
            case 0x28: marks.append(stack.count)
            case 0x4e, 0x88, 0x89, 0x5d: stack.append(.other)  // NONE, NEWTRUE, NEWFALSE, EMPTY_LIST
            case 0x4a, 0x4b, 0x4d:  // BININT, BININT1, BININT2
                guard let value = next(code == 0x4a ? 4 : code == 0x4b ? 1 : 2) else { return nil }
                stack.append(.int(code == 0x4a ? Int(Int32(truncatingIfNeeded: value)) : value))
            case 0x58:  // BINUNICODE
                guard let count = next(4), at + count <= range.upperBound else { return nil }
                stack.append(.text(String(decoding: bytes[at..<(at + count)], as: UTF8.self)))
                at += count
            case 0x63: stack.append(.global(line() + " " + line()))
            case 0x74, 0x85, 0x86, 0x87:  // TUPLE, TUPLE1 to TUPLE3
                guard let items = pop(code == 0x74 ? nil : Int(code) - 0x84) else { return nil }
                stack.append(.tuple(items))
            case 0x61, 0x65, 0x62:  // APPEND, APPENDS, BUILD
                guard pop(code == 0x65 ? nil : 1) != nil else { return nil }
            case 0x73, 0x75:  // SETITEM, SETITEMS
                guard let items = pop(code == 0x73 ? 2 : nil), items.count % 2 == 0 else { return nil }
                guard case .members(let members)? = stack.last else { continue }
                for index in stride(from: 0, to: items.count, by: 2) {
                    members.items.append((items[index], items[index + 1]))
                }
            case 0x51:  // BINPERSID
                guard let value = pop(1)?.first else { return nil }
                stack.append(value)
            case 0x52, 0x81:  // REDUCE, NEWOBJ
                guard let call = pop(2) else { return nil }
                stack.append(result(of: call[0], call[1]))
            case 0x71, 0x72:  // BINPUT, LONG_BINPUT
                guard let index = next(code == 0x71 ? 1 : 4) else { return nil }
                memo[index] = stack.last
            case 0x68, 0x6a:  // BINGET, LONG_BINGET
                guard let index = next(code == 0x68 ? 1 : 4), let value = memo[index] else { return nil }
                stack.append(value)
            case 0x2e: return stack.last
            default: return nil
            }
        }
        return nil
    }

    /// What a call makes: an empty dictionary or a tensor of float32, otherwise nothing that is needed.
    private func result(of function: Value, _ arguments: Value) -> Value {
        guard case .global(let name) = function, case .tuple(let values) = arguments else { return .other }
        if name == Self.dictionary { return .members(Members()) }
        guard name == Self.rebuild, values.count >= 4, case .tuple(let storage) = values[0], storage.count == 5,
            case .global(Self.storageClass) = storage[1], case .text(let key) = storage[2],
            let bytes = self.storage(key), case .int(let offset) = values[1], case .tuple(let sizes) = values[2]
        else { return .other }
        let shape = sizes.compactMap { if case .int(let size) = $0 { size } else { nil } }
        // Four bytes for each element; an overflow is as wrong as a storage that is too small.
        let count = shape.reduce(4 as Int?) { count, size in
            let product = (count ?? 0).multipliedReportingOverflow(by: size)
            return count == nil || product.overflow || size < 0 ? nil : product.partialValue
        }
        guard let count, (0...bytes.count / 4).contains(offset), count <= bytes.count - 4 * offset else {
            return .other
        }
        let start = bytes.startIndex + 4 * offset
        return .tensor(shape: shape, bytes[start..<(start + count)])
    }
}
