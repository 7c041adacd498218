# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0
#
# The tests of the work service in the simulator: a part of ../run-sim, which
# has built the programs.

# The work service: each item runs once, with each scenario.
queue_cpus="8 40"
[[ ${SIM:-} != all ]] || queue_cpus=1-256
scenarios queue "$OUT/kernel/queue" '","unit":"tasks.us"' "$queue_cpus" --tasks 20 --ms 0.1 < <(printf '%s\n' "${queue[@]}")

same=(--cpus 16 --tasks 50 --ms 0.2 --scene 2us --case "wsq ")
"$OUT/kernel/queue" "${same[@]}" >"$log/queue-1" 2>&1 &&
	"$OUT/kernel/queue" "${same[@]}" >"$log/queue-2" 2>&1 && cmp -s "$log/queue-1" "$log/queue-2"
tap "queue: same seed, same bytes" $?
"$OUT/kernel/queue" "${same[@]}" --slack 0 >"$log/queue-2" 2>&1 &&
	! cmp -s "$log/queue-1" "$log/queue-2"
tap "queue: another slack, other bytes" $?

for fault in lose twice; do
	"$OUT/kernel/queue" "${same[@]}" --fault "$fault" >"$log/fault" 2>&1
	grep -qE ' 1 have not come out|FAIL.* came out twice' "$log/fault"
	tap "queue: an item that is there ${fault/lose/never} is noticed" $?
done

# A lost wake-up: with items that only go to and fro, nothing continues. They
# take longer than a worker waits for the next one before it parks.
"$OUT/kernel/queue" --cpus 2 --tasks 50 --scene ping_pong --case "wsq queue, bwos" --item 5000 --drop-wakeup 40 \
	>"$log/drop" 2>&1
[[ $? == 4 ]] && grep -q 'STOOD STILL' "$log/drop" && grep -q 'thread wsq/1 on CPU 1: idle' "$log/drop"
tap "queue: a wake-up that is lost ends as stood still" $?

# Fork and join, each scenario with each case; scale/floors has the speed-ups.
scenarios forkjoin "$OUT/kernel/forkjoin" ': speed-up"' 8 --tasks 100 < <(printf '%s\n' "${forkjoin[@]}")
same=(--cpus 16 --tasks 100 --scene queens --case plain)
"$OUT/kernel/forkjoin" "${same[@]}" >"$log/forkjoin-1" 2>&1 &&
	"$OUT/kernel/forkjoin" "${same[@]}" >"$log/forkjoin-2" 2>&1 &&
	cmp -s "$log/forkjoin-1" "$log/forkjoin-2"
tap "forkjoin: same seed, same bytes" $?
for fault in lose twice; do
	"$OUT/kernel/forkjoin" "${same[@]}" --fault "$fault" >"$log/fault" 2>&1
	[[ $? == 3 ]] && grep -q 'FAIL.* tasks ran, not ' "$log/fault"
	tap "forkjoin: a task that runs ${fault/lose/never} is noticed" $?
done

"$here/kernel/layout" lines "$ko" "$OUT/kernel/queue" >"$log/lines" 2>&1
status=$?
tap_note <"$log/lines"
tap "queue: variables share lines as in wsq.ko" "$status"
"$here/kernel/layout" lines "$ko" "$OUT/kernel/queue-unplaced" >"$log/lines" 2>&1
# A crash also ends with 1.
[[ $? == 1 ]] && grep -qE '^[0-9]+ variables compared, [1-9][0-9]* differences' "$log/lines"
tap "queue: where they do not, that is noticed" $?
"$here/kernel/layout" structs "$ko" "$OUT/kernel/queue" >"$log/structs" 2>&1
status=$?
tap_note <"$log/structs"
tap "queue: structures are as in wsq.ko" "$status"
