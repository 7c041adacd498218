#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, for tools/check/torture: insert wsq_torture.ko once for each
# seed, take CPUs offline and online during the run if the parameters say so
# (hotplug=1), run the hostile program beside it if there is one, and unload
# everything.
#
#   torture-in-guest.sh DIRECTORY HOSTILE ENTRIES LENGTH SEED[,SEED...] PARAMETER...
#
# LENGTH is seconds=N or operations=N. With hotplug=1, runs of even seeds get
# boot_cpu=1 and those of odd seeds boot_cpu=0, unless PARAMETER says which; see
# hotplug().
#
# HOSTILE is selftests/wsq's program of that name, which does ENTRIES entries and
# calls in a pass, or - for none. After each run counts the threads of wsq while
# the CPUs taken offline last are still offline: workers that slept there must be
# gone, too.
#
# Exit status: 0, 1 something failed, 3 a CPU of the guest has stopped, so that the
# run would not end: nothing is judged.
#
# Limitations: POSIX shell and busybox's applets only.

dir=$1
hostile=$2
entries=$3
length=$4
seeds=$5
shift 5

# With operations, CPUs change at most so often in a run, and do so until the
# slowest thread has done so much of its share.
TOGGLES=120
PERCENT=90

# What a worker may take to end, in beats (kmod/torture/witness.c): half a minute
# on an idle machine, as long as need be on one whose CPUs are stolen.
BEATS=3000

parameter() { cat "/sys/module/wsq_torture/parameters/$1"; }

now() { cut -d . -f 1 /proc/uptime; }

all_cpus() {
	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		echo "$1" >"$cpu"
	done
}

# taken_all SECONDS: a run of so many seconds has taken every path that it must.
taken_all() { [ "$1" -lt 20 ] || dmesg | grep -q 'wsq_torture: every path taken'; }

# hotplug_over END: CPUs need not change any more: the run has ended, or will do so
# shortly. A run by seconds that has not taken every path goes on until it has, and
# a little longer.
hotplug_over() {
	[ ! -e /tmp/torture-over ] || return 0
	case $length in
	seconds=*) [ "$(now)" -ge "$1" ] && taken_all "${length#*=}" ;;
	*) [ "$toggles" -ge "$TOGGLES" ] || [ "$(parameter percent)" -ge "$PERCENT" ] ;;
	esac
}

# hotplug BOOT_CPU: toggle CPUs between offline and online, one or several at a
# time, with and without a pause, until shortly before the run ends. Then all CPUs but
# CPU 0 go offline and stay so: the run has to end on CPU 0 alone. With boot_cpu=1 every
# queue includes it; with boot_cpu=0 the CPUs of a queue may all be offline.
hotplug() {
	turn=0
	toggles=0
	end=0
	case $length in
	seconds=*) end=$(($(now) + ${length#*=} - ${length#*=} / 10 - 1)) ;;
	esac
	until hotplug_over "$end"; do
		nr=0
		for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
			nr=$((nr + 1))
			toggles=$((toggles + 1))
			echo $(((turn + nr) % 3 > 0)) >"$cpu"
			[ $((turn % 4)) = 0 ] || sleep 0.1
		done
		turn=$((turn + 1))
		[ $((turn % 5)) = 0 ] || sleep 0.2
	done
	echo "torture-in-guest: hotplug: $toggles times, then boot_cpu=$1"
	all_cpus 0
}

# processes SEED: rings of processes: with operations one pass, otherwise until the
# run ends. Prints the output of one that failed.
processes() {
	seed=$1
	while [ ! -e /tmp/torture-over ]; do
		seed=$((seed + 1))
		if ! WSQ_HOSTILE_BESIDE=1 WSQ_HOSTILE_ENTRIES=$entries WSQ_HOSTILE_SEED=$seed \
			"$hostile" >/tmp/torture-processes 2>&1; then
			echo "torture-in-guest: hostile processes, seed $seed:"
			cat /tmp/torture-processes
			touch /tmp/torture-failed
			return
		fi
		case $length in
		operations=*) break ;;
		esac
	done
	echo "torture-in-guest: hostile processes ran $((seed - $1)) times"
}

workers() { cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^wsq/'; }

# of_cpu CPU: number of its workers.
of_cpu() { cat /proc/[0-9]*/comm 2>/dev/null | grep -c "^wsq/$1\$"; }

# overdue BEATS: the online CPUs have had many beats since then. A worker that could
# run has run, so one that is still there does not end.
overdue() { [ $(($(parameter beats) - $1)) -gt "$BEATS" ]; }

# No worker of an offline CPU is left, and idle standby workers get fewer: every
# two seconds half of those of each CPU end. On an online CPU each of the two
# classes keeps its current worker and one standby worker.
few_workers() {
	for dir_cpu in /sys/devices/system/cpu/cpu[1-9]*; do
		[ "$(cat "$dir_cpu/online" 2>/dev/null)" = 0 ] || continue
		cpu=${dir_cpu##*/cpu}
		since=$(parameter beats)
		while [ "$(of_cpu "$cpu")" -gt 0 ]; do
			if overdue "$since"; then
				echo "torture-in-guest: $(of_cpu "$cpu") workers are left of CPU $cpu, which is off"
				return 1
			fi
			sleep 1
		done
	done
	before=$(workers)
	since=$(parameter beats)
	while [ "$(workers)" -ge "$before" ] &&
		[ "$(workers)" -gt $((4 * $(grep -c '^processor' /proc/cpuinfo))) ]; do
		if overdue "$since"; then
			echo "torture-in-guest: $before workers, and none of them goes"
			return 1
		fi
		sleep 1
	done
	echo "torture-in-guest: of $before workers $(workers) are left"
}

# An item that sleeps needs a thread of its own, and a hundred of these take long on a slow
# machine. Whether an item waits too long is for the torture test to say (starved=3000).
echo 120000 >/sys/module/wsq/parameters/stall_ms

failed=0
run=0
for seed in $(echo "$seeds" | tr , ' '); do
	run=$((run + 1))
	rm -f /tmp/torture-over /tmp/torture-failed
	dmesg -c >/dev/null
	boot_cpu=0
	case " $* " in
	*' boot_cpu='[1yY]*) boot_cpu=1 ;;
	*' boot_cpu='*) ;;
	*' hotplug=1 '*) boot_cpu=$((1 - seed % 2)) ;;
	esac
	# insmod could wait for the end, but busybox's insmod retries a module
	# that failed.
	insmod "$dir/wsq_torture.ko" "$length" seed="$seed" boot_cpu="$boot_cpu" "$@" background=1 || exit 1
	case " $* " in
	*' hotplug=1 '*) hotplug "$boot_cpu" & ;;
	esac
	[ "$hostile" = - ] || processes "$((seed * 1000))" &
	until dmesg | grep -q 'wsq_torture: end: '; do
		if dmesg | grep -q 'wsq_torture: note: not judged: '; then
			# Earlier failures count.
			[ $failed = 0 ] && [ ! -e /tmp/torture-failed ] && exit 3
			exit 1
		fi
		sleep 1
	done
	touch /tmp/torture-over
	wait
	dmesg | grep -q 'wsq_torture: end: .*, 0 errors' || failed=1
	[ ! -e /tmp/torture-failed ] || failed=1
	few_workers || failed=1
	all_cpus 1 2>/dev/null
	rmmod wsq_torture || exit 1
done
rmmod wsq || exit 1
if [ "$(workers)" != 0 ]; then
	echo "torture-in-guest: $(workers) workers are left without the module"
	failed=1
fi
exit $failed
