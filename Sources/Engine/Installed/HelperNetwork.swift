/// A network for speech detection or for speakers: a safetensors file that `models pull` makes of Python packages. The
/// publisher of the models does not offer it, but the user's own server may.
package struct HelperNetwork: Sendable {
    /// The name that `models pull` knows.
    package let name: String
    package let fileName: String
    /// The size of the file, and its SHA-256.
    package let bytes: Int
    package let sha256: String

    /// Detects speech.
    package static let silero = HelperNetwork(
        name: "silero-vad", fileName: "silero_vad_16k.safetensors", bytes: 1_239_860,
        sha256: "c23bfc52079bf315b09e3d16ab5ff2c0828018f4b62f7be63601234c9bfbcb69")
    /// Tells speakers apart.
    package static let speakers = HelperNetwork(
        name: "speakers", fileName: "speakers.safetensors", bytes: 33_724_804,
        sha256: "2f8bc6a3685954eaf0be504e9f747411b8fb03972f4ab3e472467103d733a3d3")

    package static let all = [
        silero, speakers,
        HelperNetwork(
            name: "speakers-2022", fileName: "speakers-2022.safetensors", bytes: 33_722_748,
            sha256: "d453a71f561e7cefe48425768756c23ef83c5e8926a7567c529b1e759dd81ab7"),
    ]
}
