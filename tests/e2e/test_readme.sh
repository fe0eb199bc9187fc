#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The README's first minutes: each command of its console blocks is run, those without sudo as an
# ordinary user, on a terminal, and prints the lines that the README shows, but for numbers.
if [ -z "${OPROF_README_TEST:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	OPROF_README_TEST=1 exec unshare -m "$0"
fi
. "$(dirname "$0")/lib.sh"

[ -n "${OPROF_README_TEST:-}" ] || tap_skip_all "needs root and mount namespaces"
perf_system_works || tap_skip_all "performance events are refused here"
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || tap_skip_all "users may not profile here"
"$BIN/optrace" list-events >"$T/events.list" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
made=
[ -d /var/lib/oprofile ] || made=/var/lib/oprofile
mkdir -p /var/lib/oprofile
mount -t tmpfs -o mode=700 oprofile /var/lib/oprofile || tap_skip_all "cannot mount here"

end_all()
{
	"$BIN/oprof" stop >/dev/null 2>&1
	umount /var/lib/oprofile
	[ -z "$made" ] || rmdir "$made"
	cleanup
}
trap end_all EXIT

# The clone and its build may be closed to others: what a user would have.
mkdir -p "$T/bin" "$T/user/tests" "$T/root"
for program in oprof operf oprofiled opcontrol opreport opannotate optop optrace optrace-read oprof-tracer; do
	cp "$BIN/$program" "$T/bin/" || tap_bail "$program is not built"
done
cp -r "$OPROF_EVENTS_DIR" "$T/events"
cp -r "$OPROF_TOP_SRCDIR/tests/workload" "$T/user/tests/"
chmod -R a+rX "$T/bin" "$T/events" "$T/user"
chmod a+x "$T"
chown -R nobody "$T/user"
export OPROF_EVENTS_DIR="$T/events" PATH="$T/bin:$PATH" LC_ALL=C.UTF-8 TERM=xterm NO_COLOR=1

# An idle machine has nothing to compare.
$CC -O1 -o "$T/busy" "$OPROF_TOP_SRCDIR/tests/workload/demo_workload.c" || tap_bail "the workload does not build"
"$T/busy" 600 >"$T/busy.out" &
cleanup_pid $!

# run_on_terminal COMMAND: as an ordinary user, or with "sudo " as root; its output to $T/out
run_on_terminal()
{
	who="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups --inh-caps=-all --bounding-set=-all"
	[ "${1#sudo }" = "$1" ] || who=
	echo "cd '$T/user' && cd '$where' && stty cols 100 && exec $who env HOME='$T/user' ${1#sudo }" >"$T/command"
	script -qec "sh '$T/command'" /dev/null </dev/null >"$T/out" 2>&1
}

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
		# The daemon has not run for minutes yet.
		command=$(echo "${line#\$ }" | sed 's/--last 5m/--last 10s/')
		case $command in
		*" --last "* | *" status") until_true run_on_terminal "$command" ;; # these need some seconds of samples
		*) run_on_terminal "$command" ;;
		esac
		tap_ok $? "$command" || tap_show "$T/out"
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
