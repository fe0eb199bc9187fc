#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opcontrol and the verbs of oprof that run it: setup, start, dump, save, reset,
# shutdown, with and without a daemon, in a folder with a very long name.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
$CC -O1 -g -o "$T/load" "$E2E/guest_load.c" || tap_bail "the workload does not build"
S="$T/$(printf '%0120d' 0)/session"
mkdir -p "$S"

control()
{
	"$BIN/opcontrol" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

value()
{
	"$BIN/opcontrol" "--session-dir=$S" --status 2>/dev/null |
		awk -v key="$1" '$1 == key { print $2; exit }'
}

report()
{
	"$BIN/opreport" "--session-dir=$S" "$@" 2>"$T/coverage"
}

# ---- without a daemon ----

[ -d /sys/module/oprof ] && tap_skip_all "the kernel module is loaded: this is about perf"
control --status
tap_is $? 1 "status without a daemon: 1"
tap_is "$(cat "$T/out")" "state not running
session_dir $S
separate=none
source perf
source_reason the kernel module is not loaded: run opcontrol --init
module absent" "and it says so, and what a start would do"
control --shutdown
tap_is $? 0 "shutdown without a daemon is no error"
control --deinit
tap_is "$? $(cat "$T/out" "$T/err")" "0 The daemon is not running." \
	"neither is deinit, which unloads nothing without a module"
control --dump
tap_is $? 1 "dump without a daemon is one"
tap_has "$T/err" 'no daemon runs .*opcontrol --start' "that says why, and what to do"
control --save=a
tap_is $? 1 "nothing to save yet"
control --reset
tap_is $? 0 "nothing to reset either"

# ---- setup ----

control --setup --event=cpu-clock:1000000 --event=page-faults:100 --separate=lib,thread
tap_is $? 0 "setup"
tap_is "$(cat "$S/setup")" "# Written by opcontrol --setup; see opcontrol(1).
event=cpu-clock:1000000
event=page-faults:100
separate=lib,thread" "is kept as text"
control --setup --event=no-such-thing
tap_is $? 1 "an unknown event is refused"
tap_is "$(grep -c ^event= "$S/setup")" 2 "and the setup stays"
echo "colour=red" >>"$S/setup"
control --start
tap_is $? 1 "a damaged setup is refused"
tap_has "$T/err" 'setup:5: unknown setting "colour"' "with its line"
rm "$S/setup"
for bad in "--start --stop" "--save=../x" "--separate=none,lib" "--list-events --start" "-F 0"; do
	# shellcheck disable=SC2086 # words
	control $bad
	tap_is $? 1 "$bad is refused"
done

# ---- the whole way ----

ignoring_children "$BIN/opcontrol" "--session-dir=$S" --setup --event=default --frequency=997 --separate=lib --start >"$T/out"
tap_is $? 0 "start, with SIGCHLD ignored"
daemon=$(value pid)
cleanup_pid "${daemon:-0}"
tap_has "$T/out" 'Profiler running' "says so"
tap_is "$(value state)" running "and it runs"
dd if=/dev/zero of=/dev/null bs=1M count=2000 2>/dev/null
report -l -n >"$T/symbols"
tap_is $? 0 "a report needs no dump before it"
tap_has "$T/symbols" ' vmlinux .* [a-z_][a-z0-9_.]+$' "and has the kernel's functions by name"
! grep -q ' vmlinux .*(no symbols)' "$T/symbols" && ! grep -q 'as root' "$T/coverage"
tap_ok $? "all of them, without advice to profile as root"
"$T/load" 1500
kill -STOP "$daemon"
timeout 120 "$BIN/opcontrol" "--session-dir=$S" --dump &
dump=$!
sleep 0.2
kill -0 $dump
tap_ok $? "a dump that the daemon has not done does not return"
kill -CONT "$daemon"
wait $dump
tap_is $? 0 "dump"
report -l -n >"$T/symbols"
tap_has "$T/symbols" guest_hot "the workload is in the report while the daemon runs"
control --save=a
tap_is $? 0 "save"
see=$(sed -n 's/^Saved; see it with: opreport //p' "$T/out")
# shellcheck disable=SC2086 # words
"$BIN/opreport" $see -l -n >"$T/symbols" 2>/dev/null
tap_has "$T/symbols" guest_hot "and the command that it says shows what was saved"
control --save=a
tap_is $? 1 "a name is taken once"
"$T/load" 300
control --dump
before=$(value stored)
control --reset
tap_is $? 0 "reset"
[ "$(value stored)" -lt "$before" ]
tap_ok $? "throws away what was sampled ($before)"
control --stop
tap_is $? 0 "stop"
tap_is "$(value state)" stopped "nothing is sampled any more"
seen=$(value seen)
"$T/load" 200
tap_is "$(value seen)" "$seen" "really nothing"
control --setup --separate=cpu
tap_is $? 0 "settings are kept while the daemon runs"
tap_has "$T/err" 'apply only after a restart: .*separation is lib, but the setup has cpu' "and wait for the next start"
control --start
tap_is $? 1 "which is refused until the daemon has ended: it would sample as before"
tap_has "$T/err" 'separation is lib, but the setup has cpu.*opcontrol --shutdown' "and the difference is told"
control --start-daemon
tap_is $? 1 "as is --start-daemon"
tap_is "$(value state)" stopped "nothing was begun"
control --setup --separate=lib,cpu --start
tap_is $? 1 "settings together with a start are refused too"
tap_is "$(grep ^separate "$S/setup")" separate=cpu "and not kept"
control --setup --separate=lib --frequency=998 --start
tap_is $? 1 "a frequency is a difference as well"
control --setup --separate=lib --frequency=997 --image=/bin/true --start
tap_is $? 0 "settings that the daemon has are no change, and start goes on"
tap_is "$(value state)" running "at once"
control --setup --separate=cpu
mv "$S/setup" "$S/setup.kept"
echo "colour=red" >"$S/setup"
control --dump
tap_is $? 0 "a damaged setup does not matter to a dump"
control --shutdown
tap_is $? 0 "nor to shutdown"
mv "$S/setup.kept" "$S/setup"
kill -0 "$daemon" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$daemon/status"
tap_ok $((!$?)) "the daemon has ended when shutdown returns"
control --shutdown
tap_is $? 0 "once more is no error"
check_conservation "$S" a
tap_ok $? "session a: seen = stored + idle + lost"
report -l -n session:a >"$T/symbols"
tap_has "$T/symbols" guest_hot "opreport session:a has the workload"
tap_is "$(sum_symbols "$T/symbols")" "$(session_counter "$S" stored a)" \
	"and sums to what the daemon stored"
flock -n "$S/lock" true
tap_ok $? "the lock is free"

# ---- samples add up over starts; without a daemon again ----

control --start
control --shutdown
before=$(session_counter "$S" seen)
control --start
"$T/load" 300
control --shutdown
[ "$(session_counter "$S" seen)" -gt "$before" ]
tap_ok $? "a new start adds to the current session"
control --save=b
tap_is $? 0 "save without a daemon"
[ -d "$S/samples/b" ] && [ ! -d "$S/samples/current" ]
tap_ok $? "renames the session"
control --start --status
tap_has "$T/out" '^separation cpu$' "start and status in one call; the setup was kept"
control --shutdown
control --reset
tap_is $? 0 "reset without a daemon"
[ ! -d "$S/samples/current" ] && [ -d "$S/samples/a" ]
tap_ok $? "takes the current session only"

# ---- several at once, and what is left of a killed daemon ----

starts=
for i in 1 2 3 4; do
	"$BIN/opcontrol" "--session-dir=$S" --start >"$T/out$i" 2>&1 &
	starts="$starts $!"
done
failed=0
for start in $starts; do
	wait "$start" || failed=$((failed + 1))
done
tap_is $failed 0 "of several starts at once all succeed"
tap_is "$(cat "$T"/out[1-4] | grep -c "Daemon started")" 1 "and one starts the daemon"
daemon=$(value pid)
kill -9 "$daemon"
tail --pid="$daemon" -f /dev/null
control --stop
tap_is $? 1 "a killed daemon is not there"
control --shutdown
tap_is $? 0 "shutdown after that is no error"

# Killed while it is asked: whoever starts one finds none.
control --start
daemon=$(cat "$S/lock")
kill -STOP "$daemon"
"$BIN/opcontrol" "--session-dir=$S" --start >"$T/started" 2>&1 &
starting=$!
is_asking()
{
	# It waits for an answer, in poll.
	grep -qE 'poll' "/proc/$starting/wchan" 2>/dev/null || [ ! -d "/proc/$starting" ]
}
until_true is_asking
kill -9 "$daemon"
wait $starting
tap_is $? 0 "start while the daemon is killed starts another"
tap_show "$T/started"
control --status
tap_has "$T/out" '^state running' "which runs"
control --shutdown
tap_is $? 0 "and ends"
control --start
tap_is $? 0 "nor is a start"
control --shutdown
control --reset

# ---- the front door ----

rm "$S/setup"
"$BIN/oprof" start "--session-dir=$S" >"$T/out" 2>"$T/err"
tap_is $? 0 "oprof start"
"$BIN/oprof" status "--session-dir=$S" >"$T/out"
tap_is $? 0 "oprof status"
tap_has "$T/out" 'cpu-clock, 99 Hz|cycles, 99 Hz' "tells that it takes 99 Hz"
"$BIN/oprof" status --raw "--session-dir=$S" >"$T/out"
tap_has "$T/out" '^state running$' "oprof status --raw"
tap_has "$T/out" '^separation lib$' "programs are told apart"
"$BIN/oprof" start "--session-dir=$S" >"$T/out" 2>"$T/err"
tap_is $? 0 "oprof start once more is no error"
tap_has "$T/out" 'running already' "and says that it runs"
daemon=$(value pid)
cleanup_pid "${daemon:-0}"
"$BIN/oprof" dump "--session-dir=$S"
tap_is $? 0 "oprof dump"
"$BIN/oprof" save c "--session-dir=$S" >"$T/out"
tap_is $? 0 "oprof save"
[ -d "$S/samples/c" ]
tap_ok $? "keeps the session"
"$BIN/oprof" reset "--session-dir=$S"
tap_is $? 0 "oprof reset"
"$BIN/oprof" stop "--session-dir=$S" >"$T/out"
tap_is $? 0 "oprof stop"
tap_is "$(value state)" not "ends the daemon"
"$BIN/oprof" status "--session-dir=$S" >"$T/out"
tap_is $? 3 "oprof status without it"
"$BIN/oprof" events >"$T/out"
tap_has "$T/out" '^cpu-clock: ' "oprof events"
"$BIN/oprof" check "$S" >"$T/out" 2>&1
tap_is $? 0 "oprof check finds nothing wrong"
echo "no sample file" >"$T/damaged"
"$BIN/oprof" check "$T/damaged" >"$T/out" 2>&1
tap_is $? 1 "and a damaged file is wrong"
for command in "oprof events" "oprof help" "oprof doctor" "opcontrol --list-events" "operf --help"; do
	# shellcheck disable=SC2086 # words
	"$BIN"/$command >/dev/full 2>"$T/err"
	tap_is $? 1 "$command: output that cannot be written is a failure"
done
tap_has "$T/err" 'No space left' "and is told"
"$BIN/oprof" nonsense >"$T/out" 2>"$T/err"
tap_is $? 1 "an unknown verb is refused"
"$BIN/oprof" help run >"$T/out" 2>&1
tap_has "$T/out" '--session-dir' "oprof help run shows its options"

# ---- other users ----

as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
$as "$BIN/opcontrol" "--session-dir=$S" --start >"$T/out" 2>"$T/err"
tap_is $? 1 "nobody may not command root's daemon"
tap_has "$T/err" 'sudo opcontrol' "and is told what to do"
mkdir "$T/nobody"
chown nobody "$T/nobody"
$as "$BIN/opcontrol" "--session-dir=$T/nobody" --start >"$T/out" 2>"$T/err"
status=$?
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
	tap_is $status 1 "nor profile the machine in a folder of their own"
	tap_is "$(grep -c . "$T/err")" 1 "and is told so once"
else
	$as "$BIN/opcontrol" "--session-dir=$T/nobody" --shutdown >"$T/out"
fi
chmod 500 "$T/nobody"
$as "$BIN/opcontrol" "--session-dir=$T/nobody" --status >"$T/out" 2>"$T/err"
tap_has "$T/out" '^state not running$' "the status needs no right to write"
tap_end
