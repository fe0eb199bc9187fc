#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprof top, and reports of the last minute, from a daemon that runs: the hot
# function of now, by thread, CPU and cgroup whatever the session's separation.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
[ -x "$BIN/optop" ] || tap_skip_all "built without reports"
cat >"$T/load.c" <<'END'
#include <pthread.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void first_hot(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sum += i;
}
__attribute__((noinline)) static void second_hot(void)
{
	for (unsigned long i = 0; i < 1000000; i++)
		sum ^= i;
}
static void *run(void *second)
{
	for (;;)
		second ? second_hot() : first_hot();
	return 0;
}
int main(int argc, char **argv)
{
	(void)argv;
	run(argc > 1 ? "" : 0);
}
END
# Another run of this test has the same functions, and other names.
first_hot=first_hot_$$
second_hot=second_hot_$$
$CC -O1 -g -pthread "-Dfirst_hot=$first_hot" "-Dsecond_hot=$second_hot" -o "$T/load" "$T/load.c" || tap_bail "the workload does not build"
S=$T/session

"$BIN/optop" --session-dir="$S" --once >"$T/out" 2>"$T/err"
tap_is $? 1 "without a daemon: 1"
tap_has "$T/err" 'no daemon runs .*oprof start' "and how to start one is told"

"$BIN/oprofiled" --session-dir="$S" --foreground --system --event=cpu-clock --frequency=997 \
	--separate=none --start 2>"$T/log" &
daemon=$!
cleanup_pid $daemon
wait_for_control "$S" $daemon || tap_bail "the daemon does not answer: $(cat "$T/log")"

# share TEXT: of the first row that has it
share()
{
	awk -v text="$1" 'index($0, text) { print int($1); exit }' "$T/out"
}

top_once() # VIEW [OPTION...]
{
	view=$1
	shift
	"$BIN/oprof" top --session-dir="$S" --once --window=2 --view="$view" "$@" \
		>"$T/out" 2>"$T/err"
}

# A daemon that has to wait for a CPU may not answer in the second that top waits.
top() # VIEW [OPTION...]
{
	until_true top_once "$@"
	top_status=$?
	[ $top_status -eq 0 ] || tap_show "$T/err"
	return $top_status
}

# shows SYMBOL: now
shows()
{
	top_once symbols && [ -n "$(share "$1")" ]
}

# overtakes SYMBOL OTHER: in the last two seconds
overtakes()
{
	shows "$1" || return
	other=$(share "$2")
	[ "${other:-0}" -lt "$(share "$1")" ]
}

"$T/load" &
first=$!
cleanup_pid $first
until_true shows $first_hot
top symbols
tap_is $? 0 "oprof top --once"
tap_has "$T/out" " $first_hot +load" "names the hot function and its image"
[ "$(share $first_hot)" -ge 1 ]
tap_ok $? "with a share that shows"
tap_has "$T/out" 'samples [0-9]+ .*idle .*lost [0-9]+.*daemon [0-9.]+ % of a CPU' "sums above"
top threads
tap_has "$T/out" " $first\\.$first load +load" "threads, though the session does not keep them apart"
top processes --filter="$first load"
# With a row of its own for what it ran before its exec, when the window is young.
tap_is "$(awk -v text=" $first load " '/^ *[0-9.]+%/ { if (index($0, text)) ours = 1; else others++ }
	END { print ours + 0, others + 0 }' "$T/out")" "1 0" "a filter leaves the process alone"
top cpus
tap_has "$T/out" ' CPU [0-9]+ ' "CPUs"
top cgroups
tap_has "$T/out" '^ *[0-9]+\.[0-9]+%' "cgroups"
! grep -q 'not known' "$T/out"
tap_ok $? "by name"
top images
tap_has "$T/out" "$T/load" "images"
top programs
tap_has "$T/out" "$T/load" "programs"

kill $first
wait $first 2>/dev/null
# All that was sampled until the dump, which is later than $between, comes before the other load.
between=$(($(date +%s) + 1))
[ $((between % 60)) -ne 0 ] || between=$((between + 1)) # with a minute a slice ends
while [ "$(date +%s)" -le $between ]; do sleep 0.1; done
"$BIN/opcontrol" --session-dir="$S" --dump >"$T/out" 2>&1
"$T/load" second &
second=$!
cleanup_pid $second
until_true overtakes $second_hot $first_hot
tap_ok $? "later the function of later, and the one before leaves the window"
tap_has "$T/out" " $second_hot +load" "which is named"

# ---- reports of the last minutes ----

# last_is SYMBOL: what the last three seconds have is that function, of the load's two
last_is()
{
	"$BIN/opreport" -l -V --last 3s --session-dir="$S" >"$T/out" 2>"$T/err" &&
		[ "$(grep -oE " ($first_hot|$second_hot)\$" "$T/out")" = " $1" ]
}

until_true last_is $second_hot
tap_ok $? "opreport --last 3s names the function of then, and no other's"
tap_has "$T/err" "read the daemon's memory" "comes from the daemon's memory"
! grep -Eq 'balance|sample files contain' "$T/err"
tap_ok $? "with counters that agree with its samples"

# Both sides end within the minute.
diff_is_recent()
{
	"$BIN/oprof" diff -l -V --last 2s --session-dir="$S" >"$T/out" 2>"$T/err" &&
		[ "$(grep -c "read the daemon's memory" "$T/err")" = 2 ]
}

until_true diff_is_recent
tap_ok $? "oprof diff --last 2s reads both sides from there"
tap_has "$T/out" " $second_hot\$" "with their samples"
"$BIN/oprof" report -l --last 5m --session-dir="$S" -V >"$T/out" 2>"$T/err"
tap_has "$T/err" "read the daemon's memory" "all since the daemon began is in it, too"
tap_has "$T/out" " $first_hot\$" "with what was before"

# Runs the first load, then the other, and sets $from and $between, whole seconds around the first.
# A range begins and ends where the daemon had read all samples, which may be seconds apart on a
# busy machine: a dump makes it read those of one load before the other begins.
take_turns()
{
	kill "$second"
	wait "$second" 2>/dev/null
	"$BIN/opcontrol" --session-dir="$S" --dump >"$T/out" 2>&1
	from=$(($(date +%s) + 1))
	while [ "$(date +%s)" -le "$from" ]; do sleep 0.1; done
	"$T/load" &
	first=$!
	cleanup_pid "$first"
	sleep 2
	kill "$first"
	wait "$first" 2>/dev/null
	between=$(($(date +%s) + 1))
	while [ "$(date +%s)" -le "$between" ]; do sleep 0.1; done
	"$BIN/opcontrol" --session-dir="$S" --dump >"$T/out" 2>&1
	"$T/load" second &
	second=$!
	cleanup_pid "$second"
}

# The daemon keeps a minute. On a busy machine the range is older by now: then the loads run again.
ended_is_recent()
{
	"$BIN/opreport" -l -V --from "@$from" --to "@$between" --session-dir="$S" \
		>"$T/out" 2>"$T/err"
	grep -q "read the daemon's memory" "$T/err" && return
	take_turns
	return 1
}

from=$((between - 20))
until_true ended_is_recent
tap_ok $? "a range that ended within the minute comes from there" || tap_show "$T/err"
tap_is "$(grep -oE " ($first_hot|$second_hot)\$" "$T/out")" " $first_hot" "and has nothing of what came later"
! grep -Eq 'balance|sample files contain' "$T/err"
tap_ok $? "its counters agree with its samples as well"

# ---- leaks ----

# More answers than a process has descriptors: none stays in the daemon.
"$BIN/optop" --session-dir="$S" -b -n 40 -d 0.1 -r 1 >"$T/out" 2>"$T/err"
tap_is "$(grep -c '^oprof top' "$T/out")" 40 "40 refreshes"
tap_is "$(find "/proc/$daemon/fd" -lname '*oprof-recent*' | wc -l)" 0 "leave no slice in the daemon"
sockets=$(find "/proc/$daemon/fd" -lname 'socket:*' | wc -l)
[ "$sockets" -le 4 ]
tap_ok $? "nor connections ($sockets sockets)"
kill $second

# ---- a slow daemon ----

# The daemon of a busy machine got a tenth of a CPU, and optop --once failed after 10 seconds.
kill -STOP $daemon
"$BIN/optop" --session-dir="$S" --once >"$T/out" 2>"$T/err" &
late=$!
"$BIN/optop" --session-dir="$S" --once >"$T/interrupted" 2>&1 &
interrupted=$!
sleep 12
kill -TERM $interrupted
wait $interrupted
tap_is $? 143 "a signal ends the wait for a slow daemon"
tap_is "$(cat "$T/interrupted")" "" "without a message"
kill -CONT $daemon
wait $late
tap_is $? 0 "optop --once waits for a slow daemon" || tap_show "$T/err"
tap_has "$T/out" 'samples' "and shows its samples"

kill $daemon
wait $daemon
tap_is $? 0 "the daemon ends well"
check_conservation "$S" >"$T/out"
tap_ok $? "and counted all"
tap_show "$T/out"
tap_end
