#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands of oprof(7), as the page has them, block by block, in a mount namespace with a
# /var/lib/oprofile of its own. Only a length of time is changed: the machine has no history of
# minutes yet.
if [ -z "${OPROF_TOUR_TEST:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	OPROF_TOUR_TEST=1 exec unshare -m "$0"
fi
. "$(dirname "$0")/lib.sh"

[ -n "${OPROF_TOUR_TEST:-}" ] || tap_skip_all "needs root and mount namespaces"
perf_system_works || tap_skip_all "performance events are refused here"
"$BIN/optrace" list-events >"$T/events" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
made=
[ -d /var/lib/oprofile ] || made=/var/lib/oprofile
mkdir -p /var/lib/oprofile
mount -t tmpfs -o mode=700 oprofile /var/lib/oprofile || tap_skip_all "cannot mount here"

end_all()
{
	"$BIN/oprof" stop >/dev/null 2>&1
	"$BIN/oprof" trace stop >/dev/null 2>&1
	umount /var/lib/oprofile
	[ -z "$made" ] || rmdir "$made"
	cleanup
}
trap end_all EXIT

mkdir "$T/bin" "$T/user"
printf '#!/bin/sh\nexec "$@"\n' >"$T/bin/sudo"
chmod +x "$T/bin/sudo"
PATH="$BIN:$T/bin:$PATH"
export PATH
$CC -O1 -g -o "$T/user/program" "$E2E/guest_load.c" || tap_bail "the workload does not build"

# "BLOCK COMMAND" lines: a folder is changed in the rest of its block only.
sed -e '1,/^\.SH THE FIRST/d' -e 's/ *#.*//' -e 's/\\-/-/g' -e "s/--last 5m/--last 10s/" \
	"$E2E/../../doc/man/oprof.7" |
	awk '/^\.EX$/ { block++; on = 1; next } /^\.EE$/ { on = 0 } on { print block, $0 }' >"$T/commands"
[ "$(wc -l <"$T/commands")" -ge 24 ]
tap_ok $? "the page has commands"

"$T/user/program" 100000000 &
cleanup_pid $!

ran()
{
	(cd "$where" && sh -c "$command") >"$T/out" 2>"$T/err" </dev/null
}

last=
while read -r block command; do
	[ "$block" = "$last" ] || where=$T/user
	last=$block
	case $command in
	"cd "*)
		where=${command#cd }
		continue
		;;
	*" --last "* | *" top "* | *" status") run="until_true ran" ;; # these need some seconds of samples
	*) run=ran ;;
	esac
	$run
	tap_ok $? "$command" || tap_show "$T/err"
done <"$T/commands"
"$BIN/oprof" stop >"$T/out" 2>"$T/err"
tap_ok $? "oprof stop"

for file in profile.html oprofile_data/samples/before oprofile_data/samples/current oprofile_trace/metadata \
	stall/metadata; do
	[ -s "$T/user/$file" ] || [ -d "$T/user/$file" ]
	tap_ok $? "$file was written"
done
tap_end
