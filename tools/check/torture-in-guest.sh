#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, for tools/check/torture: insert wsq_torture.ko, take CPUs off and
# on meanwhile if it is told so (hotplug=1), and unload everything.
#
#   torture-in-guest.sh DIRECTORY PARAMETER...
#
# Limitations: POSIX shell and busybox's applets only.

dir=$1
shift

# From off to on and back, one or several at a time, with and without a pause.
hotplug() {
	turn=0
	while [ ! -e /tmp/torture-over ]; do
		nr=0
		for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
			nr=$((nr + 1))
			echo $(((turn + nr) % 3 > 0)) >"$cpu"
			[ $((turn % 4)) = 0 ] || sleep 0.1
		done
		turn=$((turn + 1))
		[ $((turn % 5)) = 0 ] || sleep 0.2
	done
	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		echo 1 >"$cpu"
	done
}

case " $* " in
*' hotplug=1 '*) hotplug & ;;
esac

# Waiting for the end in insmod would do, but busybox's tries a module that
# failed once more.
insmod "$dir/wsq_torture.ko" "$@" background=1 || exit 1
until dmesg | grep -q 'wsq_torture: end: '; do
	sleep 1
done
touch /tmp/torture-over
wait
rm -f /tmp/torture-over
rmmod wsq_torture && rmmod wsq && dmesg | grep -q 'wsq_torture: end: .*, 0 errors'
