# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the laboratory's shell scripts: the cache, messages, packages of the
# host, and a private apt. Sourced, never run. Needs bash 5 and coreutils; costs
# nothing until a function is called.
#
# Limitations: Debian (bookworm or later) on amd64.

# shellcheck disable=SC2034  # used by scripts that source this file
LAB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(cd "$LAB_DIR/../.." && pwd)
CACHE=${WSQ_LAB:-${HOME:-/root}/.cache/wsq}

say() { printf 'lab: %s\n' "$*" >&2; }

die() {
	say "$*"
	exit 1
}

is_debian() {
	command -v apt-get >/dev/null && command -v dpkg-query >/dev/null &&
		[[ $(. /etc/os-release && echo "$ID ${ID_LIKE:-}") == *debian* ]]
}

# Debian's name of the release that the host runs.
host_suite() { (. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}"); }

# missing_packages NAME...: those of the host's packages that are not installed.
missing_packages() {
	local p

	for p in "$@"; do
		[[ $(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) == installed ]] ||
			printf '%s ' "$p"
	done
}

# need NAME...: install these packages on the host by its own apt, or stop with
# one line that names what is missing.
need() {
	local list opts=(-o DPkg::Lock::Timeout=600 -qq)

	is_debian || die "this needs Debian; elsewhere, provide what these packages hold: $*"
	list=$(missing_packages "$@")
	[[ $list ]] || return 0
	[[ $(id -u) == 0 ]] || die "not root: please run: apt-get install --no-install-recommends $list"
	say "installing through apt: $list"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086  # a list of words
	apt-get "${opts[@]}" install -y --no-install-recommends $list >/dev/null 2>&1 || {
		apt-get "${opts[@]}" update >&2 || die "apt-get update failed"
		apt-get "${opts[@]}" install -y --no-install-recommends $list >&2 ||
			die "apt-get could not install: $list"
	}
	list=$(missing_packages "$@")
	[[ -z $list ]] || die "still missing after apt-get install: $list"
}

# host_mirror main|security: the address that the host's apt uses for Debian.
host_mirror() {
	local label=Debian fallback=http://deb.debian.org/debian found

	if [[ $1 == security ]]; then
		label=Debian-Security
		fallback=http://deb.debian.org/debian-security
	fi
	# shellcheck disable=SC2016  # apt expands these
	found=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed -n "s/^$label //p" | head -n 1) || true
	echo "${found:-$fallback}"
}

# apt_open NAME SUITE...: a private apt under the cache that sees only these
# suites. It neither reads nor writes the host's sources, lists and preferences,
# works without root, and trusts only debian-archive-keyring. Sets APT, the
# options for apt-get and apt-cache.
apt_open() {
	local dir=$CACHE/apt/$1 suite keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	local main security

	shift
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	: >"$dir/status"
	main=${WSQ_MIRROR:-$(host_mirror main)}
	security=${WSQ_SECURITY_MIRROR:-$(host_mirror security)}
	for suite in "$@"; do
		case $suite in
		*-security) echo "deb [signed-by=$keyring] $security $suite main" ;;
		*) echo "deb [signed-by=$keyring] $main $suite main" ;;
		esac
	done >"$dir/sources.list"
	APT=(-o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
		-o "Dir::State::lists=$dir/lists" -o "Dir::State::status=$dir/status"
		-o "Dir::Cache=$dir/cache" -o APT::Sandbox::User=root
		-o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Architecture=amd64)
	say "reading the package lists of: $*"
	apt-get "${APT[@]}" -qq update >&2 || die "apt-get update failed for: $*"
}

# temp_open NAME: an empty directory on the cache's file system in TEMP, removed
# when the script ends. Leftovers of an interrupted run are removed first.
temp_open() {
	local old

	mkdir -p "$CACHE/tmp"
	for old in "$CACHE/tmp"/*.*; do
		[[ -e $old && ! -d /proc/${old##*.} ]] && rm -rf "$old"
	done
	TEMP=$CACHE/tmp/$1.$$
	rm -rf "$TEMP"
	mkdir -p "$TEMP"
	trap 'rm -rf "$TEMP"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# newest PATTERN-DIR GLOB: the entry whose version sorts last, or nothing.
newest() {
	[[ -d $1 ]] || return 0
	find "$1" -mindepth 1 -maxdepth 1 -type d -name "$2" | sort -V | tail -n 1
}
