#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# In the guest, for tools/bench/drivers/run: execute a plan, line by line.
#
#   guest.sh PLAN CONVERSIONS KERNEL-SOURCE
#
#   load DRIVER KO HOW OPTION...   make a device of this driver (tools/conversions/
#                      guest.sh). HOW: dm-crypt's cipher, or CIPHER@DISK; number of
#                      wireguard's tunnels
#   window CPUS NAME ARGS   print "@begin NAME", run fio on CPUS (a mask), print "@end"
#                      and the context switches of all CPUs in that time, fio's
#                      JSON behind "|", and "@done". NAME ends in |. With wireguard:
#                      iperf3 in place of fio, a stream through each tunnel, and behind
#                      the switches the packets that came out of tunnels, both ways, and
#                      the p99 of the round trips of ping's, in us
#   unload DRIVER      take it down and remove the driver
#
# First it loads both CPUs for a moment and prints "@pin": the host then pins
# each of them to one of its own.
#
# Limitations: stops at the first command that fails.

set -eu

plan=$1
# shellcheck disable=SC2034  # used by guest.sh
kernel=$3 size=64
# shellcheck source=tools/conversions/guest.sh
. "$2/guest.sh"

switches() { awk '/^ctxt / { print $2 }' /proc/stat; }

packets() {
	for space in one two; do
		ip netns exec $space sh -c 'cat /sys/class/net/wg*/statistics/rx_packets'
	done | awk '{ sum += $1 } END { print sum }'
}

# streams ARGS: a stream of iperf3 through each tunnel.
streams() {
	clients=
	for t in $(seq 0 $((tunnels - 1))); do
		# shellcheck disable=SC2086  # a list of words
		ip netns exec one iperf3 --client "10.$t.0.2" --port $((5201 + t)) --json $1 \
			--logfile "/dev/shm/out$t" &
		clients="$clients $!"
	done
	ip netns exec one ping -n -i 0.002 -w 1 10.0.0.2 >/dev/shm/trips
	# shellcheck disable=SC2086  # a list of words
	wait $clients
}

# p99 of what ping printed in ms, in us.
trip() {
	sed -n 's/.* time=\([0-9.]*\) ms$/\1/p' /dev/shm/trips | sort -n |
		awk '{ ms[NR] = $1 } END { if (!NR) exit 1; print int(ms[NR - int(NR / 100)] * 1000) }'
}

# Servers, one for each tunnel; each serves one client.
servers() {
	rm -f /dev/shm/out*
	for t in $(seq 0 $((tunnels - 1))); do
		ip netns exec two iperf3 --server --one-off --port $((5201 + t)) --daemon --logfile /dev/null
		tries=100
		until ip netns exec two grep -q "$(printf ':%04X 0*:0000 0A' $((5201 + t)))" /proc/net/tcp; do
			tries=$((tries - 1))
			[ $tries -gt 0 ] || return 1
			sleep 0.05
		done
	done
}

for mask in 1 2; do
	taskset $mask dd if=/dev/zero of=/dev/null bs=1M count=1000 2>/dev/null &
done
wait
echo "@pin"
sleep 1

while read -r verb rest; do
	# shellcheck disable=SC2086  # lists of words
	case $verb in
	load)
		set -- $rest
		driver=$1 module=$2 cipher=${3%@*} disk=ram2 tunnels=$3
		case $3 in *@*) disk=${3#*@} ;; esac
		shift 3
		up "$driver" "$module" "$@"
		;;
	window)
		cpus=${rest%% *} rest=${rest#* }
		if [ "$driver" = wireguard ]; then
			servers
			echo "@begin ${rest% --time *}"
			was=$(switches) sent=$(packets)
			streams "${rest##*| }"
			was=$(($(switches) - was)) sent=$(($(packets) - sent)) trip=$(trip)
			echo "@end $was $sent $trip"
			cat /dev/shm/out* | sed 's/^/|/'
			echo "@done"
			continue
		fi
		echo "@begin ${rest% --name=*}"
		was=$(switches)
		taskset "$cpus" fio --filename="$device" ${rest##*| } --output=/dev/shm/out
		echo "@end $(($(switches) - was))"
		sed 's/^/|/' /dev/shm/out
		echo "@done"
		;;
	unload) down "$rest" ;;
	esac
done <"$plan"
