#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The README's first minutes: each command of its console blocks is run, those without sudo as an
# ordinary user, on a terminal, and prints the lines that the README shows, but for numbers.
. "$(dirname "$0")/page_commands.sh"

mkdir -p "$T/user/tests"
cp -r "$OPROF_TOP_SRCDIR/tests/workload" "$T/user/tests/"
prepare_user

# An idle machine has nothing to compare.
$CC -O1 -o "$T/busy" "$OPROF_TOP_SRCDIR/tests/workload/demo_workload.c" || tap_bail "the workload does not build"
"$T/busy" 600 >"$T/busy.out" &
cleanup_pid $!

# What stays the same from run to run: no numbers, bars, dots of a list and blanks.
constant()
{
	sed -e 's/[0-9][0-9.,]*/#/g' -e 's/[^ -~]//g' -e 's/[[:space:]]\{1,\}/ /g' -e 's/^ //' -e 's/ $//'
}

# A folder is changed up to the end of its block.
awk '/^```console/ { print "$ cd ."; on = 1; next } /^```/ { on = 0 } on' "$OPROF_TOP_SRCDIR/README.md" >"$T/shown"
[ "$(grep -c '^\$ ' "$T/shown")" -ge 20 ]
tap_ok $? "the README has commands"

while IFS= read -r line <&3; do
	case $line in
	'$ cd '*) where=${line#\$ cd } ;;
	'$ '*)
		run_command "${line#\$ }"
		constant <"$T/out" >"$T/constant"
		;;
	...) ;;
	*)
		printf '%s\n' "$line" | constant >"$T/wanted"
		grep -qxF -f "$T/wanted" "$T/constant"
		tap_ok $? "prints: $line" || tap_show "$T/constant"
		;;
	esac
done 3<"$T/shown"

sed -n 's/.*\(doc\/images\/[a-z-]*\.png\).*/\1/p' "$OPROF_TOP_SRCDIR/README.md" >"$T/pictures"
while read -r picture; do
	[ "$(head -c 4 "$OPROF_TOP_SRCDIR/$picture" | tail -c 3)" = PNG ]
	tap_ok $? "$picture is a picture"
done <"$T/pictures"
tap_end
