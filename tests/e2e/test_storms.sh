#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that map without end, thousands of threads, hundreds of processes a
# second, exec loops and fork bombs, while a daemon profiles: its memory stays
# bounded, each sample is accounted for, and reports sum to what was stored.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
$CC -O1 -pthread -o "$T/storm" "$E2E/storm.c" || tap_bail "the storm does not build"
S="$T/session"
limit_kib=$((256 * 1024))
seconds=2
[ -z "${OPROF_CHECK_ALL:-}" ] || seconds=10

start()
{
	"$BIN/oprofiled" "--session-dir=$S" --start --event=cpu-clock --frequency=997 "$@" 2>"$T/err" ||
		tap_bail "the daemon does not start: $(cat "$T/err")"
	daemon=$(cat "$S/lock")
	cleanup_pid "$daemon"
}

memory_kib()
{
	awk -v name="$1:" '$1 == name { print $2 }' "/proc/$daemon/status"
}

# storm TEXT WORD...: run it twice; the second time may not take much more memory than the first
storm()
{
	text=$1
	shift
	for turn in first second; do
		timeout 100 "$T/storm" "$@" >"$T/used" 2>"$T/storm.err"
		tap_is $? 0 "$text, $turn time ($(cat "$T/used") ms of CPU time $(cat "$T/storm.err"))"
		"$BIN/opcontrol" "--session-dir=$S" --dump
		tap_ok $? "$text: the daemon answers"
		eval "${turn}_kib=$(memory_kib VmRSS)"
	done
	highest=$(memory_kib VmHWM)
	# shellcheck disable=SC2154 # by eval
	tap_note "$text: VmHWM $highest KiB; after the first time $first_kib, after the second $second_kib"
	[ "$highest" -lt $limit_kib ]
	tap_ok $? "$text: its memory is bounded"
}

# end TEXT: the daemon's; sums are exact
end()
{
	"$BIN/opcontrol" "--session-dir=$S" --shutdown
	tap_ok $? "$1: it ends"
	check_conservation "$S"
	tap_ok $? "$1: seen = stored + idle + lost"
	"$BIN/opcheck" "$S" >"$T/out" 2>&1
	check_status=$?
	[ $check_status -eq 0 ] || tap_show "$T/out"
	tap_ok $check_status "$1: all files are good"
	timeout 200 "$BIN/opreport" "--session-dir=$S" -n -m all >"$T/flat" 2>"$T/coverage"
	tap_is "$(sum_flat "$T/flat")" "$(session_counter "$S" stored)" \
		"$1: the report sums to what was stored"
	rm -rf "$S"
}

# samples_of WORD: of the storm's samples, in all
samples_of()
{
	"$BIN/opreport" "--session-dir=$S" -n -m all "$@" 2>/dev/null | awk '/^ *[0-9]/ { sum += $1 } END { print sum + 0 }'
}

start --separate=lib
storm "maps without end" maps $((seconds * 1000))
end "maps without end"

start --separate=lib,thread
storm "5,000 threads" threads 2500
# Files may be closed into slices by now: a full minute, or a small disk.
nr=$("$BIN/opreport" "--session-dir=$S" -n --by=tid image:storm 2>/dev/null | grep -c '^ *[0-9]')
[ "$nr" -gt 2000 ]
tap_ok $? "of 10,000 threads $nr are told apart"
expected=$(($(cat "$T/used") * 2 * 997 / 1000))
got=$(samples_of image:storm)
tap_note "the storm's own code has $got samples; its CPU time in all says $expected"
[ "$got" -gt $((expected / 2)) ]
tap_ok $? "and the samples of what they did"
end "5,000 threads"

start --separate=lib
storm "500 processes a second" processes $((seconds * 500)) $((seconds * 1000))
storm "an exec loop" execs $((seconds * 200))
storm "a fork bomb" bomb 9
end "processes"
tap_end
