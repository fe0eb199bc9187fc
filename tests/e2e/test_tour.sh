#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of oprof(7), as the page has them, block by block, those without sudo as an ordinary
# user. Only a length of time is changed: the machine has no history of minutes yet.
. "$(dirname "$0")/page_commands.sh"

mkdir "$T/user"
$CC -O1 -g -o "$T/user/program" "$E2E/guest_load.c" || tap_bail "the workload does not build"
prepare_user

# A folder is changed in the rest of its block only.
sed -e '1,/^\.SH THE FIRST/d' -e 's/ *#.*//' -e 's/\\-/-/g' "$E2E/../../doc/man/oprof.7" |
	awk '/^\.EX$/ { print "cd ."; on = 1; next } /^\.EE$/ { on = 0 } on' >"$T/commands"
[ "$(wc -l <"$T/commands")" -ge 29 ]
tap_ok $? "the page has commands"

"$T/user/program" 100000000 &
cleanup_pid $!

while IFS= read -r line <&3; do
	case $line in
	"cd "*) where=${line#cd } ;;
	*) run_command "$line" ;;
	esac
done 3<"$T/commands"
where=.
run_command "sudo oprof stop"

for file in profile.html oprofile_data/samples/before oprofile_data/samples/current .cache/oprof/symbols; do
	[ -s "$T/user/$file" ] && [ "$(stat -c %U "$T/user/$file")" = nobody ]
	tap_ok $? "$file is the user's"
done
for file in oprofile_trace/metadata stall/metadata; do
	[ -s "$T/user/$file" ]
	tap_ok $? "$file was written"
done
tap_end
