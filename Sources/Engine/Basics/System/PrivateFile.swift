/// Files and folders that only their user may read. Existing ones keep their mode.
package enum PrivateFile {
    package struct Failure: Error, Equatable {
        package let path: FilePath
        package let fault: DiskAccess.Fault
    }

    /// Creates an empty file with mode 0600, and its folders, unless it exists.
    package static func create(_ path: FilePath) throws(Failure) {
        try createFolder(path.folder)
        do throws(DiskAccess.Fault) {
            try DiskAccess.close(DiskAccess.create(path, mode: 0o600))
            try DiskAccess.synchronize(folder: path.folder)
        } catch {
            if error != .exists { throw Failure(path: path, fault: error) }
        }
    }

    /// Creates a folder and those that contain it with mode 0700, unless they exist.
    package static func createFolder(_ folder: FilePath) throws(Failure) {
        var missing = [folder]
        var tried: Set<FilePath> = []
        while let next = missing.last {
            do throws(DiskAccess.Fault) {
                try DiskAccess.createFolder(next, mode: 0o700)
                missing.removeLast()
                try? DiskAccess.synchronize(folder: next.folder)
            } catch {
                if error == .exists {
                    missing.removeLast()
                } else if error == .missing, tried.insert(next).inserted, next.folder != next {
                    missing.append(next.folder)
                } else {
                    throw Failure(path: next, fault: error)
                }
            }
        }
    }
}
