#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What optrace reads out of a trace, against what the kernel and babeltrace2 say
# of the same run: a workload that computes, sleeps and reads a disk.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: traces the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
"$BIN/optrace" list-events >"$T/events" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
command -v babeltrace2 >/dev/null || tap_skip_all "babeltrace2 is not installed"
command -v python3 >/dev/null || tap_skip_all "python3 is not installed"

# Computes, sleeps 10 times 20 ms, reads a file past the cache, fails to open another 50 times,
# computes in another function; and tells what the kernel counted of it: ns on CPU, ns ready,
# times run; system time and reads.
cat >"$T/load.c" <<'END_OF_C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

#define COMPUTE(name)                                                          \
	__attribute__((noinline)) void name(long ns)                           \
	{                                                                      \
		struct timespec used, begin;                                   \
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);                \
		do {                                                           \
			for (int i = 0; i < 100000; i++)                       \
				sum += i;                                      \
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);         \
		} while ((used.tv_sec - begin.tv_sec) * 1000000000L +          \
			 used.tv_nsec - begin.tv_nsec < ns);                   \
	}
COMPUTE(compute_first)
COMPUTE(compute_last)

static void *other(void *nothing)
{
	compute_first(10000000);
	return nothing;
}

int main(int argc, char **argv)
{
	struct timespec pause = {.tv_nsec = 20000000};
	char text[256];
	void *block;
	pthread_t thread;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_DIRECT) : -1;
	FILE *file;

	compute_first(200000000);
	for (int i = 0; i < 10; i++)
		nanosleep(&pause, NULL);
	for (int i = 0; i < 50; i++)
		open("/nothing/is/here", O_RDONLY);
	if (fd >= 0 && !posix_memalign(&block, 4096, 65536))
		for (int i = 0; i < 64; i++)
			if (pread(fd, block, 65536, 65536L * i) != 65536)
				return 2;
	compute_last(200000000);
	if (pthread_create(&thread, NULL, other, NULL) || pthread_join(thread, NULL))
		return 3;
	file = fopen("/proc/thread-self/schedstat", "r");
	if (file && fgets(text, sizeof(text), file))
		fputs(text, stdout);
	return 0;
}
END_OF_C
# By a name that no other test's thread has, nor that of another run of this one.
load=known_${T##*.}
$CC -O1 -fno-omit-frame-pointer -pthread -o "$T/$load" "$T/load.c" ||
	tap_bail "the workload does not build"
reckon=$(cd "$(dirname "$0")" && pwd)/trace_reckon.py
cd "$T" || exit 1
dd if=/dev/zero of=data bs=64K count=64 conv=fsync 2>/dev/null || tap_bail "no file can be written"

# told WORD: the number before it in optrace's sum
told()
{
	sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$T/err" | head -n 1
}

# stat EXPRESSION: with stats, and load the thread that is the workload's first
stat()
{
	python3 -c 'import json, sys
stats = json.load(open(sys.argv[1]))
load = [t for t in stats["threads"] if t["name"] == sys.argv[3] and t["tid"] == t["pid"]]
load = load[-1] if load else None
def call(name): return ([c for c in stats["calls"] if c["name"] == name] + [None])[0]
print(eval("(" + sys.argv[2] + ")"))' "$T/stats" "$1" "$load"
}

# Some kernels do not tell all switches away from an idle CPU, and who ran then is not known: so
# none is idle.
nr_spinners=$(nproc)
while [ "$nr_spinners" -gt 0 ]; do
	nice -n 19 sh -c 'while :; do :; done' &
	cleanup_pid $!
	spinners="${spinners:-} $!"
	nr_spinners=$((nr_spinners - 1))
done

nr_tries=0
# Again where events were lost, or a switch was not told all the same.
recorded_whole()
{
	nr_tries=$((nr_tries + 1))
	trace=known$nr_tries
	"$BIN/optrace" record -o "$trace" -m discard:64x1M -e default,sample -- \
		"$T/$load" data >"$T/schedstat" 2>"$T/err" &&
		[ "$(told lost)" = 0 ] &&
		"$BIN/optrace" stats --json "$trace" >"$T/stats" 2>"$T/err" &&
		[ "$(stat 'load["unknown_ns"] if load else -1')" = 0 ]
}
until_true recorded_whole
tap_ok $? "a trace without losses, and its statistics"
# shellcheck disable=SC2086 # process ids are words
kill $spinners
tap_note "$nr_tries tries"

# ---- as many events as babeltrace2 finds ----

babeltrace2 "$trace" >"$T/text" 2>"$T/reader" || tap_show "$T/reader"
nr=$(wc -l <"$T/text")
tap_is "$("$BIN/optrace" events "$trace" | wc -l)" "$nr" "as many events as babeltrace2 shows"
"$BIN/optrace" events -r "$trace" >"$T/backwards"
tap_is "$(wc -l <"$T/backwards")" "$nr" "backwards, too"
tap_is "$(awk '{ print $1, $2 }' "$T/backwards" | tac | cksum)" \
	"$("$BIN/optrace" events "$trace" | awk '{ print $1, $2 }' | cksum)" "the same, turned round"
"$BIN/optrace" events "$trace" | tail -n 1000 | awk '{ print $1, $2 }' >"$T/tail"
"$BIN/optrace" events -l 1000 "$trace" | awk '{ print $1, $2 }' | diff "$T/tail" - >"$T/diff"
tap_ok $? "and the last of them"
"$BIN/optrace" events -r -n 10 -e sched_switch "$trace" | awk '{ print $1, $2 }' >"$T/newest"
"$BIN/optrace" events -e sched_switch "$trace" | tail -n 10 | awk '{ print $1, $2 }' |
	tac | diff - "$T/newest" >"$T/diff"
tap_ok $? "the newest of one kind"

# From within it is read from there, who runs found by the switches before: it is the whole, cut.
"$BIN/optrace" events "$trace" >"$T/whole"
for from in 0.000001 0.07 0.3 0.55; do
	awk -v from="$from" '$1 >= from + 0' "$T/whole" >"$T/cut"
	"$BIN/optrace" events --from="$from" "$trace" | cmp - "$T/cut" >"$T/diff" 2>&1
	tap_ok $? "from $from s on: the same lines, $(wc -l <"$T/cut") of them"
done
"$BIN/optrace" events --from=0.1 --to=0.2 -t "$load" "$trace" >"$T/cut"
"$BIN/optrace" events -t "$load" "$trace" |
	awk '$1 >= 0.1 && $1 < 0.2' | cmp - "$T/cut" >"$T/diff" 2>&1
tap_ok $? "and of one thread up to a time"

# ---- statistics ----

tap_is "$(stat 'stats["version"]')" 2 "the version of the JSON is told"
tap_is "$(stat 'stats["records"]')" "$nr" "all records are counted"
tap_is "$(stat 'sum(abs(sum(ns for name, ns in cpu.items() if name.endswith("_ns")) -
	stats["window_ns"]) for cpu in stats["cpus"])')" 0 "each CPU's states are the window"
tap_is "$(stat 'sum(c["calls"] for c in stats["calls"]) -
	sum(t["syscalls"] for t in stats["threads"])')" 0 "calls and threads tell the same number"
tap_is "$(stat 'sum(p["syscalls"] for p in stats["processes"]) -
	sum(t["syscalls"] for t in stats["threads"])')" 0 "and processes"
read -r ran _ <"$T/schedstat"
ours=$(stat 'load["user_ns"] + load["syscall_ns"] + load["program_ns"] + load["interrupted_ns"]')
tap_note "ran $ours ns by the trace, $ran by the scheduler"
# Time that was taken from the machine is in the trace's sum, and not in the scheduler's.
[ "$ours" -ge $((ran * 98 / 100)) ] && [ "$ours" -le $((ran * 2)) ]
tap_ok $? "a thread ran as long as the scheduler counted"
[ "$(stat 'load["user_ns"]')" -ge 320000000 ]
tap_ok $? "in user mode, as it computed"
[ "$(stat 'load["sleeping_ns"]')" -ge 200000000 ]
tap_ok $? "it slept at least as long as it asked for"
tap_is "$(stat '[p for p in stats["processes"] if p["pid"] == load["pid"]][0]["threads"]')" 2 \
	"its process has both threads"
[ "$(stat '[p["user_ns"] - load["user_ns"] + p["unknown_ns"] for p in stats["processes"]
	if p["pid"] == load["pid"]][0]')" -ge 8000000 ]
tap_ok $? "and the time of both"

# The same reckoned by other means; one nanosecond put wrong is found.
python3 "$reckon" "$BIN/optrace" "$T/$trace" >"$T/reckoned" 2>&1
tap_ok $? "times of CPUs and threads and of system calls, reckoned from babeltrace2's text"
tap_show "$T/reckoned"
! python3 "$reckon" "$BIN/optrace" "$T/$trace" spoil >"$T/reckoned" 2>&1
tap_ok $? "which finds a nanosecond"
tap_is "$(grep -c ' reckoned ' "$T/reckoned")" 1 "and no other"

"$BIN/optrace" stats --json -t "$load" "$trace" >"$T/stats" 2>"$T/err"
sleeps=$(stat 'call("clock_nanosleep")["calls"]')
tap_is "$sleeps" 10 "a thread's system calls: as often as it made them"
[ "$(stat 'call("clock_nanosleep")["time"]["min_ns"]')" -ge 20000000 ]
tap_ok $? "each as long as it asked for, at least"
[ "$(stat 'call("clock_nanosleep")["time"]["sum_ns"]')" -ge 200000000 ]
tap_ok $? "and all together"
[ "$(stat 'call("openat")["errors"]')" -ge 50 ]
tap_ok $? "those that fail are told"
tap_is "$(stat 'sum(n for _, n in call("clock_nanosleep")["time"]["histogram"])')" 10 \
	"how they are spread adds up"
[ "$(stat 'call("pread64")["calls"]')" -ge 64 ]
tap_ok $? "reads of the disk"
if grep -q ' block_rq_complete: ' "$T/text"; then
	[ "$(stat 'load["disk_ns"] + load["uninterruptible_ns"]')" -gt 0 ]
	tap_ok $? "which it waited for"
	tap_is "$(stat 'stats["block_events"]')" True "by block events"
else
	tap_note "the kernel told of no block request here: tests/unit/pp/trace/test_trace_states has them"
fi

"$BIN/optrace" stats --json --from=0.05 --to=0.15 "$trace" >"$T/stats"
tap_is "$(stat 'stats["window_ns"]')" 100000000 "a stretch of time is as long as it was said"
tap_is "$(stat 'sum(abs(sum(ns for name, ns in cpu.items() if name.endswith("_ns")) - 100000000)
	for cpu in stats["cpus"])')" 0 "each CPU's states fill it"
"$BIN/optrace" stats --calls --histogram -t "$load" "$trace" >"$T/out"
tap_has "$T/out" '^clock_nanosleep +10 +0 ' "a table alone"
tap_has "$T/out" '^ +[0-9.]+ ms +[0-9]+ #+$' "with its histogram"
! grep -q '^ CPU ' "$T/out"
tap_ok $? "and no other"
"$BIN/optrace" stats -e nonsense "$trace" >"$T/out" 2>"$T/err"
tap_is $? 1 "an option that there is not"

# Which of them are waits for a disk, nothing tells: there is no such column.
"$BIN/optrace" record -o switches -e sched:sched_switch,sched:sched_wakeup -- true 2>"$T/err"
"$BIN/optrace" stats --threads switches >"$T/out"
tap_has "$T/out" '^ +TID THREAD.* uninterr\. +sleeping ' "without block events: uninterruptible"
! grep -q ' disk ' "$T/out"
tap_ok $? "and no disk"
"$BIN/optrace" stats --threads "$trace" >"$T/out"
if grep -q 'block:block_rq_complete' "$T/events"; then
	tap_has "$T/out" '^ +TID THREAD.* disk +uninterr\. ' "with them: both"
fi

# ---- of one process ----

"$BIN/optrace" stats --json "$trace" >"$T/stats"
pid=$(stat 'load["pid"]')
tids=$(stat '",".join(str(t["tid"]) for t in stats["threads"] if t["pid"] == load["pid"])')
"$BIN/optrace" events -t "$tids" "$trace" >"$T/by_thread"
"$BIN/optrace" events -p "$pid" "$trace" >"$T/by_process"
tap_is "$(cksum <"$T/by_process")" "$(cksum <"$T/by_thread")" "events -p: those of its threads, $tids"
[ "$("$BIN/optrace" events -t "$pid" "$trace" | wc -l)" -lt "$(wc -l <"$T/by_process")" ]
tap_ok $? "the second of which began in the trace"
tap_is "$("$BIN/optrace" events -p "$pid" -r "$trace" | wc -l)" "$(wc -l <"$T/by_process")" \
	"backwards: as many"
at=$(awk 'END { print $1 }' "$T/by_thread")
tap_is "$("$BIN/optrace" events -p "$pid" --from "$at" "$trace")" "$(tail -n 1 "$T/by_thread")" \
	"from the time of the last on: that one"
"$BIN/optrace" stats -p "$pid" --json "$trace" >"$T/of_process"
tap_is "$(python3 -c 'import json, sys
stats = json.load(open(sys.argv[1]))
print(sorted({t["pid"] for t in stats["threads"]}), sum(c["calls"] for c in stats["calls"]))' "$T/of_process")" \
	"[$pid] $(grep -c ' syscall_entry_' "$T/by_process")" "stats -p: its threads, and their calls"
! "$BIN/optrace" events -p make "$trace" >"$T/out" 2>"$T/err"
tap_ok $? "a name is no process"
tap_has "$T/err" '^optrace: error: --pid=make: give process numbers' "and that is told"

# ---- profile ----

"$BIN/optrace" profile "$trace" -- -l -t 0 "$load" >"$T/out" 2>"$T/err"
tap_is $? 0 "profile"
tap_has "$T/out" ' compute_first$' "what it computed first"
tap_has "$T/out" ' compute_last$' "and last"
at=$("$BIN/optrace" events -t "$load" -e syscall_entry_clock_nanosleep -n 1 "$trace" |
	awk '{ print $1 }')
"$BIN/optrace" profile --to="$at" "$trace" -- -l "$load" >"$T/out" 2>"$T/err"
tap_has "$T/out" ' compute_first$' "up to its first sleep: what it had computed"
! grep -q ' compute_last$' "$T/out"
tap_ok $? "and nothing of after it"
! "$BIN/optrace" profile --from=100000 "$trace" >"$T/out" 2>"$T/err"
tap_ok $? "behind the trace's end: refused"
tap_has "$T/err" 'the selected part of the trace contains no samples' "and why is told"
mkdir temporary
TMPDIR=$T/temporary "$BIN/optrace" profile "$trace" >"$T/out" 2>"$T/err"
tap_is "$(ls temporary)" "" "nothing is left of the session that it made"
tap_end
