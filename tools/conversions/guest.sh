# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2154,SC2034  # kernel and device are the caller's
#
# To be sourced in a guest: bring up a device that a driver of drivers.toml drives, on
# memory, and take it down.
#
#   up DRIVER KO [OPTION...]   insert KO and make a device; sets $device
#   down DRIVER                take the device down and remove the driver
#
# $kernel is the source that the guest's kernel was built in, for modules such as brd.
# $size: megabytes of a device, 32 unless set.
#
#   loop       on a file on tmpfs
#   dm-crypt   on a disk in memory, or on a null_blk whose requests end in a timer's
#              interrupt (disk=nullb0); $cipher (aes-xts-plain64) with a fixed key; options
#              are those of the target
#   dm-verity  on two disks in memory, whose content is kept if it is there: random data
#              and its hashes; options are those of the target
#   wireguard  two network namespaces, one and two, joined by a pair of interfaces; in
#              each $tunnels (1) tunnels wg0... to the other with addresses 10.N.0.1 and
#              10.N.0.2
#
# Limitations: one device of a driver at a time.

# There is no udev: libdevmapper makes the devices itself.
export DM_DISABLE_UDEV=1

: "${size:=32}" "${cipher:=aes-xts-plain64}" "${disk:=ram2}" "${tunnels:=1}"

sectors() { echo $((size * 2048)); }

# insert KO [PARAMETER...]: with the modules of the kernel that it needs.
insert() {
	needs "$1" && insmod "$@"
}

needs() {
	for needed in $(modinfo -F depends "$1" | tr ,- ' _'); do
		[ -d "/sys/module/$needed" ] || {
			needed=$(find "$kernel" -name "$(echo "$needed" | tr _ '?').ko" | head -n 1)
			(needs "$needed") && insmod "$needed" || return 1
		}
	done
}

# Three disks in memory: for dm-verity data and hashes, for dm-crypt. Or null_blk: a request
# ends after 10 us, and what it reads is undefined.
disks() {
	[ "$disk" != nullb0 ] || [ -e /dev/nullb0 ] || insert "$kernel/drivers/block/null_blk/null_blk.ko" \
		nr_devices=1 gb=1 irqmode=2 completion_nsec=10000 || return 1
	[ -e /dev/ram0 ] || insert "$kernel/drivers/block/brd.ko" rd_nr=3 rd_size=$((size * 1024))
}

# table NAME LINE [OPTION]: a device of device-mapper.
table() {
	name=$1 line=$2
	shift 2
	echo "$line" | dmsetup create "$name" "$@" && device=/dev/mapper/$name
}

up() {
	driver=$1 module=$2
	shift 2
	case $driver in
	loop)
		insert "$module" max_loop=4 || return 1
		[ -e /dev/shm/loop ] || dd if=/dev/urandom of=/dev/shm/loop bs=1M count="$size" 2>/dev/null
		losetup /dev/loop0 /dev/shm/loop && device=/dev/loop0
		;;
	dm-crypt)
		disks && insert "$module" || return 1
		case $cipher in
		cipher_null*) key=- ;;
		*) key=$(printf '%0128d' 7) ;;
		esac
		table crypt "0 $(sectors) crypt $cipher $key 0 /dev/$disk 0${*:+ $# $*}"
		;;
	dm-verity)
		disks && insert "$module" || return 1
		if [ ! -e /dev/shm/verity ]; then
			dd if=/dev/urandom of=/dev/ram0 bs=1M count=$((size)) 2>/dev/null
			veritysetup format --salt=00 --hash=sha256 /dev/ram0 /dev/ram1 >/dev/shm/verity || return 1
		fi
		root=$(sed -n 's/^Root hash:[[:space:]]*//p' /dev/shm/verity)
		table verity "0 $(sectors) verity 1 /dev/ram0 /dev/ram1 4096 4096 $((size * 256)) 1 sha256 $root 00${*:+ $# $*}" --readonly
		;;
	wireguard)
		[ -d /sys/module/veth ] || insert "$kernel/drivers/net/veth.ko" || return 1
		insert "$module" || return 1
		ip netns add one && ip netns add two && ip link add link1 type veth peer name link2 || return 1
		for side in one:1:2 two:2:1; do
			IFS=: read -r space own other <<-END
				$side
			END
			ip link set "link$own" netns "$space" || return 1
			ip -n "$space" addr add "192.168.0.$own/24" dev "link$own"
			ip -n "$space" link set "link$own" up
			ip -n "$space" link set lo up
		done
		for tunnel in $(seq 0 $((tunnels - 1))); do
			for own in 1 2; do
				wg genkey >"/dev/shm/key$own"
				wg pubkey <"/dev/shm/key$own" >"/dev/shm/public$own"
			done
			for side in one:1:2 two:2:1; do
				IFS=: read -r space own other <<-END
					$side
				END
				ip -n "$space" link add "wg$tunnel" type wireguard || return 1
				ip netns exec "$space" wg set "wg$tunnel" private-key "/dev/shm/key$own" \
					listen-port $((5000 + tunnel)) peer "$(cat "/dev/shm/public$other")" \
					allowed-ips "10.$tunnel.0.$other/32" endpoint "192.168.0.$other:$((5000 + tunnel))" || return 1
				ip -n "$space" addr add "10.$tunnel.0.$own/24" dev "wg$tunnel"
				ip -n "$space" link set "wg$tunnel" up || return 1
			done
		done
		;;
	esac
}

down() {
	case $1 in
	loop) losetup -d /dev/loop0 && rmmod loop ;;
	dm-crypt) dmsetup remove crypt && rmmod dm_crypt ;;
	dm-verity) dmsetup remove verity && rmmod dm_verity ;;
	wireguard) ip netns del one && ip netns del two && unused wireguard && rmmod wireguard ;;
	esac
}

# unused MODULE: wait, for a namespace's interfaces go behind its deletion.
unused() {
	tries=1200
	until grep -q "^$1 [0-9]* 0 " /proc/modules && ! ls /sys/class/net/link* >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.1
	done
}
