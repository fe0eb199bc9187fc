#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A process of an ordinary user whose maps, or whose mapped file, cannot be read without waiting
# for ever: oprofiled starts, samples the other programs, names the process, counts its samples by
# a reason of their own, and ends at SIGTERM.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
[ -e /dev/fuse ] || tap_skip_all "no /dev/fuse"
[ -d /sys/module/oprof ] && tap_skip_all "the kernel module is loaded: this is about perf"
$CC -O1 -pthread -o "$T/hang_program" "$E2E/hang_program.c" ||
	tap_bail "the hanging program does not build"
S=$T/session

# hang KIND: starts a process that hangs its readers, as user 65534. Sets hang_pid. Its /proc folder
# is covered here, so that neither this test nor other programs wait. The daemon has a /proc of its
# own. If the test ends early, the process ends too.
hang()
{
	"$T/hang_program" "$1" 65534 >"$T/hang.$1" &
	hang_pid=$!
	until_true hang_is_ready "$1"
	[ -s "$T/hang.$1" ] || return 1
	cleanup_pid "$(cut -d' ' -f2 "$T/hang.$1")" # first the server: then the process can end
	cleanup_pid "$hang_pid"
}

# unhang KIND PID: ends such a process: first the server, then the process can end
unhang()
{
	kill -9 "$(cut -d' ' -f2 "$T/hang.$1")" 2>/dev/null
	kill -9 "$2" 2>/dev/null
	wait "$2" 2>/dev/null
	rm -f "$T/hang.$1"
}

hang_is_ready()
{
	[ -s "$T/hang.$1" ] || ! kill -0 "$hang_pid" 2>/dev/null
}

status_has()
{
	"$BIN/opcontrol" "--session-dir=$S" --status 2>/dev/null >"$T/status" &&
		grep -Eq "$1" "$T/status"
}

report_has()
{
	"$BIN/opreport" "--session-dir=$S" >"$T/report" 2>/dev/null && grep -q "$1" "$T/report"
}

has_ended()
{
	! kill -0 "$1" 2>/dev/null
}

# has_died PID: the process has ended, also if nobody waits for it
has_died()
{
	! grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status" 2>/dev/null
}

hang lock || tap_skip_all "FUSE is not available, or does not behave as expected"
lock_pid=$hang_pid
hang file || tap_skip_all "a program cannot run from FUSE"
file_pid=$hang_pid
sh -c 'while :; do :; done' &
cleanup_pid $!

# ---- processes that hang before the daemon starts ----

tap_is "$(find "/proc/$lock_pid" "/proc/$file_pid" -mindepth 1)" "" \
	"other programs find no files of these processes"
mkdir "$S"
unshare -m sh -c 'mount -t proc proc /proc && exec "$@"' sh \
	"$BIN/oprofiled" "--session-dir=$S" --foreground --start -e cpu-clock:1000000 \
	>"$T/out" 2>&1 &
daemon_pid=$!
cleanup_pid $daemon_pid
wait_for_control "$S" $daemon_pid
tap_ok $? "the daemon starts" || { tap_show "$T/out"; tap_end; }
until_true status_has "^unread $lock_pid 65534 hang_program$"
tap_ok $? "status names the process whose maps cannot be read, and its user"
until_true status_has "^unread $file_pid 65534 hang_program$"
tap_ok $? "and the process whose file cannot be read"
tap_has "$T/out" "cannot read process $lock_pid .hang_program, user 65534. in time" "so does the log"
until_true status_has '^lost_unread [1-9]'
tap_ok $? "samples of the first process are lost for a reason of their own"
"$BIN/oprof" status "--session-dir=$S" >"$T/text" 2>&1
tap_has "$T/text" 'lost .* unread: samples of processes whose mappings could not be read in time' \
	"which oprof status explains"
tap_has "$T/text" "unread +process $lock_pid .hang_program, user 65534." "with the process's name"
unhang lock $lock_pid
unhang file $file_pid
until_true report_has ' sh$\|dash\|bash'
tap_ok $? "other programs are sampled" || tap_show "$T/report"
until_true report_has 'page'
tap_ok $? "and the file that cannot be read, under its path" || tap_show "$T/report"

check_conservation "$S"
tap_ok $? "every sample is stored, idle or lost"

# ---- a process that hangs while the daemon runs ----

hang file
until_true status_has "^unread $hang_pid 65534 hang_program$"
tap_ok $? "a process that appears later is named"
"$BIN/opcontrol" "--session-dir=$S" --dump >"$T/dump" 2>&1
tap_is "$? $(cat "$T/dump")" "0 " "and the daemon still answers"

# ---- the end ----

# Like systemd, which sends the signal to all processes of a service at once. The reader and the
# keeper must not end before the daemon has written its last samples.
cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent=$daemon_pid \
	'{ child = $1 " " $2; sub(/^.*\) /, ""); if ($2 == parent) print child }' >"$T/children"
tap_has "$T/children" 'oprof-reader' "the daemon has a reader"
# shellcheck disable=SC2046 # pids are words
kill -TERM $(cut -d' ' -f1 "$T/children") $daemon_pid
until_true has_ended $daemon_pid
ended=$?
unhang file "$hang_pid"
tap_ok $ended "SIGTERM to the daemon and its children ends the daemon" || tap_end
wait $daemon_pid
tap_is $? 0 "with success"
tap_has "$T/out" 'stopped: seen ' "and in order"

# ---- a test that is killed ----

sh -c '"$@" & wait' sh "$T/hang_program" lock 65534 >"$T/hang.lock" &
hang_pid=$!
until_true hang_is_ready lock
server=$(cut -d' ' -f2 "$T/hang.lock")
kill -9 $hang_pid
until_true has_died "$server"
tap_ok $? "a process that hangs its readers ends with the test that started it"
umount "/proc/$(cut -d' ' -f1 "$T/hang.lock")" 2>/dev/null # if nobody waits for the process
tap_end
