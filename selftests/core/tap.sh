# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# TAP for run-checks, run-model and run-fuzz: a plan, numbered results, diagnostics
# as "#" lines. Sourced after tools/lab/lib.sh; costs nothing.

tap_nr=0
tap_bad=0

tap_plan() { printf 'TAP version 13\n1..%d\n' "$1"; }

tap_note() { sed 's/^/# /'; }

# tap NAME STATUS [REASON]: STATUS is 0, skip, or anything else for failure.
tap() {
	tap_nr=$((tap_nr + 1))
	if [[ $2 == 0 ]]; then
		printf 'ok %d - %s\n' "$tap_nr" "$1"
	elif [[ $2 == skip ]]; then
		printf 'ok %d - %s # SKIP %s\n' "$tap_nr" "$1" "${3:-}"
	else
		[[ ${3:-} ]] && printf '# %s\n' "$3"
		printf 'not ok %d - %s\n' "$tap_nr" "$1"
		tap_bad=$((tap_bad + 1))
	fi
}

# Exit status for the caller: 0 only if nothing failed and the plan was kept.
tap_end() {
	[[ $tap_nr == "$1" ]] || {
		printf '# planned %d tests, ran %d\n' "$1" "$tap_nr"
		return 1
	}
	return $((tap_bad != 0))
}

# tap_jobs N: reads lines "NAME<tab>COMMAND" or "NAME<tab>COMMAND<tab>KEY" (of
# tools/check/cached.py), keeps N commands running, reports each in order as it
# ends, after the last lines of a failed one as notes. A passed result is stored
# under its KEY.
tap_jobs() {
	local max=$1 dir name command key
	local -a names=() keys=()
	local next=0 nr=0

	dir=$(mktemp -d)
	while IFS=$'\t' read -r name command key; do
		names[nr]=$name
		keys[nr]=$key
		printf '%s\n' "$command" >"$dir/$nr.cmd"
		nr=$((nr + 1))
	done
	# Each says when it has ended; without polling, because that costs as
	# much as some of them.
	# shellcheck disable=SC2016  # for the inner shell
	while read -r -u 3 _; do
		while [[ -e $dir/$next.rc ]]; do
			tap_job
			next=$((next + 1))
		done
	done 3< <(((nr == 0)) || seq 0 $((nr - 1)) | xargs -P "$max" -I{} bash -c \
		'bash "$1/{}.cmd" >"$1/{}.out" 2>&1 </dev/null; echo $? >"$1/{}.tmp"; mv "$1/{}.tmp" "$1/{}.rc"; echo' \
		_ "$dir")
	# Those that did not run, or were killed with their shells.
	while ((next < nr)); do
		[[ -e $dir/$next.rc ]] || echo 255 >"$dir/$next.rc"
		tap_job
		next=$((next + 1))
	done
	rm -rf "$dir"
}

# Report job $next of tap_jobs, whose variables it uses.
tap_job() {
	local status

	status=$(<"$dir/$next.rc")
	if [[ $status == 77 ]]; then
		tap "${names[next]}" skip "$(tail -n 1 "$dir/$next.out")"
		return
	fi
	# Notes precede the result that they are about.
	if [[ $status != 0 ]]; then
		printf '%s\n' "status $status: $(<"$dir/$next.cmd")" | tap_note
		tail -n 40 "$dir/$next.out" 2>/dev/null | tap_note
	else
		[[ ! ${keys[next]} ]] ||
			grep -E "${TAP_SAY:-^\$}" "$dir/$next.out" | "$TOP/tools/check/cached.py" put "${keys[next]}"
		[[ ! ${TAP_SAY:-} ]] || grep -E "$TAP_SAY" "$dir/$next.out" | tap_note
	fi
	tap "${names[next]}" "$status"
}
