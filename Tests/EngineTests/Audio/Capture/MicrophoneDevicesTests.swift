import Testing

@Suite("Capture devices")
struct MicrophoneDevicesTests {
    @Test(
        "inputs are listed, converters only if requested",
        arguments: [
            ("hw:CARD=PCH,DEV=0", "Input", true, true), ("default", nil, true, true),
            ("pulse", nil, true, true), ("hdmi:CARD=PCH", "Output", false, false), ("null", nil, false, true),
            ("upmix", nil, false, true), ("jack", "Input", false, true), ("nullified", nil, true, true),
        ] as [(String, String?, Bool, Bool)])
    func hiding(name: String, direction: String?, isShown: Bool, isKnown: Bool) {
        #expect(
            (Microphone.Device(name: name, description: nil, direction: direction, all: false) != nil) == isShown)
        #expect((Microphone.Device(name: name, description: nil, direction: direction, all: true) != nil) == isKnown)
    }

    @Test("a description is put on one line")
    func lines() {
        let entry = Microphone.Device(name: "x", description: "HDA Intel\nFront Mic", direction: nil, all: false)
        #expect(entry?.description == "HDA Intel, Front Mic")
        #expect(Microphone.Device(name: "x", description: nil, direction: nil, all: false)?.description == "")
    }

    @Test("the process that uses a sound card is found in /proc/asound")
    func owner() {
        let files = [
            "asound/card0/id": "PCH\n", "asound/card1/id": "Camera\n", "asound/card0/pcm0c/sub0/status": "closed\n",
            "asound/card1/pcm0c/sub0/status": "closed\n",
            "asound/card1/pcm0c/sub1/status": "state: RUNNING\nowner_pid   : 4711\ntrigger_time: 1.5\n",
            "asound/card1/pcm2c/sub0/status": "state: RUNNING\nowner_pid   : 12\n", "4711/comm": "arecord\n",
        ]
        let arecord = DeviceOwner(process: 4711, name: "arecord")
        for name in ["hw:1", "hw:1,0", "plughw:CARD=Camera,DEV=0", "sysdefault:CARD=Camera"] {
            #expect(DeviceOwner.find(of: name, procFile: { files[$0] }) == arecord, "\(name)")
        }
        #expect(
            DeviceOwner.find(of: "hw:Camera,2", procFile: { files[$0] }) == DeviceOwner(process: 12, name: nil))
        for name in ["hw:0,0", "hw:7", "hw:Other", "hw:", "default", "pulse", "pulse:mic", ""] {
            #expect(DeviceOwner.find(of: name, procFile: { files[$0] }) == nil, "\(name)")
        }
    }

    @Test("a busy microphone is reported with the process that uses it")
    func busy() {
        #expect(
            CaptureError.busy("hw:1", process: 4711, program: "arecord").description
                == "microphone busy: hw:1 is in use by arecord (process 4711)")
        #expect(
            CaptureError.busy("hw:1", process: 12).description == "microphone busy: hw:1 is in use by process 12")
        #expect(CaptureError.busy("hw:0").description == "microphone busy: hw:0 is in use by another program")
    }
}
