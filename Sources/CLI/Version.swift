/// The version that `--version` tells and the json files hold.
enum Version {
    static let text = "0.1.0"
}
