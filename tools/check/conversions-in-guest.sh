#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2317,SC2086  # functions are called by name; no word has blanks
#
# In the guest, for tools/check/conversions:
#
#   conversions-in-guest.sh TOP KERNEL-SOURCE [DRIVER ORIGINAL CONVERTED]...
#
# ORIGINAL is - if the driver could not be converted. Prints TAP.
#
# Limitations: what runs in the background is not waited for longer than two minutes.

top=$1
# shellcheck disable=SC2034  # used by guest.sh
kernel=$2
shift 2
# shellcheck source=tools/conversions/guest.sh
. "$top/tools/conversions/guest.sh"

said=/dev/shm/said
n=0 failed=0

check() {
	what=$1
	shift
	n=$((n + 1)) word=ok
	"$@" >"$said" 2>&1 || word="not ok" failed=1
	echo "$word $n $driver: $what"
	[ "$word" = ok ] || sed "s/^/# /" "$said"
}

# eventually COMMAND...: it succeeds within two minutes.
eventually() {
	tries=1200
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}

# with KO COMMAND...: run COMMAND with $device of the driver KO.
with() {
	# shellcheck disable=SC2086  # options
	up "$driver" "$1" $options || return 1
	shift
	"$@"
	status=$?
	down "$driver" && return $status
}

queue_is_there() { grep -q "$1" /sys/kernel/debug/wsq/queues; }
queue_is_gone() { ! queue_is_there "$1"; }

# io OPTION...: every block of the device once, 32 requests at a time.
io() {
	fio --name=io --filename="$device" --direct=1 --ioengine=io_uring --iodepth=32 \
		--randseed=1 --verify=crc32c --size=100% "$@"
}

# Three processes that read or write, until they are killed or the time is over.
load() {
	fio --name=load --numjobs=3 --direct=1 --ioengine=io_uring --iodepth=32 --rw="$1" --bs=4k \
		--time_based --runtime="$2" --filename="$device"
}

# Requests that the device-mapper device of this name has served.
served() {
	awk '{ print $1 + $5 }' "$(grep -lx "$1" /sys/block/dm-*/dm/name | sed 's/dm.name$/stat/')"
}

busy() { [ "$(served "$1")" -gt 500 ]; }

taken_down() { dmsetup remove "$1" || ! dmsetup info "$1"; }

# A device whose table is replaced by errors while it is loaded. Requests in flight end.
removed() {
	for _ in 1 2 3 4 5; do
		up "$driver" "$1" || return 1
		load "$2" 60s >/dev/null 2>&1 &
		eventually busy "$3" || return 1
		rmmod "$module_name" && return 1
		dmsetup remove --force "$3"
		wait
		eventually taken_down "$3" || return 1
		rmmod "$module_name" || return 1
	done
}

again() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		with "$1" dd if="$device" of=/dev/null bs=4k count=10 iflag=direct || return 1
	done
	queue_is_gone "$2"
}

# A file system, filled and checked; what it contains is kept for the next.
filled() {
	mkfs.ext4 -q "$device" && mount -t ext4 "$device" /mnt || return 1
	mkdir /mnt/a && cp -r "$top/kmod" "$top/include" /mnt/a && sync
	fsck_and_compare=$(cd /mnt/a && find . -type f -exec md5sum {} + | sort | md5sum)
	umount /mnt && echo "$fsck_and_compare" >/dev/shm/sum
}

compared() {
	fsck.ext4 -fn "$device" && mount -o ro "$device" /mnt || return 1
	[ "$(cd /mnt/a && find . -type f -exec md5sum {} + | sort | md5sum)" = "$(cat /dev/shm/sum)" ]
	status=$?
	umount /mnt && return $status
}

# More memory than the group may have, twice, with the rest swapped to the device.
swapped() {
	mkswap "$device" && swapon "$device" || return 1
	mkdir -p /dev/shm/cg && mount -t cgroup2 none /dev/shm/cg || return 1
	echo +memory >/dev/shm/cg/cgroup.subtree_control && mkdir /dev/shm/cg/swap || return 1
	echo 16M >/dev/shm/cg/swap/memory.max
	sh -c "echo \$\$ >/dev/shm/cg/swap/cgroup.procs; exec python3 -c '
import random
pages = [random.Random(i).randbytes(4096) for i in range(6000)]
for i in range(6000):
    assert pages[i] == random.Random(i).randbytes(4096), i
'"
	status=$?
	grep -q "^pswpout [1-9]" /proc/vmstat || status=1
	swapoff "$device" && rmdir /dev/shm/cg/swap && umount /dev/shm/cg && return $status
}

# Three devices, each on the one before. Each item waits for one of the next device.
stacked() {
	inner=$device
	for i in 2 3; do
		echo "0 $(sectors) crypt $cipher $(printf '%0128d' $i) 0 $inner 0" |
			dmsetup create crypt$i || return 1
		inner=/dev/mapper/crypt$i
	done
	device=$inner
	io --rw=randwrite --bs=4k --do_verify=1
	status=$?
	dmsetup remove crypt3 && dmsetup remove crypt2 && return $status
}

dm_crypt() {
	module_name=dm_crypt
	check "runs on a queue of wsq" with "$2" queue_is_there kcryptd
	check "written at random through it" with "$2" io --rw=randwrite --bs=4k --do_verify=0
	check "read back through the original" with "$1" io --rw=randread --bs=4k
	check "written at random through the original" with "$1" io --rw=randwrite --bs=8k --do_verify=0
	check "read back through it" with "$2" io --rw=randread --bs=8k
	for options in same_cpu_crypt no_read_workqueue no_write_workqueue submit_from_crypt_cpus; do
		check "written and read with $options" with "$2" io --rw=randwrite --bsrange=4k-32k --do_verify=1
	done
	options=
	check "three devices on top of one another" with "$2" stacked
	check "a file system on it, filled" with "$2" filled
	check "the same as the original finds it" with "$1" compared
	check "memory swapped to it" with "$2" swapped
	check "removed under load, five times" removed "$2" randrw crypt
	check "inserted and removed, ten times; no queue is left" again "$2" kcryptd
}

whole() { cmp "$device" /dev/ram0; }

# A byte of the disk below is changed, and changed back.
falsified() {
	was=$(dd if=/dev/ram0 bs=1 skip=1234567 count=1 2>/dev/null | od -An -tu1)
	# shellcheck disable=SC2059  # octal
	put() { printf "\\$(printf %o "$1")" | dd of=/dev/ram0 bs=1 seek=1234567 conv=notrunc,fsync 2>/dev/null; }
	put $((was ^ 255))
	! dd if="$device" of=/dev/null bs=4k iflag=direct && put "$was"
}

dm_verity() {
	module_name=dm_verity
	for options in "" try_verify_in_tasklet check_at_most_once; do
		check "the whole device is right${options:+, with $options}" with "$2" whole
		check "a falsified byte is found${options:+, with $options}" with "$2" falsified
		check "read at random${options:+, with $options}" with "$2" load randread 300ms
	done
	options=
	check "runs on a queue of wsq" with "$2" queue_is_there kverityd
	check "a falsified byte is found by the original" with "$1" falsified
	check "the whole device is right through the original" with "$1" whole
	check "removed under load, five times" removed "$2" randread verity
	check "inserted and removed, ten times; no queue is left" again "$2" kverityd
}

# ordered PACKETS: each tunnel has two senders at each end, of so many packets each.
ordered() {
	rm -f /dev/shm/in* /dev/shm/out*
	for space in one two; do
		mkfifo /dev/shm/in$space
		ip netns exec $space python3 "$top/tools/conversions/order.py" receive 7000 \
			</dev/shm/in$space >/dev/shm/out$space &
		eval "receiver_$space=$!"
	done
	exec 4>/dev/shm/inone 5>/dev/shm/intwo
	eventually grep -q ready /dev/shm/outone && eventually grep -q ready /dev/shm/outtwo || return 1
	senders=
	for t in $(seq 0 $((tunnels - 1))); do
		for _ in 1 2; do
			ip netns exec one python3 "$top/tools/conversions/order.py" send "10.$t.0.2" 7000 "$1" 4>&- 5>&- &
			senders="$senders $!"
			ip netns exec two python3 "$top/tools/conversions/order.py" send "10.$t.0.1" 7000 "$1" 4>&- 5>&- &
			senders="$senders $!"
		done
	done
	# shellcheck disable=SC2086  # a list
	wait $senders
	sleep 0.5
	exec 4>&- 5>&-
	status=0
	# shellcheck disable=SC2154  # by eval
	wait "$receiver_one" || status=1
	# shellcheck disable=SC2154  # by eval
	wait "$receiver_two" || status=1
	cat /dev/shm/outone /dev/shm/outtwo
	return $status
}

# flows TUNNEL: so many bytes more than a moment ago come out of it.
flows() {
	was=$(received "$1")
	sleep 0.1
	[ "$(received "$1")" -gt $((was + 10000)) ]
}

received() { ip netns exec one wg show "wg$1" transfer | awk '{ print $2 }'; }

# A namespace is gone once the end of the pair of interfaces that was in it is.
two_is_gone() { ! ip -n one link show link1; }

# A peer, an interface at either end, then a namespace go while packets are on their
# way through tunnels 0 to 3; what is left goes on.
cut_off() {
	senders='' senders_two=''
	for t in 0 1 2 3; do
		ip netns exec one python3 "$top/tools/conversions/order.py" flood "10.$t.0.2" 7000 &
		senders="$senders $!"
		ip netns exec two python3 "$top/tools/conversions/order.py" flood "10.$t.0.1" 7000 &
		senders_two="$senders_two $!"
	done
	status=0
	for t in 0 1 2 3; do
		eventually flows $t || status=1
	done
	ip netns exec one wg set wg0 peer "$(ip netns exec one wg show wg0 peers)" remove || status=1
	ip -n one link del wg1 || status=1
	ip -n two link del wg2 || status=1
	eventually flows 3 || status=1
	# Two goes with the last of its processes, while one still sends to it. Then one
	# does, with packets in its queues.
	# shellcheck disable=SC2086  # a list
	kill $senders_two
	ip netns del two && eventually two_is_gone || status=1
	ip netns del one || status=1
	# shellcheck disable=SC2086  # a list
	kill $senders
	wait
	ip netns add one && ip netns add two && return $status
}

wireguard() {
	check "runs on queues of wsq" with "$2" queue_is_there wg-crypt
	tunnels=1
	check "one tunnel keeps the order" with "$2" ordered 3000
	tunnels=8
	check "eight tunnels keep the order" with "$2" ordered 1000
	check "eight tunnels of the original do" with "$1" ordered 1000
	tunnels=4
	check "cut off under load" with "$2" cut_off
	check "the original, cut off under load" with "$1" cut_off
	check "no queue is left" queue_is_gone wg-
}

echo "TAP version 13"
while [ $# -gt 0 ]; do
	driver=$1 options=
	if [ "$2" = - ]; then
		n=$((n + 1))
		echo "ok $n $driver # SKIP the driver of this kernel is another one"
	else
		$(echo "$driver" | tr - _) "$2" "$3"
	fi
	shift 3
done
echo "1..$n"
rmmod wsq || failed=1
exit $failed
