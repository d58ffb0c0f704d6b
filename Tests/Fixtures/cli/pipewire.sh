# The same microphone with PipeWire, for scripts that have sourced microphone.sh: a server and a session manager private to
# the folder, without D-Bus, and ALSA's plugin as its package configures it. `rate` is the server's, in Hz; it processes
# blocks of 1024 samples, at real-time priority if permitted, so that a busy machine does not miss them.
export XDG_CONFIG_HOME="$PWD/config" XDG_STATE_HOME="$PWD/state"
unset DBUS_SESSION_BUS_ADDRESS PIPEWIRE_REMOTE PIPEWIRE_NODE PIPEWIRE_PROPS PIPEWIRE_RUNTIME_DIR
rate=16000

# The plugin's package conflicts with PulseAudio's server, so scripts/setup.sh only unpacks it.
plugins="" unpacked=""
for folder in "" /usr/local/lib/whisper-local-tests; do
    for file in "$folder"/usr/lib/*/alsa-lib/libasound_module_pcm_pipewire.so; do
        [ -n "$plugins" ] || [ ! -e "$file" ] || plugins=$(dirname "$file") unpacked=$folder
    done
done
mkdir -p config/alsa config/wireplumber/main.lua.d config/wireplumber/bluetooth.lua.d
cat >config/alsa/asoundrc <<EOF
<$unpacked/usr/share/alsa/alsa.conf.d/50-pipewire.conf>
<$unpacked/usr/share/alsa/alsa.conf.d/99-pipewire-default.conf>
pcm_type.pipewire.lib "$plugins/libasound_module_pcm_pipewire.so"
ctl_type.pipewire.lib "$plugins/libasound_module_ctl_pipewire.so"
EOF
# None of this machine's devices, and no saved state.
cat >config/wireplumber/main.lua.d/51-microphone.lua <<EOF
default_access.properties["enable-flatpak-portal"] = false
alsa_monitor.enabled = false
v4l2_monitor.enabled = false
libcamera_monitor.enabled = false
device_defaults.properties["use-persistent-storage"] = false
stream_defaults.enabled = false
EOF
echo 'bluez_monitor.enabled = false' >config/wireplumber/bluetooth.lua.d/51-microphone.lua

# Properties of a null sink, whose monitor is recorded, and of a source, which delivers what is linked to it.
sink_node() { node_properties "$1" Audio/Sink; }
source_node() { node_properties "$1" Audio/Source/Virtual; }
node_properties() {
    echo "{ factory.name = support.null-audio-sink node.name = $1 media.class = $2 audio.position = [ MONO ]" \
        "audio.rate = $rate monitor.channel-volumes = false object.linger = true }"
}

# microphone SINK…: starts the server, and returns when the first sink is the default to record from.
microphone() {
    objects=""
    for name; do objects="$objects { factory = adapter args = $(sink_node "$name") }"; done
    cat >server.conf <<EOF
context.properties = {
    core.daemon = true core.name = pipewire-0 support.dbus = false
    default.clock.rate = $rate default.clock.allowed-rates = [ $rate ] default.clock.min-quantum = 1024
}
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
context.modules = [
    { name = libpipewire-module-rt flags = [ ifexists nofail ] }
    { name = libpipewire-module-protocol-native } { name = libpipewire-module-metadata }
    { name = libpipewire-module-spa-node-factory } { name = libpipewire-module-client-node }
    { name = libpipewire-module-client-device } { name = libpipewire-module-access }
    { name = libpipewire-module-adapter } { name = libpipewire-module-link-factory }
    { name = libpipewire-module-session-manager }
]
context.objects = [ $objects ]
EOF
    setpriv --pdeathsig KILL pipewire -c "$PWD/server.conf" >run/server.log 2>&1 &
    server=$!
    until_true pw-cli info 0 || { echo "no server: $(cat run/server.log)" >&2; return 1; }
    setpriv --pdeathsig KILL wireplumber >run/manager.log 2>&1 &
    manager=$!
    processes="$processes $server $manager"
    until_true wpctl inspect @DEFAULT_AUDIO_SINK@ || { echo "no manager: $(cat run/manager.log)" >&2; return 1; }
}

# A server for programs that use PulseAudio.
pulse() {
    cat >pulse.conf <<EOF
context.properties = { support.dbus = false }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
context.modules = [
    { name = libpipewire-module-rt flags = [ ifexists nofail ] }
    { name = libpipewire-module-protocol-native } { name = libpipewire-module-client-node }
    { name = libpipewire-module-adapter } { name = libpipewire-module-metadata }
    { name = libpipewire-module-protocol-pulse args = { server.address = [ "unix:$PULSE_RUNTIME_PATH/native" ] } }
]
pulse.properties = { server.address = [ "unix:$PULSE_RUNTIME_PATH/native" ] }
EOF
    mkdir -p "$PULSE_RUNTIME_PATH"
    setpriv --pdeathsig KILL pipewire -c "$PWD/pulse.conf" >run/pulse.log 2>&1 &
    processes="$processes $!"
    until_true pactl info
}

# Whether a program is recording.
recorded() { pw-link -l 2>/dev/null | grep -q '|-> ALSA'; }

# node NAME: prints the node's number.
node() { pw-cli ls Node | awk -v name="\"$1\"" '/^\tid/ { id = $2 } $3 == name { print id + 0 }'; }

# play NODE [FILE]: plays at real-time priority if permitted, since a late player leaves a gap.
play() { $urgently pw-play --target "$1" "${2:-spoken.wav}"; }
urgently="chrt -f 20"
$urgently true 2>/dev/null || urgently=""
