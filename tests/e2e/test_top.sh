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
$CC -O1 -g -pthread -o "$T/load" "$T/load.c" || tap_bail "the workload does not build"
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

top() # VIEW [OPTION...]
{
	view=$1
	shift
	"$BIN/oprof" top --session-dir="$S" --once --window=2 --view="$view" "$@" \
		>"$T/out" 2>"$T/err"
}

"$T/load" &
first=$!
cleanup_pid $first
sleep 3.5
top symbols
tap_is $? 0 "oprof top --once"
tap_has "$T/out" ' first_hot +load' "names the hot function and its image"
[ "$(share first_hot)" -ge 1 ]
tap_ok $? "with a share that shows"
tap_has "$T/out" 'samples [0-9]+ .*idle .*lost [0-9]+.*daemon [0-9.]+ % of a CPU' "sums above"
top threads
tap_has "$T/out" " $first\\.$first load +load" "threads, though the session does not keep them apart"
top processes --filter="$first load"
tap_is "$(grep -c '%' "$T/out")" 2 "a filter leaves the process alone"
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
"$T/load" second &
second=$!
cleanup_pid $second
sleep 4.5
top symbols
tap_has "$T/out" ' second_hot +load' "later the function of later"
[ "$(share first_hot)" = "" ] || [ "$(share first_hot)" -lt "$(share second_hot)" ]
tap_ok $? "and the one before has left the window"

# ---- reports of the last minutes ----

"$BIN/opreport" -l -V --last 3s --session-dir="$S" >"$T/out" 2>"$T/err"
tap_is $? 0 "opreport --last 3s"
tap_has "$T/err" "read the daemon's memory" "comes from the daemon's memory"
tap_has "$T/out" ' second_hot$' "names the function of then"
! grep -q ' first_hot$' "$T/out"
tap_ok $? "and no other's"
! grep -Eq 'balance|hold' "$T/err"
tap_ok $? "with counters that agree with its samples"
"$BIN/oprof" report -l --last 1m --session-dir="$S" -V >"$T/out" 2>"$T/err"
tap_has "$T/err" "read the daemon's memory" "all since the daemon began is in it, too"
tap_has "$T/out" ' first_hot$' "with what was before"

# ---- leaks ----

# More answers than a process has descriptors: none stays in the daemon.
"$BIN/optop" --session-dir="$S" -b -n 40 -d 0.1 -r 1 >"$T/out" 2>"$T/err"
tap_is "$(grep -c '^oprof top' "$T/out")" 40 "40 refreshes"
tap_is "$(find "/proc/$daemon/fd" -lname '*oprof-recent*' | wc -l)" 0 "leave no slice in the daemon"
sockets=$(find "/proc/$daemon/fd" -lname 'socket:*' | wc -l)
[ "$sockets" -le 4 ]
tap_ok $? "nor connections ($sockets sockets)"
kill $second
kill $daemon
wait $daemon
tap_is $? 0 "the daemon ends well"
check_conservation "$S" >"$T/out"
tap_ok $? "and counted all"
tap_show "$T/out"
tap_end
