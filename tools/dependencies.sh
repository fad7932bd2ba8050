# shellcheck shell=bash
# Compiled dependencies are shared, programs are not: each checkout has its own target directory and
# takes what another one compiled from the cache, before cargo looks. Sourced by tools/setup.sh, of
# which it uses `cache`, `have` and CARGO_TARGET_DIR.
#
# One target directory for all would be simpler, but cargo takes two checkouts of one package for
# the same thing and looks only at the times of files: it would run the other's program.
#
# What cargo compiles in one go is a unit: `.fingerprint/NAME-HASH` with what cargo knows of it,
# perhaps `build/NAME-HASH`, and files in `deps` with the same hash. A target directory may be moved,
# so a unit may. Its files in `deps` are large and never written again, only replaced: they are hard
# links and cost their place on the disk once. Where a link cannot be made they are copies. Where
# cargo arranges a target directory otherwise, nothing is found and all is compiled.

shelf=${cache:?}/dependencies

# dependencies_of PROFILE: the units in a profile's directory that are not ours and were finished.
dependencies_of() {
    local known
    for known in "$1"/.fingerprint/*/*.json; do
        [[ -e $known ]] || continue
        known=${known%/*.json}
        known=${known##*/}
        [[ $known == emilia-* ]] || printf '%s\n' "$known"
    done | sort -u
}

# files_of UNIT…: what bears the hash of one of them here.
files_of() {
    find . -mindepth 1 -maxdepth 1 | grep -F -f <(printf -- '-%s\n' "${@##*-}") || true # none
}

# lay FROM TO UNIT…: units from one profile's directory into another.
lay() {
    local from=$1 to=$2 files
    shift 2
    (($#)) || return 0
    mkdir -p "$to"/{deps,build,.fingerprint}
    (
        cd "$from/deps" && mapfile -t files < <(files_of "$@")
        cp -alf -t "$to/deps" "${files[@]}" 2>/dev/null || cp -af -t "$to/deps" "${files[@]}"
    )
    # These are written in place when they change, so they are no links. What cargo knows of a unit
    # comes last: cut off before, the unit is not there.
    (
        cd "$from/build" && mapfile -t files < <(files_of "$@")
        ((!${#files[@]})) || cp -af -t "$to/build" "${files[@]}"
    )
    (cd "$from/.fingerprint" && cp -af -t "$to/.fingerprint" "$@")
}

# A build that is under way has cargo's own lock: then the exchange is left for the next time.
with_locks() {
    local profile=$1
    shift
    mkdir -p "$shelf" "$CARGO_TARGET_DIR/$profile"
    (
        flock -n 7 || exit 0
        flock 6
        "$@"
        # Of all that is in both the times are the same now.
        touch "$CARGO_TARGET_DIR/$profile/.exchanged"
    ) 6>>"$shelf/.lock" 7>>"$CARGO_TARGET_DIR/$profile/.cargo-lock"
}

take_units() {
    local from=$shelf/$1 to=$CARGO_TARGET_DIR/$1 missing
    mapfile -t missing < <(dependencies_of "$from" | while read -r unit; do
        [[ -e $to/.fingerprint/$unit ]] || printf '%s\n' "$unit"
    done)
    lay "$from" "$to" "${missing[@]}"
}

# All of its units and not only the new ones: cargo holds a unit for old when one that it depends on
# is younger, which can be where the two come from different checkouts.
give_units() {
    local from=$CARGO_TARGET_DIR/$1 to=$shelf/$1 units old part
    mapfile -t units < <(dependencies_of "$from")
    ((${#units[@]})) || return 0
    lay "$from" "$to" "${units[@]}"
    (cd "$to/.fingerprint" && touch "${units[@]}")
    # What no checkout had for a month is of old versions; who still has it keeps it.
    mapfile -t old < <(cd "$to/.fingerprint" && find . -mindepth 1 -maxdepth 1 -mtime +30 -printf '%f\n')
    ((${#old[@]})) || return 0
    for part in .fingerprint build deps; do
        (cd "$to/$part" && files_of "${old[@]}" | xargs -r rm -rf)
    done
}

# Before a build: what others compiled since the last time.
take_dependencies() {
    local profile
    have flock || return 0
    for profile in debug release; do
        if [[ $shelf/$profile/.fingerprint -nt $CARGO_TARGET_DIR/$profile/.exchanged ]]; then
            with_locks "$profile" take_units "$profile" || say "compiling what could not be taken"
        fi
    done
}

# After a build: what was compiled in it.
give_dependencies() {
    local profile
    have flock || return 0
    for profile in debug release; do
        if [[ $CARGO_TARGET_DIR/$profile/.fingerprint -nt $CARGO_TARGET_DIR/$profile/.exchanged ]]; then
            with_locks "$profile" give_units "$profile" || say "other checkouts will compile this again"
        fi
    done
}
