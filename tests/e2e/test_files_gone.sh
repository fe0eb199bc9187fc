#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What people do to a session's folder while a daemon writes to it; two
# daemons on one folder; folders of others. It lives, and accounts for each sample.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
$CC -O1 -pthread -o "$T/storm" "$E2E/storm.c" || tap_bail "the storm does not build"
S="$T/session"
current="$S/samples/current"

control()
{
	"$BIN/opcontrol" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

# as $daemon
start()
{
	"$BIN/oprofiled" "--session-dir=$S" --start --event=cpu-clock --frequency=997 \
		--separate=lib 2>"$T/err"
	start_status=$?
	if [ $start_status -eq 0 ]; then
		daemon=$(cat "$S/lock")
		cleanup_pid "$daemon"
	fi
	return $start_status
}

# after WHAT: was done to it, some load, and a dump
after()
{
	"$T/storm" threads 20 >/dev/null
	sleep 1.2 # it looks after its folder once a second
	"$T/storm" threads 20 >/dev/null
	control --dump
	dump=$?
	[ $dump -eq 0 ] || tap_show "$T/err"
	kill -0 "$daemon" 2>/dev/null && [ $dump -eq 0 ]
	tap_ok $? "$1: it goes on"
	"$BIN/opcontrol" "--session-dir=$S" --status 2>/dev/null |
		awk '$1 == "seen" { seen = $2 } $1 ~ /^(stored|idle|lost_.*)$/ { sum += $2 }
			END { printf "# seen %d, accounted for %d\n", seen, sum; exit !(seen > 0 && seen == sum) }'
	tap_ok $? "$1: each sample is accounted for"
}

sample_files()
{
	find "$current" -name 'cpu-clock.*' "$@"
}

start
tap_is $? 0 "a daemon"
"$T/storm" threads 50 >/dev/null
control --dump
sample_files -exec truncate -s 0 {} +
after "sample files truncated to nothing"
sample_files -exec truncate -s 4096 {} +
after "sample files truncated to a page"
noise 1 10 >"$T/noise"
sample_files -exec sh -c 'noise=$1; shift; for f; do cat "$noise" >"$f"; done' sh "$T/noise" {} +
after "sample files overwritten by something else"
sample_files -exec sh -c 'for f; do echo new >"$f.new"; mv "$f.new" "$f"; done' sh {} +
after "sample files replaced"
sample_files -exec rm -f {} +
after "sample files removed"
rm -rf "$current/{root}" "$current/{kern}"
after "folders of sample files removed"
touch "$current/{root}.x"
rm -rf "$current/{root}"
: >"$current/{root}"
after "a file where a folder is to be"
rm -rf "$current/{root}" "$current/{root}.x"
truncate -s 0 "$current/meta/stats"
after "the counters truncated"
rm -f "$current/meta/names" "$current/meta/cgroups" "$current/meta/info"
after "names and settings removed"
rm -rf "$current/meta"
after "all of meta removed"
rm -rf "$current"
after "the session removed"
rm -rf "$current"
ln -s /nowhere "$current"
after "a dangling link in its place"
rm -rf "$current"
after "and gone again"
mv "$S/samples" "$S/elsewhere"
after "samples moved away"
rm -f "$S/control"
sleep 0.3
kill -0 "$daemon"
tap_ok $? "the control socket removed: it lives"
kill "$daemon"
wait_left=600
while kill -0 "$daemon" 2>/dev/null && [ $wait_left -gt 0 ]; do
	sleep 0.1
	wait_left=$((wait_left - 1))
done
! kill -0 "$daemon" 2>/dev/null
tap_ok $? "and ends when told to"
start
tap_is $? 0 "the next daemon starts"
"$T/storm" threads 20 >/dev/null
control --shutdown
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
find "$S" -name '*.damaged*' -exec rm -f {} +
"$BIN/opcheck" "$S" >"$T/check" 2>&1
tap_is $? 0 "and but for what was set aside every file is good"
tap_show "$T/check" 5
"$BIN/opreport" "--session-dir=$S" -n -m all >"$T/flat" 2>"$T/coverage"
tap_is "$(sum_flat "$T/flat")" "$(session_counter "$S" stored)" "and holds what was stored"

# ---- two of them ----

S="$T/two"
current="$S/samples/current"
start
tap_is $? 0 "one daemon"
first=$daemon
! start
tap_ok $? "a second on its folder is refused"
tap_has "$T/err" "process $first, writes to this session" "and told whose it is"
kill -0 "$first"
tap_ok $? "the first goes on"
for turn in 1 2; do
	"$BIN/opcontrol" "--session-dir=$S" --start --event=cpu-clock:1003009:0:1:1 \
		--separate=lib >"$T/out" 2>&1
	tap_is "$(cat "$S/lock")" "$first" "start again, $turn: it is the same daemon"
done
"$BIN/oprof" start "--session-dir=$S" >"$T/out" 2>&1
"$BIN/oprof" start "--session-dir=$S" >"$T/out" 2>&1
tap_is "$(cat "$S/lock")" "$first" "oprof start twice: neither makes another"
kill -9 "$first"
while kill -0 "$first" 2>/dev/null; do sleep 0.05; done
start
tap_is $? 0 "after a kill the next one starts"
control --shutdown
check_conservation "$S"
tap_ok $? "with its counters in agreement"

# ---- folders of others ----

as_nobody="setpriv --reuid=nobody --regid=nogroup --clear-groups"
chmod 755 "$T"
mkdir "$T/bin"
cp "$BIN/oprofiled" "$BIN/opreport" "$T/bin/"
OPROF_EVENTS_DIR="$T/events"
cp -R "$E2E/../../events" "$T/events"
chmod -R a+rX "$T/events" "$T/bin"
! $as_nobody "$T/bin/oprofiled" "--session-dir=$S" --start --event=cpu-clock --pid=$$ 2>"$T/err"
tap_ok $? "a user's daemon on root's folder is refused"
tap_has "$T/err" 'Permission denied' "with the reason"
! $as_nobody "$T/bin/opreport" "--session-dir=$S" >"$T/out" 2>"$T/err"
tap_ok $? "and so is a user's report"
tap_has "$T/err" 'cannot be read by this user' "with the reason"
mkdir "$T/file-there"
: >"$T/file-there/samples"
! "$T/bin/oprofiled" "--session-dir=$T/file-there" --start --event=cpu-clock 2>"$T/err"
tap_ok $? "a folder with a file named samples is refused"
tap_has "$T/err" 'Not a directory|cannot make' "with the reason"
tap_end
