#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run all programs of selftests/wsq that are beside this script, and print KTAP
# with a plan, each program a parent of its tests:
#
#   run-in-guest.sh [PROGRAM...]
#
# Loads /lib/modules/wsq/wsq.ko (or $WSQ_KO) unless the module is there
# already. Exit status 0 if nothing failed. Needs root; POSIX shell and busybox
# only. Takes a minute in an emulated guest.

cd "$(dirname "$0")" || exit 1
# tools/check/vm adds the examples of libwsq.
more=
[ ! -d examples.d ] || more=examples
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $more abi ring bundle ops ops_module algo order chains interrupt graph keys poll poll_storm keys_poll cancel limits tenants account memcg namespaces kill lifecycle leave watch scribble hostile debugfs sysfs freeze unload tree nomem

if [ ! -e /sys/module/wsq ]; then
	insmod "${WSQ_KO:-/lib/modules/wsq/wsq.ko}" || exit 1
fi

echo "KTAP version 1"
echo "1..$#"
n=0
failed=0
for prog in "$@"; do
	n=$((n + 1))
	echo "  # Subtest: $prog"
	# A pipe hides the exit status, so it goes through a file.
	run=./$prog
	[ "$prog" != examples ] || run="./run-examples examples.d"
	# shellcheck disable=SC2086
	{ $run; echo $? >"/tmp/.wsq-status.$$"; } 2>&1 |
		sed -e 's/^TAP version 13$/KTAP version 1/' -e 's/^/  /'
	read -r status <"/tmp/.wsq-status.$$"
	if [ "$status" = 0 ]; then
		echo "ok $n $prog"
	else
		echo "not ok $n $prog"
		failed=1
	fi
done
rm -f "/tmp/.wsq-status.$$"
exit $failed
