#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# optrace record: the whole machine's events in a folder that babeltrace2 reads,
# to the record, whatever ends it.
. "$(dirname "$0")/lib.sh"
# In UTF-8, sed and grep do not match lines with the names that other tests give their threads.
export LC_ALL=C

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: traces the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
"$BIN/optrace" list-events >"$T/events" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
command -v babeltrace2 >/dev/null || tap_skip_all "babeltrace2 is not installed"

# A rare call, so often; in a program whose name is known.
cat >"$T/caller.c" <<'END_OF_C'
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	struct timespec interval;

	for (long i = argc > 1 ? atol(argv[1]) : 0; i; i--)
		syscall(SYS_sched_rr_get_interval, WHO, &interval);
	return argc > 2 ? atoi(argv[2]) : 0;
}
END_OF_C
# A trace is of the whole machine, where other tests make the same call: ours have another name
# and another argument.
rare=rare_${T##*.}
$CC -O1 -DWHO=$$ -o "$T/$rare" "$T/caller.c" || tap_bail "the workload does not build"
cd "$T" || exit 1

# told WORD: the number before it in optrace's sum
told()
{
	sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$T/err" | head -n 1
}

# show FOLDER: into $T/text
show()
{
	babeltrace2 "$1" >"$T/text" 2>"$T/reader" || tap_show "$T/reader"
}

# kept NAME FOLDER: a number of the folder's own, by our reader
kept()
{
	"$BIN/optrace" stats --json "$2" 2>/dev/null | sed -n "s/^ *\"$1\": *\([0-9]*\),*$/\1/p" | head -n 1
}

nr_of()
{
	grep -c " $1: " "$T/text"
}

# our_calls: calls in the text by its argument
our_calls()
{
	grep " syscall_entry_sched_rr_get_interval: " "$T/text" | grep -c "{ pid = $$,"
}

grep -qx 'sched:sched_switch' "$T/events"
tap_ok $? "list-events"
"$BIN/optrace" list-events -f 'sched:sched_sw*' >"$T/out"
tap_has "$T/out" '^	pid_t next_pid$' "with their fields"

# ---- a command ----

"$BIN/optrace" record -- "$T/$rare" 20000 7 2>"$T/err"
tap_is $? 7 "record: the command's status"
tap_has "$T/err" 'optrace stats oprofile_trace, or: optrace events oprofile_trace' "and how to see it is told"
show oprofile_trace
tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "babeltrace2 reads as many events as were told"
tap_is "$(kept records oprofile_trace)" "$(told 'events in')" "and so do we"
tap_is "$(kept lost_events oprofile_trace)" "$(told lost)" "the folder tells as many losses"
[ "$(our_calls)" -le 20000 ] &&
	[ "$(our_calls)" -ge $((20000 - $(told lost))) ]
tap_ok $? "each call of the command is there, or lost and counted"
[ "$(nr_of syscall_exit_sched_rr_get_interval)" -ge $((20000 - $(told lost))) ]
tap_ok $? "and the end of each"

# A trace of the command, to "whole", that lost nothing.
seldom_lost()
{
	rm -rf whole
	"$BIN/optrace" record -o whole -- "$T/$rare" 1000 2>"$T/err" && [ "$(told lost)" = 0 ]
}
until_true seldom_lost
tap_ok $? "with the buffers that it takes by itself nothing is lost, sooner or later"
show whole
tap_is "$(our_calls)" 1000 "each call of the command is there"
grep ' sched_process_exec: ' "$T/text" | grep -q "$rare\""
tap_ok $? "its exec"
grep ' sched_process_exit: ' "$T/text" | grep -q "comm = \"$rare\""
tap_ok $? "its end"
tap_has "$T/text" ' sched_switch: .*prev_tid = .*next_tid = ' "switches by the names that readers know"
grep ' lttng_statedump_process_state: ' "$T/text" | grep -q "tid = $$, pid = $$,"
tap_ok $? "what ran before"
grep ' oprof_statedump_mapping: ' "$T/text" | grep -q "pid = $$,.*path = \"/"
tap_ok $? "and what code it has mapped"

# ---- the next one, chosen events ----

"$BIN/optrace" record -e 'sched:sched_process_exec,sched:sched_process_fork' -- "$T/$rare" 10 2>"$T/err"
tap_is $? 0 "chosen events"
[ -f oprofile_trace.old/metadata ]
tap_ok $? "the trace of before is kept"
show oprofile_trace
tap_is "$(grep -vc ' sched_process_exec: \| sched_process_fork: \| [a-z]*_statedump_' "$T/text")" 0 "and no others"
grep ' sched_process_exec: ' "$T/text" | grep -q "$rare\""
tap_ok $? "are there"
before=$(cat oprofile_trace/metadata oprofile_trace.old/metadata | cksum)
ignoring_children "$BIN/optrace" record -o status -- sh -c 'exit 42' 2>"$T/err"
tap_is $? 42 "the command's own status, also of one that ignores SIGCHLD"
"$BIN/optrace" record -e 'sched:sched_no_such' -- true 2>"$T/err"
tap_is "$(cat oprofile_trace/metadata oprofile_trace.old/metadata | cksum)" "$before" "a mistake moves no trace"
mv oprofile_trace.old kept_trace
mkdir oprofile_trace.old
echo mine >oprofile_trace.old/mine
"$BIN/optrace" record -- true 2>"$T/err"
tap_is $? 125 "a folder of that name that is no trace stays where it is"
tap_has "$T/err" 'oprofile_trace.old, because .* is not a trace: move it away' "with what to do"
tap_is "$(cat oprofile_trace.old/mine)" mine "and as it is"
rm -r oprofile_trace.old
mv kept_trace oprofile_trace.old
"$BIN/optrace" record -o some_calls -e syscall:sched_rr_get_interval -- "$T/$rare" 500 2>"$T/err"
show some_calls
tap_is "$(grep ' syscall_' "$T/text" | grep -vc '_sched_rr_get_interval: ')" 0 "one system call, and no others"
[ $(($(our_calls) + $(told lost))) -ge 500 ]
tap_ok $? "each time"
"$BIN/optrace" record -o filtered -e 'sched:sched_process_exec/filename ~ "*no_such*"/' -- "$T/$rare" 2>"$T/err"
show filtered
tap_is "$(nr_of sched_process_exec)" 0 "a filter leaves out what it does not fit"
"$BIN/optrace" record -o kept -e "sched:sched_process_exec/filename ~ \"*$rare\"/" -- "$T/$rare" 2>"$T/err"
show kept
tap_is "$(nr_of sched_process_exec)" 1 "and keeps the rest"

# ---- events ----

"$BIN/optrace" events whole >"$T/out" 2>"$T/err"
tap_is "$(wc -l <"$T/out")" "$(kept records whole)" "events: each has its line"
# Some virtual machines hide the threads of their manager, and the switches from these threads: it is
# then not known who runs, until the next switch.
by_name()
{
	"$BIN/optrace" events -e syscall_entry_sched_rr_get_interval -t "$rare" whole >"$T/out"
	[ "$(wc -l <"$T/out")" -eq 1000 ] && return
	seldom_lost && show whole
	return 1
}
until_true by_name
tap_ok $? "those of one kind, by a thread's name"
"$BIN/optrace" events -w "filename=*/$rare" -j whole >"$T/out"
tap_has "$T/out" "\"event\":\"sched_process_exec\",\"fields\":\\{\"filename\":\"[^\"]*/$rare\"" "by a field, as JSON"
"$BIN/optrace" events -s sched_rr_get_interval -l 5 whole >"$T/last"
"$BIN/optrace" events -s sched_rr_get_interval -l 5 -r whole >"$T/out"
tap_is "$(sed '1!G;h;$!d' "$T/out")" "$(cat "$T/last")" "the last ones, and backwards"
from=$(awk 'NR == 2 { print $1 }' "$T/last")
to=$(awk 'NR == 4 { print $1 }' "$T/last")
"$BIN/optrace" events -s sched_rr_get_interval --from="$from" --to="$to" whole >"$T/out"
"$BIN/optrace" events -s sched_rr_get_interval whole |
	awk -v from="$from" -v to="$to" '$1 >= from && $1 < to' | diff - "$T/out" >"$T/diff"
tap_ok $? "in a stretch of time"
[ -s "$T/out" ]
tap_ok $? "which holds some"
babeltrace2 whole 2>/dev/null | sed -n 's/.* \([a-z_0-9]*\): { cpu_id.*/\1/p' >"$T/theirs"
"$BIN/optrace" events -j whole | sed -n 's/"fields":{.*//; s/.*"event":"\([a-z_0-9]*\)".*/\1/p' |
	diff "$T/theirs" - >"$T/diff"
tap_ok $? "in the order and by the names that babeltrace2 shows"
"$BIN/optrace" events -w nonsense whole 2>"$T/err"
tap_is $? 1 "a condition that is none"
tap_has "$T/err" 'FIELD=VALUE' "is told what one is"

# ---- stats ----

# Computes, sleeps, and tells what the scheduler counted of it: ns on CPU, ns ready, times run.
cat >"$T/known.c" <<'END_OF_C'
#include <stdio.h>
#include <time.h>
int main(void)
{
	struct timespec used, pause = {.tv_nsec = 20000000};
	volatile unsigned long sum = 0;
	char text[256];
	FILE *file;

	do {
		for (int i = 0; i < 100000; i++)
			sum += i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	} while (used.tv_nsec < 200000000 && !used.tv_sec);
	for (int i = 0; i < 10; i++)
		nanosleep(&pause, NULL);
	file = fopen("/proc/self/schedstat", "r");
	if (file && fgets(text, sizeof(text), file))
		fputs(text, stdout);
	return 0;
}
END_OF_C
# By a name that no other test's thread has, nor that of another run of this one.
load=known_${T##*.}
$CC -O1 -o "$T/$load" "$T/known.c" || tap_bail "the workload does not build"

# state NAME...: of the thread $load, in ns: their sum
state()
{
	python3 -c 'import json, sys
thread = [t for t in json.load(open(sys.argv[1]))["threads"] if t["name"] == sys.argv[2]][-1]
print(sum(thread[name] for name in sys.argv[3:]))' "$T/stats" "$load" "$@"
}

nr_tries=0
recorded_whole() # again where events were lost
{
	nr_tries=$((nr_tries + 1))
	"$BIN/optrace" record -o "known$nr_tries" -m discard:64x1M -- "$T/$load" >"$T/schedstat" 2>"$T/err" &&
		[ "$(told lost)" = 0 ]
}
if command -v python3 >/dev/null && until_true recorded_whole; then
	"$BIN/optrace" stats --json "known$nr_tries" >"$T/stats" 2>"$T/err"
	tap_is $? 0 "stats"
	tap_is "$(python3 -c 'import json, sys
stats = json.load(open(sys.argv[1]))
print(sum(abs(sum(ns for name, ns in cpu.items() if name.endswith("_ns")) - stats["window_ns"])
	for cpu in stats["cpus"]))' "$T/stats")" 0 "each CPU's states are the window, to the nanosecond"
	read -r ran ready _ <"$T/schedstat"
	ours=$(state user_ns syscall_ns program_ns interrupted_ns)
	tap_note "ran $ours ns by the trace, $ran by the scheduler; ready $(state ready_ns), $ready"
	# What runs after a switch that the kernel does not tell is told as unknown.
	unknown=$(state unknown_ns)
	[ $((ours + unknown)) -ge $((ran * 98 / 100)) ] && [ "$ours" -le $((ran * 110 / 100 + 10000000)) ]
	tap_ok $? "a thread ran as long as the scheduler counted"
	[ $(($(state user_ns) + unknown)) -ge 160000000 ]
	tap_ok $? "in user mode, as it computed"
	[ $(($(state sleeping_ns) + unknown)) -ge 200000000 ]
	tap_ok $? "and slept at least as long as it asked for"
	"$BIN/optrace" stats -n 0 "known$nr_tries" >"$T/out"
	tap_has "$T/out" "^ *[0-9]* $load " "it stands in the table"
	tap_has "$T/out" '^ *CPU +idle +user +syscall' "with the CPUs above"
else
	tap_note "no trace without losses: $(cat "$T/err")"
fi
"$BIN/optrace" stats nowhere 2>"$T/err"
tap_is $? 1 "stats of no trace"
tap_has "$T/err" 'nowhere' "is told by its name"

# ---- losses ----

# What is lost may be other programs' calls only: again until some of ours are missing.
calls_lost()
{
	rm -rf lossy
	"$BIN/optrace" record -o lossy -m discard:2x4K -e syscalls -- "$T/$rare" 100000 2>"$T/err" || return 1
	show lossy
	calls=$(grep -c ' syscall_[a-z]*_sched_rr_get_interval: ' "$T/text")
	[ "$calls" -lt 200000 ]
}
until_true calls_lost
tap_ok $? "small buffers lose"
tap_has "$T/err" "the kernel's buffers were full or already closed: .*-m" "and what to do is told"
tap_is "$(kept records lossy)" "$(told 'events in')" "what was told is in the folder"
tap_is "$(kept lost_events lossy)" "$(told lost)" "so are the losses"
tap_note "$calls of 200000 are there, $(told lost) lost"
[ $((calls + $(told lost))) -ge 200000 ]
tap_ok $? "and each event is in one or the other"

# ---- what is refused ----

refused() # WHAT WORDS OPTION...
{
	what=$1
	words=$2
	shift 2
	"$BIN/optrace" record "$@" 2>"$T/err"
	tap_is $? 125 "$what: refused"
	tap_has "$T/err" "$words" "$what: and why is told"
}
refused "an event that there is not" 'no event nothing:here' -o new -e nothing:here -- true
refused "a filter on a field that there is not" 'refuses the filter' -o new \
	-e 'sched:sched_switch/nothing == 1/' -- true
refused "a folder that holds something" 'not empty' -o kept -- true
refused "buffers of no size" 'power of two' -o new -m discard:3x1000 -- true
refused "a system call as a tracepoint" 'syscall:NAME' -o new -e syscalls:sys_enter_openat -- true
refused "no time" '-d 0' -o new -d 0
refused "a time in hexadecimal" '-d 0x10: give a whole number' -o new -d 0x10
refused "half a size" 'discard:64' -o new -m discard:64 -- true
refused "a mode that there is not" 'discard:NxSIZE or overwrite:NxSIZE' -o new -m sideways:4x1M -- true
[ ! -e new ]
tap_ok $? "and nothing is made"
"$BIN/optrace" record -o new -- ./nothing 2>"$T/err"
tap_is $? 127 "a command that there is not"
[ ! -e new ]
tap_ok $? "is told before anything is made"

# ---- ends ----

"$BIN/optrace" record -o timed -d 1 -e sched:sched_switch 2>"$T/err"
tap_is $? 0 "so many seconds"
show timed
[ "$(nr_of sched_switch)" -gt 0 ]
tap_ok $? "events are there"
tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "as many as were told"

: >"$T/err" # the one before told of Ctrl-C, too
"$BIN/optrace" record -o interrupted -e sched:sched_switch 2>"$T/err" &
tracing=$!
cleanup_pid $tracing
until_true grep -q 'Ctrl-C ends it' "$T/err"
kill -INT $tracing
wait $tracing
tap_is $? 0 "Ctrl-C ends it well"
show interrupted
tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "and whole"

: >"$T/err"
"$BIN/optrace" record -o killed -m discard:2x4K -e sched:sched_switch 2>"$T/err" &
tracing=$!
cleanup_pid $tracing
until_true grep -q 'Ctrl-C ends it' "$T/err"
has_switches()
{
	babeltrace2 killed 2>/dev/null | grep -q ' sched_switch: '
}
until_true has_switches
kill -9 "$(pgrep -P $tracing oprof-tracer)"
wait $tracing
tap_is $? 125 "a recorder that is killed is told"
# The last packet of a CPU may be cut: what is before it is there.
[ "$(kept records killed)" -gt 100 ]
tap_ok $? "and what was written is readable"

has_report()
{
	grep -q "sh continues without being traced: .*killed by signal 9" "$T/err"
}
"$BIN/optrace" record -o beside -e sched:sched_switch -- \
	sh -c ": >'$T/runs'; until [ -e '$T/stop' ]; do sleep 0.1; done" 2>"$T/err" &
tracing=$!
cleanup_pid $tracing
until_true [ -e "$T/runs" ]
kill -9 "$(pgrep -P $tracing oprof-tracer)"
until_true has_report
tap_ok $? "a recorder that is killed beside a command is told at once"
: >"$T/stop"
wait $tracing
tap_is $? 125 "and the trace has failed when the command ends"

"$BIN/optrace" record -o own -p $$ -d 1 -e sched:sched_switch 2>"$T/err"
tap_is $? 0 "only a process"
tap_has "$T/err" "tracing the selected processes" "which it says"

# ---- a full disk ----

mkdir small
trap 'umount "$T/small" 2>/dev/null; cleanup' EXIT
if mount -t tmpfs -o size=4m tmpfs small 2>/dev/null; then
	"$BIN/optrace" record -o small/trace -- "$T/$rare" 200000 2>"$T/err"
	tap_is $? 125 "a full disk is told"
	tap_has "$T/err" 'No space left' "with its reason"
	tap_has "$T/err" 'packets that could not be written to disk' "and what it cost"
	show small/trace
	[ "$(kept records small/trace)" -gt 1000 ]
	tap_ok $? "and what had room is readable"
	tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "as many events as were told"
	calls=$(grep -c ' syscall_[a-z]*_sched_rr_get_interval: ' "$T/text")
	[ "$calls" -lt 400000 ] && [ $((calls + $(told lost))) -ge 400000 ]
	tap_ok $? "the others are told as lost"
	umount small
else
	tap_note "no file system can be mounted here"
fi
tap_end
