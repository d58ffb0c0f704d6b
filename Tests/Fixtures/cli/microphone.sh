# A microphone without hardware, for scripts that source this file: a PulseAudio server private to the folder, with null
# sinks whose monitors are recorded.
#
# `norewinds` and an idle reader make the sink work in blocks of 20 ms; otherwise it consumes 2 s at once and the start of
# the audio is lost. Every process ends with this shell, however that ends.
export XDG_RUNTIME_DIR="$PWD/run" PULSE_RUNTIME_PATH="$PWD/run/pulse"
unset PULSE_SERVER PULSE_SOURCE DISPLAY
mkdir -p run && chmod 700 run
processes=""
trap 'kill -9 $processes 2>/dev/null; wait' EXIT

# microphone SINK…: starts the server, and returns when all sinks can be recorded.
microphone() {
    sinks="$*"
    set --
    for sink in $sinks; do set -- "$@" -L "$(null_sink "$sink")"; done
    serve "$@"
    for sink in $sinks; do listen "$sink"; done
    sleep 2.5
}

# serve OPTION…: starts the server with additional options.
serve() {
    setpriv --pdeathsig KILL pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no \
        -L module-native-protocol-unix "$@" >run/server.log 2>&1 &
    server=$!
    processes="$processes $server"
    until_true pactl info || { echo "no server: $(cat run/server.log)" >&2; return 1; }
}

null_sink() { echo "module-null-sink sink_name=$1 format=s16le rate=16000 channels=1 norewinds=1"; }

listen() {
    PULSE_LATENCY_MSEC=20 setpriv --pdeathsig KILL parec -d "$1.monitor" --format=s16le --rate=16000 --channels=1 \
        >/dev/null 2>&1 &
    processes="$processes $!"
}

# until_true COMMAND…: retries for 20 s.
until_true() {
    tries=0
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || return 1
        sleep 0.1
    done
}

# record NAME OPTION…: runs capture-probe in the background, with its events in NAME.events and its samples in NAME.raw;
# it reads lines written to descriptor 3.
record() {
    name=$1
    shift
    rm -f "$name.control" && mkfifo "$name.control"
    setpriv --pdeathsig KILL timeout -k 1 100 capture-probe record --raw "$name.raw" "$@" <"$name.control" \
        >"$name.events" 2>"$name.errors" &
    probe=$!
    processes="$processes $probe"
    exec 3>"$name.control"
}

# reported NAME WORD: whether an event with this word was received.
reported() { grep -q "$2" "$1.events"; }

finish() {
    echo stop >&3
    wait "$probe"
}
