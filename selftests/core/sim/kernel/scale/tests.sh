# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0
#
# kmod/exec and kmod/pool on many CPUs: a part of ../../run-sim, which has built
# the programs.

all=()
[[ ${EXPLORE:-} != all ]] || all=(--all)
"$here/kernel/scale/floors" "${all[@]}" "$OUT/kernel" >"$log/floors" 2>&1
status=$?
((status)) && grep -A 1 -v -E '^(ok|# |TAP |1\.\.)' "$log/floors" | tail -n 40 | tap_note
tap "scale: floors hold, and a defect breaks one" "$status"
