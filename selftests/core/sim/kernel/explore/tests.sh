# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0
#
# Interleavings of kmod/exec: a part of ../../run-sim, which has built the
# programs.
# A seed is the same run on each machine.

seeds=50
[[ ${EXPLORE:-} != all ]] || seeds=800
for scene in "${explored[@]}"; do
	status=0
	for n in 2 3; do
		"$OUT/kernel/explorer" --cpus "$n" --seeds "1-$seeds" "$scene" >"$log/explore" 2>&1 ||
			{ status=1; grep -v 'fiber put' "$log/explore" | head -n 40 | tap_note; }
	done
	tap "explore: $scene" "$status"
done

# The same seed: the same accesses, at the same times.
"$OUT/kernel/explorer" --seeds 7 --trace handoff >"$log/explore-1" 2>&1 &&
	"$OUT/kernel/explorer" --seeds 7 --trace handoff >"$log/explore-2" 2>&1 &&
	grep -q ' visible ' "$log/explore-1" && cmp -s "$log/explore-1" "$log/explore-2"
tap "explore: same seed, same accesses" $?

# Changes of kmod/exec are noticed: one line of mutants.list, or all.
only=(--seeds 800 --only "HD(hold")
[[ ${EXPLORE:-} == all ]] && only=(--seeds 3000)
"$here/kernel/explore/mutants" "${only[@]}" "$OUT/kernel" >"$log/mutants" 2>&1
status=$?
((status)) && { grep -A 2 '^not ok' "$log/mutants"; tail -n 5 "$log/mutants"; } | head -n 40 | tap_note
why=$(sed -n 's/^ok .* # SKIP //p' "$log/mutants")
[[ ! $why ]] || tap_note <<<"$why"
# None was made.
((status)) || grep '^ok ' "$log/mutants" | grep -qv ' # SKIP ' || status=skip
tap "explore: mutants are noticed" "$status" "${why%%$'\n'*}"
