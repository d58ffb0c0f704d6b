import Testing
import WhisperServer

@Suite("Video link")
struct VideoLinkTests {
    @Test(
        "the id of a TikTok video is found in every form of its address",
        arguments: [
            ("https://www.tiktok.com/@user/video/7123456789", "7123456789"),
            ("https://www.tiktok.com/@us.er_1/video/7123456789012345678?is_copy_url=1&x=y#top", "7123456789012345678"),
            ("http://tiktok.com/@user/photo/712", "712"),
            ("https://m.tiktok.com/v/712.html", "712"),
            ("https://m.tiktok.com/v/712", "712"),
            ("https://WWW.TikTok.COM/@user/video/712/", "712"),
            ("HTTPS://www.tiktok.com/embed/712", "712"),
            ("https://www.tiktok.com/embed/v2/712", "712"),
            ("https://www.tiktok.com/foryou?item_id=712", "712"),
            ("https://www.tiktok.com/share?a=b&shareId=712", "712"),
            ("https://vm.tiktok.com/ZMabc123/", "t-ZMabc123"),
            ("https://vt.tiktok.com/ZSabc", "t-ZSabc"),
            ("https://www.tiktok.com/t/ZTabc/", "t-ZTabc"),
        ])
    func tiktok(address: String, id: String) { #expect(VideoLink.id(in: address, on: .tiktok) == id) }

    @Test(
        "the id of an Instagram post is found in every form of its address",
        arguments: [
            ("https://www.instagram.com/p/Cabc_-123/", "Cabc_-123"),
            ("https://instagram.com/reel/Cabc?igsh=xyz", "Cabc"),
            ("https://www.instagram.com/reels/Cabc", "Cabc"),
            ("https://m.instagram.com/tv/Cabc", "Cabc"),
            ("https://www.instagram.com/some.user/p/Cabc/", "Cabc"),
            ("https://www.instagram.com/some.user/reel/Cabc/", "Cabc"),
            ("https://www.instagram.com/stories/some.user/31415926/", "31415926"),
        ])
    func instagram(address: String, id: String) { #expect(VideoLink.id(in: address, on: .instagram) == id) }

    @Test(
        "the id of a YouTube video is found in every form of its address",
        arguments: [
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://m.youtube.com/watch?t=5&v=dQw4w9WgXcQ&list=PL",
            "https://music.youtube.com/watch?v=dQw4w9WgXcQ", "https://youtu.be/dQw4w9WgXcQ?si=abc",
            "https://youtube.com/shorts/dQw4w9WgXcQ", "https://www.youtube.com/live/dQw4w9WgXcQ?feature=share",
            "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ", "https://www.youtube.com/v/dQw4w9WgXcQ",
        ])
    func youtube(address: String) { #expect(VideoLink.id(in: address, on: .youtube) == "dQw4w9WgXcQ") }

    @Test(
        "other addresses have no id",
        arguments: [
            "", "/", "https://", "https:///", "dQw4w9WgXcQ", "file:///private/var/mobile/trim.A1B2C3.MOV",
            "tiktok.com/@user/video/712", "ftp://www.tiktok.com/@user/video/712", "javascript:https://youtu.be/x",
            // Other hosts.
            "https://tiktok.com.evil.example/@user/video/712", "https://eviltiktok.com/@user/video/712",
            "https://evil.example/https://www.tiktok.com/@user/video/712", "https://www.www.tiktok.com/@u/video/712",
            "https://www.tiktok.com@evil.example/@user/video/712", "https://evil.example@www.tiktok.com/@u/video/712",
            "https://evil.example\\@www.tiktok.com/@user/video/712", "https://www.tiktok.com\\.evil.example/t/abc",
            "https://www.tiktok.com:8443/@user/video/712", "https://www.tiktok.com./@user/video/712",
            "https://www.tiktok.com%2f/@user/video/712", "https://www.tıktok.com/@user/video/712",
            "https://www.tiktok.com /@user/video/712", "https://\u{0}www.tiktok.com/@user/video/712",
            "https://vm.evil.tiktok.com/abc", "https://evil.example?https://youtu.be/dQw4w9WgXcQ",
            "https://evil.example#https://youtu.be/dQw4w9WgXcQ",
            // Other paths.
            "https://www.tiktok.com/@user/video/", "https://www.tiktok.com/@user/video/71a",
            "https://www.tiktok.com/@user/video/712/more", "https://www.tiktok.com/user/video/712",
            "https://www.tiktok.com/@user/video/7%31", "https://www.tiktok.com/@user/video/٧١٢",
            "https://www.tiktok.com/v/.html", "https://www.tiktok.com/embed/v2", "https://www.tiktok.com/@user",
            "https://vm.tiktok.com/", "https://vm.tiktok.com/a/b", "https://vm.tiktok.com/a.b",
            "https://vm.tiktok.com/@user/video/712", "https://www.tiktok.com/foryou?xitem_id=712&item_id=",
            "https://www.tiktok.com/@user/video/" + String(repeating: "1", count: 65),
            "https://www.instagram.com/p/", "https://www.instagram.com/p/a%2fb", "https://www.instagram.com/user",
            "https://www.instagram.com/user/saved/Cabc", "https://www.instagram.com/a/b/p/Cabc",
            "https://www.instagram.com/stories/user/highlights", "https://www.instagram.com/stories/p/Cabc",
            "https://www.instagram.com/p/C'; DROP TABLE alias; --",
            "https://www.youtube.com/watch?v=dQw4w9WgXc", "https://www.youtube.com/watch?v=dQw4w9WgXcQQ",
            "https://www.youtube.com/watch?v=dQw4w9WgXc%51", "https://www.youtube.com/watch?V=dQw4w9WgXcQ",
            "https://www.youtube.com/watch?xv=dQw4w9WgXcQ", "https://www.youtube.com/watch#v=dQw4w9WgXcQ",
            "https://youtu.be/dQw4w9WgXc./", "https://youtu.be/a/dQw4w9WgXcQ", "https://www.youtu.be.com/dQw4w9WgXcQ",
            "https://www.youtube.com/@channel/live", "https://www.youtube.com/playlist?list=PLabcdefghijk",
            // Words of the player with as many letters as an id.
            "https://www.youtube.com/embed/videoseries?list=PL", "https://www.youtube.com/embed/live_stream?channel=UC",
        ])
    func none(address: String) {
        for platform in VideoLink.Platform.allCases { #expect(VideoLink.id(in: address, on: platform) == nil) }
    }

    @Test("a link of another platform than stated has no id")
    func otherPlatform() {
        #expect(VideoLink.id(in: "https://youtu.be/dQw4w9WgXcQ", on: .tiktok) == nil)
        #expect(VideoLink.id(in: "https://www.tiktok.com/@user/video/712", on: .instagram) == nil)
        #expect(VideoLink.id(in: "https://www.instagram.com/p/Cabc", on: .youtube) == nil)
    }

    @Test("a long address takes no longer than its length asks for")
    func long() {
        let tail = String(repeating: "/?&=#@%", count: 200_000), start = ContinuousClock.now
        #expect(VideoLink.id(in: "https://www.tiktok.com" + tail, on: .tiktok) == nil)
        #expect(VideoLink.id(in: "https://" + tail, on: .youtube) == nil)
        // Work that grows with the square of the length would take hours.
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
