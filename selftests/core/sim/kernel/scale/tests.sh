# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0
#
# kmod/exec and kmod/pool on many CPUs: a part of ../../run-sim, which has built
# the programs.
#
# Floors are measurements: they change with the code and with the compiler. They
# are notes, unless FLOORS=judge or EXPLORE=all.

if [[ ${EXPLORE:-} == all || ${FLOORS:-} == judge ]]; then
	all=()
	[[ ${EXPLORE:-} != all ]] || all=(--all)
	"$here/kernel/scale/floors" "${all[@]}" "$OUT/kernel" >"$log/floors" 2>&1
	status=$?
	((status)) && grep -A 1 -v -E '^(ok|# |TAP |1\.\.)' "$log/floors" | tail -n 40 | tap_note
	tap "scale: floors hold, and a defect breaks one" "$status"
else
	"$here/kernel/scale/floors" --report "$OUT/kernel" >"$log/floors" 2>&1
	status=$?
	tap_note <"$log/floors"
	tap "scale: no item is lost, and floors are reported" "$status"
fi
