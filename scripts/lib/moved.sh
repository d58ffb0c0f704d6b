# Sourced by setup.sh.

# Removes what SwiftPM has built in the clone $1 if that was in another folder: its outputs contain absolute paths, and in a
# clone that has been moved or copied nothing would compile any more. Everything else in `.build` stays.
remove_moved_build() {
    local clone build=$1/.build file
    clone=$(cd "$1" && pwd -P)
    # The compiled modules of C libraries, which refuse to be used elsewhere, name their clone.
    for file in "$build"/*-*-linux-*/*/ModuleCache/*/SwiftShims-*.pcm; do
        [ -f "$file" ] && ! grep -qaF "$clone" "$file" || continue
        echo "this clone was built in another folder; building it from scratch"
        rm -rf "$build"/*-*-linux-* "$build"/{debug,release,reduced,plugins} "$build"/*.yaml "$build"/build.db*
        return
    done
}
