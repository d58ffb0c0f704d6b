# Desktops without a screen, for scripts that source this file: an X server with xterm, and the Wayland compositor Sway with
# foot. In each, one window writes all keys that it gets to got.txt. Every process ends with this shell, however that ends.
mkdir -p run && chmod 700 run
export XDG_RUNTIME_DIR="$PWD/run"
unset DISPLAY WAYLAND_DISPLAY XAUTHORITY
processes=${processes:-}
trap 'kill -9 $processes 2>/dev/null; wait' EXIT
child="setpriv --pdeathsig KILL"
# Sway refuses to run as root.
[ "$(id -u)" != 0 ] || user="--reuid=65534 --regid=65534 --clear-groups"

printf '#!/bin/sh\nstty -icanon -echo -icrnl\n: >ready\nexec cat >>got.txt\n' >window.sh
chmod 777 . && chmod 755 window.sh

# x11: starts the server and a window.
x11() {
    $child Xvfb -displayfd 3 -screen 0 800x600x24 -nolisten tcp 3>display 2>x.log &
    processes="$processes $!"
    until_true test -s display || { echo "no X server: $(cat x.log)" >&2; return 1; }
    DISPLAY=:$(cat display)
    export DISPLAY
    window() {
        rm -f ready got.txt
        $child xterm -u8 -xrm 'XTerm*selectToClipboard: false' -e ./window.sh >>x.log 2>&1 &
        window=$!
        processes="$processes $window"
        until_true test -e ready
        # Without a window manager the window below the pointer has the keyboard.
        until_true xdotool search --class xterm mousemove --window %1 100 100
    }
    window
}

# wayland: starts the compositor, which starts a window.
wayland() {
    mkdir -p session && chmod 700 session
    [ -z "$user" ] || chown -R 65534:65534 session
    # wtype holds each key for 2 ms. If the machine is so busy that it takes longer than a key's repeat delay, windows repeat
    # the key.
    printf 'output HEADLESS-1 resolution 800x600\ninput * repeat_delay 10000\nexec foot -e ./window.sh\n' >sway.conf
    # shellcheck disable=SC2086  # options
    XDG_RUNTIME_DIR=$PWD/session HOME=$PWD WLR_BACKENDS=headless WLR_LIBINPUT_NO_DEVICES=1 WLR_RENDERER=pixman \
        setpriv --pdeathsig KILL $user sway -c sway.conf >sway.log 2>&1 &
    processes="$processes $!"
    until_true test -S session/wayland-1 || { echo "no compositor: $(cat sway.log)" >&2; return 1; }
    WAYLAND_DISPLAY=$PWD/session/wayland-1
    export WAYLAND_DISPLAY
    SWAYSOCK=$(echo session/sway-ipc.*.sock)
    export SWAYSOCK
    # Its program may start before the window is shown and has the keyboard.
    shown() { until_true test -e ready && until_true swaymsg -q '[app_id=foot con_id=__focused__] nop'; }
    shown
    window() {
        rm -f ready got.txt
        swaymsg -q '[app_id=foot] kill' && until_true sh -c '! swaymsg -t get_tree | grep -q "\"app_id\": \"foot\""'
        swaymsg -q 'exec foot -e ./window.sh'
        shown
    }
}

# until_true COMMAND…: retries for 20 s.
until_true() {
    tries=0
    while ! "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 400 ] || return 1
        sleep 0.05
    done
}
