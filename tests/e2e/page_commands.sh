# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Commands of a page, run as its reader runs them: in a folder of an ordinary user, on a terminal,
# with sudo as root and without sudo as that user. A mount namespace gives the test a
# /var/lib/oprofile of its own.
#
# test_readme.sh and test_tour.sh source this file instead of lib.sh. It skips the test where
# root, mount namespaces, performance events or tracing are not available.
if [ -z "${OPROF_PAGE_TEST:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	OPROF_PAGE_TEST=1 exec unshare -m "$0"
fi
. "$(dirname "$0")/lib.sh"

[ -n "${OPROF_PAGE_TEST:-}" ] || tap_skip_all "needs root and mount namespaces"
perf_system_works || tap_skip_all "performance events are refused here"
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || tap_skip_all "users may not profile here"
"$BIN/optrace" list-events >"$T/events.list" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
own_state_folder || tap_skip_all "cannot mount here"

end_all()
{
	"$BIN/oprof" stop >/dev/null 2>&1
	"$BIN/oprof" trace stop >/dev/null 2>&1
	leave_state_folder
	cleanup
}
trap end_all EXIT

# prepare_user: gives the user the folder $T/user with what is in it, and copies of the programs: the
# clone and its build may be closed to other users.
prepare_user()
{
	mkdir -p "$T/bin" "$T/user" "$T/root"
	for program in oprof operf oprofiled opcontrol opreport opannotate optop optrace optrace-read oprof-tracer \
		oprof-module; do
		cp "$BIN/$program" "$T/bin/" || tap_bail "$program is not built"
	done
	cp -r "$OPROF_EVENTS_DIR" "$T/events"
	chmod -R a+rX "$T/bin" "$T/events" "$T/user"
	chmod a+x "$T"
	chown -R nobody "$T/user"
	export OPROF_EVENTS_DIR="$T/events" PATH="$T/bin:$PATH" LC_ALL=C.UTF-8 TERM=xterm NO_COLOR=1
}

# run_on_terminal COMMAND: in folder $where, from the user's folder; its output to $T/out
where=.
run_on_terminal()
{
	who="setpriv --reuid=nobody --regid=$(id -g nobody) --clear-groups --inh-caps=-all --bounding-set=-all"
	home=$T/user
	[ "${1#sudo }" = "$1" ] || who='' home=$T/root
	echo "cd '$T/user' && cd '$where' && stty cols 100 &&
		exec $who env -u XDG_CACHE_HOME HOME='$home' ${1#sudo }" >"$T/command"
	script -qec "sh '$T/command'" /dev/null </dev/null >"$T/out" 2>&1
}

# run_command COMMAND: a test that it succeeds. The daemon has not run for minutes yet, so five minutes
# become ten seconds, and a command that needs some seconds of samples is repeated.
run_command()
{
	command=$(echo "$1" | sed 's/--last 5m/--last 10s/')
	case $command in
	*" --last "* | *" top "* | *" status") until_true run_on_terminal "$command" ;;
	*) run_on_terminal "$command" ;;
	esac
	tap_ok $? "$command" || tap_show "$T/out"
}
