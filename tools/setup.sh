# shellcheck shell=bash
# Everything a fresh machine needs before cargo can run; sourced by the other tools. It takes some
# hundredths of a second when nothing is missing.
#
# Sets `root` (this checkout) and `cache` (kept between checkouts: EMILIA_CACHE, or
# emilia/ in the user's cache directory), and exports what cargo has to know.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cache=${EMILIA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/emilia}

say() { printf 'emilia: %s\n' "$*" >&2; }
die() {
    say "$@"
    exit 1
}
have() { command -v "$1" >/dev/null; }

# shellcheck source-path=SCRIPTDIR source=dependencies.sh
source "$root/tools/dependencies.sh"

# need_package PACKAGE WHY notes a Debian package that is missing. A tool that needs
# more than the build does calls it after its own check, and then install_packages:
#     have chromium || need_package chromium "a browser for the page's tests"
#     install_packages
packages=()
need_package() {
    say "$2 is missing (Debian package $1)"
    packages+=("$1")
}

install_packages() {
    ((${#packages[@]})) || return 0
    local as_root=() install=(apt-get install -y --no-install-recommends "${packages[@]}")
    if ! have apt-get; then
        die "this is not a Debian-like system: install these with its own package manager" \
            "(Fedora: gcc-c++ clang-devel; Arch: gcc clang; Alpine: g++ clang-dev) and try again"
    fi
    if ((EUID != 0)); then
        if ! { have sudo && sudo -n true 2>/dev/null; }; then
            die "run this, then try again:  sudo apt-get update && sudo ${install[*]}"
        fi
        as_root=(sudo -n)
    fi
    say "installing ${packages[*]}"
    # An update can fail for one source that is down while the packages are to be had.
    "${as_root[@]}" apt-get update -qq >&2 || true
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" -qq >&2 ||
        die "apt could not install ${packages[*]}: see its message above"
    packages=()
}

# any_file PATTERN…: is there a file (not a dangling link) that a pattern matches?
any_file() {
    local file
    while read -r file; do
        [[ -e $file ]] && return
    done < <(for pattern; do compgen -G "$pattern"; done)
    return 1
}

# The compilers may be commands with arguments, as in CXX="ccache g++".
read -ra cc <<<"${CC:-cc}"
read -ra cxx <<<"${CXX:-c++}"

check_compiler() {
    # g++ brings cc and ar, which the C libraries and the archive need.
    if ! { have "${cxx[0]}" && have "${cc[0]}" && have ar; }; then
        need_package g++ "a C++ compiler"
    fi
}

# The bindings of RocksDB are made from its C header with libclang.
check_libclang() {
    [[ -n ${LIBCLANG_PATH:-} ]] ||
        any_file '/usr/lib/llvm*/lib/libclang.so*' '/usr/lib/llvm*/lib/libclang-[0-9]*' \
            '/usr/lib/*-linux-*/libclang-[0-9]*' '/usr/lib*/libclang.so*' '/usr/local/lib*/libclang.so*' \
            '/Library/Developer/*/usr/lib/libclang.dylib' \
            '/Applications/Xcode.app/Contents/Developer/*/*/usr/lib/libclang.dylib' ||
        need_package libclang-dev "libclang"
}

# A libclang without its own headers is content with the compiler's.
lend_headers() {
    [[ $OSTYPE == linux* && -z ${BINDGEN_EXTRA_CLANG_ARGS:-} ]] || return 0
    any_file '/usr/lib*/llvm*/lib*/clang/*/include/stddef.h' '/usr/lib*/clang/*/include/stddef.h' \
        '/usr/local/lib*/clang/*/include/stddef.h' && return
    BINDGEN_EXTRA_CLANG_ARGS="-isystem $("${cc[@]}" -print-file-name=include)"
    export BINDGEN_EXTRA_CLANG_ARGS
}

check_rust() {
    local wanted found
    # rustup's directory is not in PATH until the next login.
    have cargo || PATH=$PATH:${CARGO_HOME:-$HOME/.cargo}/bin
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml")
    if have cargo; then
        found=$(cd "$root" && cargo --version | cut -d' ' -f2)
        printf '%s\n' "$wanted" "$found" | sort -VC && return
        say "cargo $found is too old: Rust $wanted or newer is needed. With rustup:  rustup update stable"
    else
        say "Rust $wanted or newer is needed, and there is no cargo."
    fi
    say "Debian's own is too old: install it with rustup (rustup.rs shows the one line to run)."
    exit 1
}

# RocksDB is compiled once per machine and not once per profile and checkout.
provide_rocksdb() {
    local version lib
    # A RocksDB of the user's own; and other systems than Linux, where the crate builds it.
    [[ -z ${ROCKSDB_LIB_DIR:-} && $OSTYPE == linux* ]] || return 0
    version=$(sed -n '/^name = "librocksdb-sys"/{n;s/^version = ".*+\(.*\)"/\1/p}' "$root/Cargo.lock")
    # Cargo does not look into the archive: the number goes up with each change of the recipe.
    lib=$cache/rocksdb-$version-1-$("${cxx[@]}" -dumpmachine)
    if [[ ! -e $lib/lib/librocksdb.a ]]; then
        say "compiling RocksDB $version, once on this machine: 3 to 5 minutes on two cores"
        if ! "$root/tools/build-rocksdb" "$lib"; then
            say "cargo will compile RocksDB by itself instead, which takes three times as long"
            return 0
        fi
    fi
    export ROCKSDB_LIB_DIR=$lib/lib ROCKSDB_STATIC=1
}

# The directory for what cargo makes, with the dependencies that other checkouts compiled in it. A
# CARGO_TARGET_DIR of the user's own must be of this checkout alone.
provide_target() {
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
    if [[ ! -d $CARGO_TARGET_DIR ]]; then
        mkdir -p "$CARGO_TARGET_DIR"
        # As cargo marks it, for programs that make backups.
        echo 'Signature: 8a477f597d28d172789f06886806bc55' >"$CARGO_TARGET_DIR/CACHEDIR.TAG"
    fi
    CARGO_TARGET_DIR=$(cd "$CARGO_TARGET_DIR" && pwd -P)
    take_dependencies
}

# build OPTION…: cargo build, for tools that run what it makes. All that it says goes to stderr.
build() {
    (cd "$root" && cargo build "$@" >&2)
    give_dependencies
}

check_compiler
check_libclang
install_packages
lend_headers
check_rust
provide_rocksdb
provide_target
