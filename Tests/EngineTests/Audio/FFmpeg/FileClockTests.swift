import Foundation
import Testing

#if HAS_FFMPEG
    /// Containers whose audio begins 7.3 seconds after their video, and others.
    @Suite("The clock of a file")
    struct FileClockTests {
        private let folder: AudioFolder
        private let say = Recording.say.description
        private let video = "-f lavfi -i testsrc=size=64x64:rate=10:duration=12"
        private let codecs = "-c:v mpeg4 -c:a aac"

        init() throws { folder = try AudioFolder() }

        private func start(_ path: FilePath, _ options: AudioOptions = AudioOptions()) throws -> Double {
            try AudioFile.open(path, options: options).start / .seconds(1)
        }

        private func late(_ name: String, _ more: String = "") throws -> FilePath {
            let isWebM = name.hasSuffix("webm")
            return try folder.ffmpeg(
                video, "-itsoffset 7.3 -i", say, "-map 0 -map 1", isWebM ? "-c:v libvpx -c:a libopus" : codecs, more,
                to: name)
        }

        @Test(
            "audio that begins after the video counts from the start of the file",
            arguments: ["x.mkv", "x.webm", "x.mp4", "x.mov", "x.ts"])
        func lateAudio(name: String) async throws {
            let path = try late(name)
            #expect(abs(try start(path) - 7.3) < 0.1)
            #expect(try start(path, AudioOptions(clock: .audio)) == 0)
            // The samples do not change.
            let seconds = AudioChunk.seconds(of: try await pcm16(path).count)
            #expect(abs(seconds - AudioChunk.seconds(of: try await pcm16(Recording.say).count)) < 0.2)
        }

        @Test("a clock that begins elsewhere does not matter", arguments: ["x.mkv", "x.mp4", "x.ts"])
        func lateClock(name: String) throws {
            #expect(abs(try start(late(name, "-output_ts_offset 3600")) - 7.3) < 0.1)
        }

        @Test("video that begins later does not matter", arguments: ["x.mkv", "x.mp4", "x.ts"])
        func lateVideo(name: String) throws {
            let path = try folder.ffmpeg("-itsoffset 3", video, "-i", say, "-map 0 -map 1", codecs, to: name)
            #expect(try start(path) == 0)
        }

        @Test("the only track of a file begins at 0", arguments: ["x.mka", "x.m4a", "x.ts"])
        func audioOnly(name: String) throws {
            #expect(try start(folder.ffmpeg("-itsoffset 7.3 -i", say, "-c:a aac", to: name)) == 0)
        }

        /// The copy begins at a key frame before the cut, which MP4 hides with an edit list and Matroska shows.
        @Test("files that were cut count from where they begin", arguments: [("x.mkv", 6.1), ("x.mp4", 5.3)])
        func cut(name: String, expected: Double) throws {
            _ = try late(name)
            let path = try folder.ffmpeg("-ss 2 -i", name, "-map 0 -c copy", to: "cut-\(name)")
            #expect(abs(try start(path) - expected) < 0.1)
        }

        @Test("a cover picture is not video", arguments: ["x.mp3", "x.m4a"])
        func cover(name: String) throws {
            try folder.ffmpeg("-f lavfi -i color=red:size=64x64:d=0.1 -frames:v 1", to: "cover.png")
            let path = try folder.ffmpeg(
                "-i", say, "-i cover.png -map 0 -map 1 -c:v copy -disposition:v attached_pic", to: name)
            #expect(try start(path) == 0)
        }

        @Test("each of several tracks begins where it does in the file", arguments: ["x.mkv", "x.mp4", "x.mka"])
        func tracks(name: String) throws {
            let path =
                name == "x.mka"
                ? try folder.ffmpeg("-i", say, "-itsoffset 7.3 -i", say, "-map 0 -map 1", to: name)
                : try folder.ffmpeg(
                    video, "-i", say, "-itsoffset 7.3 -i", say, "-map 0 -map 1 -map 2 -c:v mpeg4", to: name)
            #expect(try start(path) == 0)
            #expect(abs(try start(path, AudioOptions(track: 2)) - 7.3) < 0.1)
        }

        @Test("channels begin where their recording does, and warnings have its times")
        func channels() async throws {
            let path = try folder.ffmpeg(
                video, "-f lavfi -i sine=300:duration=1 -itsoffset 7.3 -i", say,
                "-filter_complex [2]pan=stereo|c0=c0|c1=-1*c0[a] -map 0 -map [a] -c:v mpeg4 -c:a flac", to: "x.mkv")
            let channels = try AudioFile.openChannels(path)
            #expect(channels.count == 2 && channels.allSatisfy { abs($0.start / .seconds(1) - 7.3) < 0.1 })
            let warnings = try await warnings(path)
            guard case .phaseCancellation(_, _, let first)? = warnings.first else {
                Issue.record("\(warnings)")
                return
            }
            #expect(first >= 7.2)
        }
    }
#endif
