# SPDX-License-Identifier: GPL-2.0
#
# awk -f compare.awk EXPECTED SUMS: compares two lists as of sha256sum, file by
# file. Prints up to 20 differences and the counts; fails if there is any, or
# if the first list is empty.
FNR == 1 { list++ }
{ name = substr($0, 67); hash = substr($0, 1, 64) }
list == 1 { want[name] = hash; files++; next }
!(name in want) { extra++; say("not expected", name); next }
name in seen { extra++; say("twice", name); next }
{ seen[name] = 1 }
want[name] == hash { equal++; next }
{ different++; say("different", name) }
END {
	for (name in want)
		if (!(name in seen)) {
			missing++
			say("missing", name)
		}
	printf "compared with sha256sum: %d files, %d equal, %d different, %d missing, %d extra\n",
		files, equal, different, missing, extra
	exit !(files && equal == files && !extra)
}
function say(what, name)
{
	if (said++ < 20)
		print what ": " name
}
