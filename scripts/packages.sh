# Sourced: install_packages NAME… installs the Debian packages that are missing, and only those.

package_installed() {
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Root, or sudo.
as_root() {
    if [[ $EUID -eq 0 ]]; then
        "$@"
    elif command -v sudo > /dev/null; then
        sudo "$@"
    else
        echo "reprise: root or sudo is needed for: $*" >&2
        return 1
    fi
}

install_packages() {
    local name missing=()
    for name in "$@"; do
        package_installed "$name" || missing+=("$name")
    done
    [[ ${#missing[@]} -eq 0 ]] && return 0
    if ! command -v apt-get > /dev/null; then
        echo "reprise: this script knows Debian's packages only; it wants: ${missing[*]}" >&2
        return 1
    fi
    echo "Installing Debian packages: ${missing[*]}"
    local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
    # The package lists of a fresh machine are empty or too old to fetch from.
    if ! apt-get install -s -qq --no-install-recommends "${missing[@]}" > /dev/null 2>&1; then
        as_root apt-get update -q
        as_root "${install[@]}"
    elif ! as_root "${install[@]}"; then
        as_root apt-get update -q
        as_root "${install[@]}"
    fi
}
