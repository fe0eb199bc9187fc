#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Traces in the background: flight recorders and their snapshots, several at
# once, what ends them; samples among the events.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: traces the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
"$BIN/optrace" list-events >"$T/events" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
command -v babeltrace2 >/dev/null || tap_skip_all "babeltrace2 is not installed"

# A rare call, other than those of test_optrace and test_optrace_rotate, which may run at the same time.
cat >"$T/caller.c" <<'END_OF_C'
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 0; i; i--)
		syscall(SYS_sched_get_priority_max, 0);
	return 0;
}
END_OF_C
$CC -O1 -o "$T/rare_caller" "$T/caller.c" || tap_bail "the workload does not build"
cd "$T" || exit 1

# trace VERB WORD...: its output in $T/out, what it says in $T/err
trace()
{
	trace_verb=$1
	shift
	"$BIN/optrace" "$trace_verb" --session-dir="$T/sessions" "$@" >"$T/out" 2>"$T/err"
}

# A session that a test leaves behind ends with it.
end_all()
{
	for lock in "$T"/sessions/trace/*/lock; do
		[ -s "$lock" ] && kill -9 "$(cat "$lock")" 2>/dev/null
	done
	umount "$T/small" "$T/groups" 2>/dev/null
	cleanup
}
trap end_all EXIT

told()
{
	sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$T/err" | head -n 1
}

show()
{
	babeltrace2 "$1" >"$T/text" 2>"$T/reader" || tap_show "$T/reader"
}

nr_of()
{
	grep -c " $1: " "$T/text"
}

kept()
{
	"$BIN/optrace" stats --json "$2" 2>/dev/null | sed -n "s/^ *\"$1\": *\([0-9]*\),*$/\1/p" | head -n 1
}

# ---- a flight recorder ----

trace status
tap_has "$T/out" 'no trace runs' "none runs"
trace stop
tap_is $? 125 "and none can be stopped"
tap_has "$T/err" 'no trace default runs; .*optrace start' "which is told, with what to do"
trace snapshot
tap_is $? 125 "nor be taken a snapshot of"

: >lock
trace start -m overwrite:4x1M -e default,sample:4999 9>lock
tap_is $? 0 "start"
flock -n lock true
tap_ok $? "what its starter holds, it does not hold"
trace status
tap_has "$T/out" '^default +overwrite:4x1M ' "status: it runs"
trace start
tap_is $? 125 "not twice under one name"
tap_has "$T/err" 'process [0-9]+ already runs this trace: .*optrace stop.*-s NAME' "with what to do"

# Of a busy machine's calls the buffers hold no long time: once more, where these are gone.
taken=0
snapshot_of() # CALLS FOLDER [NAME]
{
	rm -rf "$2"
	"$T/rare_caller" "$1"
	trace snapshot ${3:+"$3"} -o "$2" || return
	taken=$((taken + 1))
	show "$2"
	[ "$(nr_of syscall_entry_sched_get_priority_max)" -ge $(($1 - $(told 'more were lost'))) ]
}
until_true snapshot_of 3000 first
tap_ok $? "snapshot"
tap_is "$(wc -l <"$T/text")" "$(told 'events of')" "babeltrace2 reads as many events as were told"
tap_is "$(kept records first)" "$(told 'events of')" "and so do we"
tap_is "$(kept lost_events first)" "$(told 'more were lost')" "and as many losses"
[ "$(nr_of syscall_entry_sched_get_priority_max)" -ge $((3000 - $(told 'more were lost'))) ]
tap_ok $? "what happened just before is in it"
grep ' lttng_statedump_process_state: ' "$T/text" | grep -q "tid = $$, pid = $$,"
tap_ok $? "and what runs"
grep ' oprof_statedump_mapping: ' "$T/text" | grep -q "pid = $$,.*path = \"/"
tap_ok $? "with what code it has mapped"
head -n 1 "$T/text" | grep -q ' lttng_statedump_start: '
tap_ok $? "in front of all else"

until_true snapshot_of 2000 second default
tap_ok $? "it goes on: another one"
[ "$(nr_of syscall_entry_sched_get_priority_max)" -ge $((2000 - $(told 'more were lost'))) ]
tap_ok $? "with what happened meanwhile"
trace snapshot -o second
tap_is $? 125 "not where there is one already"
tap_has "$T/err" 'second is not empty; .*-o' "which is told"
trace snapshot
tap_is $? 0 "one without a place for it"
for folder in oprofile_trace-[0-9]*; do
	[ -f "$folder/metadata" ]
done
tap_ok $? "has one with its time"
trace status
tap_has "$T/out" "^default .* $((taken + 1))\$" "status: so many of them"
tap_has "$T/out" "last snapshot $T/oprofile_trace-" "and where the last is"

# ---- samples ----

sampled()
{
	"$BIN/optrace" record -o sampled.$$ -m discard:64x1M -e default,sample:4999 -- "$T/rare_caller" 60000 2>"$T/err" &&
		rm -rf sampled && mv sampled.$$ sampled && show sampled &&
		tid=$(sed -n 's/.* sched_process_exec: .*rare_caller".* tid = \([0-9]*\),.*/\1/p' "$T/text") && [ -n "$tid" ] &&
		grep -q " oprof_sample: .*{ tid = $tid, pid = $tid, .*callchain_kernel_length = [1-9]" "$T/text"
}
until_true sampled
tap_ok $? "samples of a command that calls the kernel, with call chains there"
grep " oprof_mapping: .*pid = $tid, .*path = \"$T/rare_caller\"" "$T/text" >"$T/mapping"
tap_ok $? "and what it has mapped"
grep -q ' oprof_sample: .*callchain_[a-z]* = \[ .*0xFFFFFFFFFFFFF[EF]' "$T/text"
tap_is $? 1 "without the kernel's marks between its parts"
sed 's/^\[\([^]]*\)\].*/\1/' "$T/text" | LC_ALL=C sort -c 2>"$T/sorted"
tap_ok $? "in one order of time with the events"

# ---- several ----

trace start -s disk -m discard:16x64K -o disk_trace -e sched:sched_switch,syscall:sched_get_priority_max --flush 50
tap_is $? 0 "another one, to disk"
"$T/rare_caller" 100
grown()
{
	show disk_trace
	[ "$(nr_of syscall_exit_sched_get_priority_max)" -ge 100 ]
}
until_true grown
tap_ok $? "--flush: what came is there soon, though no buffer is full"
trace status
tap_is "$(grep -c '^default \|^disk ' "$T/out")" 2 "status shows both"
trace status disk
tap_is "$(grep -c '^default ' "$T/out")" 0 "or one"
trace snapshot disk -o third
tap_is $? 125 "one that goes to disk has no snapshots"
tap_has "$T/err" '-m overwrite' "which is told"
trace start -s again -o disk_trace
tap_is $? 125 "no other one to the same folder"
trace stop disk
tap_is $? 0 "stop"
show disk_trace
tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "as many events as were told"
trace stop
tap_is $? 0 "stop the first one"
tap_has "$T/err" 'default has ended, .* [0-9]+ snapshots' "which tells what became of it"
trace status
tap_has "$T/out" 'no trace runs' "then none runs"

# ---- who has ended ----

cp "$E2E/../guest/load_thirds.c" "$T/thirds.c"
$CC -O1 -o "$T/thirds" "$T/thirds.c" || tap_bail "the workload does not build"
cp "$T/thirds" "$T/was_before"

# Its functions are named, and have their shares.
has_thirds() # PROGRAM FOLDER
{
	"$BIN/optrace" profile "$2" -- -l -t 0 2>"$T/err" | grep " $1 " >"$T/shown"
	awk '$NF == "one_third" { one = $1 } $NF == "two_thirds" { two = $1 } END { exit !(one && two) }' "$T/shown"
}
has_process() # PID NAME FOLDER
{
	"$BIN/optrace" stats --process -n 0 "$3" >"$T/stats" 2>"$T/err" && grep -Eq "^ *$1 $2 " "$T/stats"
}
seen_ending()
{
	"$T/was_before" 500 &
	pid=$!
	cleanup_pid "$pid"
	until_true grep -qs was_before "/proc/$pid/comm"
	kill -STOP "$pid"
	trace start -s ended -m overwrite:4x1M -e sched:sched_switch,sample:4999
	started=$?
	kill -CONT "$pid"
	[ "$started" = 0 ] || return
	wait "$pid"
	rm -rf ended
	trace snapshot ended -o ended
	trace stop ended
	has_thirds was_before ended
}
until_true seen_ending
tap_ok $? "a program from before the start that has ended: its functions have names"
has_process "$pid" was_before ended
tap_ok $? "and so has it" || tap_show "$T/stats"
# But who had exited before the start, and was no process any more: only its last switch is seen.
"$BIN/optrace" stats -j ended | python3 -c 'import json, sys
for thread in json.load(sys.stdin)["threads"]:
	if thread["pid"] == -1 and not thread["ended"]:
		print(thread["tid"], thread["name"])' >"$T/strangers"
tap_ok $? "all threads are read"
tap_is "$(cat "$T/strangers")" "" "there is no living thread whose process is not known"
show ended
tap_is "$(kept records ended)" "$(wc -l <"$T/text")" "babeltrace2 reads the same"

# The records of the program's start are overwritten: the program stays on one CPU and fills the buffers
# of this CPU.
seen_wrapped()
{
	trace start -s ended -m overwrite:4x64K -e default,sample:4999 || return
	taskset 1 "$T/thirds" 3000 &
	pid=$!
	wait "$pid"
	rm -rf wrapped
	trace snapshot ended -o wrapped
	trace stop ended
	show wrapped
	! grep ' sched_process_exec: ' "$T/text" | grep -q "tid = $pid," && has_thirds thirds wrapped
}
until_true seen_wrapped
tap_ok $? "a program that began before what the buffers hold, and has ended: its functions have names"
has_process "$pid" thirds wrapped
tap_ok $? "and so has it" || tap_show "$T/stats"

# ---- conditions ----

cp "$E2E/../guest/load_hog.c" "$T/hog.c"
$CC -D_GNU_SOURCE -O1 -o "$T/hog" "$T/hog.c" -lpthread || tap_bail "the workload does not build"
cat >"$T/noted" <<END_OF_SCRIPT
#!/bin/sh
echo "\$1" >>"$T/then"
END_OF_SCRIPT
chmod +x "$T/noted"

# Longer than others wait on a machine that is busy; if some do, theirs are snapshots, too.
trace start -m overwrite:4x1M -e default,sample -o late --snapshot-limit 100 --snapshot-if 'wakeup>250ms' --then "$T/noted"
tap_is $? 0 "start with a condition"
hogs=
run_hog()
{
	"$T/hog" 300 &
	hogs="$hogs $!"
	wait $!
}
run_hog
hog=$?
held() # the victim's being woken, what ran instead, and its running then
{
	for folder in late-*; do
		grep -qF "snapshot $T/$folder: " sessions/trace/default/log || continue
		babeltrace2 "$folder" 2>/dev/null >"$T/text" &&
			awk -v hogs="$hogs" '
				BEGIN { nr_hogs = split(hogs, hog) }
				/ sched_wakeup: .*comm = "victim"/ { woken = 1 }
				/ oprof_sample: / && woken {
					for (i = 1; i <= nr_hogs; i++)
						sampled += index($0, " tid = " hog[i] ",") > 0
				}
				/ sched_switch: .*next_comm = "victim"/ && woken { found = sampled }
				END { exit !found }' "$T/text" && return
		rm -rf "$folder" # of another wait
	done
	[ "$hog" = 0 ] && run_hog
	return 1
}
if [ "$hog" = 77 ]; then
	tap_note "no real-time priority here: nobody can be made wait"
else
	until_true held
	tap_ok $? "a thread waited 300 ms: the snapshot holds its being woken, what ran meanwhile, and its running then"
	done_then()
	{
		[ "$(sort "$T/then" | uniq | wc -l)" -gt 0 ] && grep -qxF "$T/$folder" "$T/then"
	}
	until_true done_then
	tap_ok $? "and the program was run with it"
	trace status
	tap_has "$T/out" 'snapshot if wakeup>250ms' "status tells the condition"
	tap_has sessions/trace/default/log 'snapshot .*/late-.* by wakeup>250ms' "and the log who asked"
fi
trace stop

trace start -m overwrite:4x1M -e sched:sched_switch -o call --snapshot-if "syscall:sched_get_priority_max>1ns" --snapshot-limit 2
call_snapshots()
{
	"$T/rare_caller" 1
	nr_calls=0
	for folder in call-*; do
		[ -f "$folder/metadata" ] && nr_calls=$((nr_calls + 1))
	done
	[ "$nr_calls" -ge 2 ]
}
until_true call_snapshots
tap_ok $? "a condition on a call, whose events are recorded for it"
"$T/rare_caller" 10
trace snapshot -o after
tap_is "$(find . -maxdepth 1 -name 'call-*' | wc -l)" 2 "and no more snapshots than were asked for"
trace stop
cat >"$T/shows_files" <<END_OF_SCRIPT
#!/bin/sh
exec ls -l /proc/self/fd >"$T/files"
END_OF_SCRIPT
chmod +x "$T/shows_files"
trace start -s asked -e sched:sched_switch -o asked --snapshot-if signal --then "$T/shows_files"
tap_is $? 0 "with a condition -o is what names of snapshots begin with"
# A terminal that is closed sends SIGHUP; the session has none.
kill -HUP "$(cat sessions/trace/asked/lock)"
kill -USR1 "$(cat sessions/trace/asked/lock)"
asked()
{
	for folder in asked-*; do
		[ -f "$folder/metadata" ] && return
	done
	return 1
}
until_true asked
tap_ok $? "a signal asks for a snapshot, and SIGHUP does not end the session"
until_true grep -qs ' 3 -> /proc/' "$T/files"
tap_is "$(grep -c ' -> ' "$T/files")" 4 "the program that is run with it has nothing of the tracer's open"
trace stop asked

# ---- small ones, losses ----

trace start -m overwrite:4x16K -e syscalls
tracer=$(cat sessions/trace/default/lock)
# While the tracer stands still the kernel's buffers are full.
until_lossy()
{
	rm -rf lossy
	kill -STOP "$tracer"
	"$T/rare_caller" 400000
	kill -CONT "$tracer"
	trace snapshot -o lossy && [ "$(told 'more were lost')" -gt 0 ]
}
until_true until_lossy
tap_ok $? "events are lost while the tracer stands still"
tap_is "$(kept lost_events lossy)" "$(told 'more were lost')" "losses are in the snapshot, to the event"
trace status
tap_has "$T/out" "lost: the kernel's buffers were full" "and in the status, by their reason"
trace stop

# ---- what is refused ----

refused() # WHAT WORDS OPTION...
{
	what=$1
	words=$2
	shift 2
	trace start "$@"
	tap_is $? 125 "$what: refused"
	tap_has "$T/err" "$words" "$what: and why is told"
}
refused "a name with a slash" 'is not a name of a trace' -s a/b
refused "a name like an option" 'is not a name of a trace' -s -x
refused "a program that there is not" '--then no-such-program: there is no such program in PATH' --snapshot-if signal --then no-such-program
refused "a program that is no program" '--then .*/hog.c: Permission denied' --snapshot-if signal --then "$T/hog.c"
refused "a program without a condition" '--then requires .*--snapshot-if' --then true
refused "a limit without a condition" '--snapshot-limit requires .*--snapshot-if' --snapshot-limit 3
refused "a place in a folder that there is not" 'nowhere is not writable: No such file' -m overwrite:4x64K -o nowhere/late
refused "buffers beyond the machine's memory" 'of the available [0-9]* MiB' -m overwrite:4096x1G
refused "an event that there is not" 'no event nothing:here' -e nothing:here
refused "a user, without the module" '--uid: .*load the kernel module.*choose processes' --source=perf --uid=root
refused "a user that there is not" '--uid nobody-here: there is no such user' --uid=root,nobody-here
refused "processes and a control group, without the module" 'cannot be combined with --cgroup' --source=perf -p $$ --cgroup=/
refused "a process that there is not" 'no such process' -p 2147483646
refused "a control group that there is not" 'no such control group' --cgroup=/nothing/here
refused "no condition" 'not a condition; .*wakeup>10ms' --snapshot-if 'sleep>10ms'
refused "a condition on a field that there is not" 'has no field nothing: .*list-events -f' --snapshot-if 'sched_switch/nothing == 1/'
refused "a condition of a trace to disk" 'requires a flight recorder' -m discard:4x64K --snapshot-if 'wakeup>10ms'
[ -e /dev/oprofile/trace ] ||
	refused "the module's conditions without it" 'no kernel module that can trace is loaded' --source=module --snapshot-if 'wakeup>10ms'
refused "flushing into memory" '--flush requires a trace on disk' --flush 10
refused "a word too many" 'unexpected argument "two"' one two
trace status
tap_has "$T/out" 'no trace runs' "and nothing is left running"

# ---- whose ----

"$T/rare_caller" 1000000000 &
caller=$!
cleanup_pid $caller
# Processes' events and nobody else's; of those that they start, too.
"$BIN/optrace" record -o one_process -d 1 -p $$,$caller -m discard:64x1M -e syscalls,sample 2>"$T/err"
tap_is $? 0 "-p"
kill -9 $caller
show one_process
[ "$(nr_of syscall_entry_sched_get_priority_max)" -gt 0 ]
tap_ok $? "what the process does"
tap_is "$(grep ' oprof_sample: ' "$T/text" | grep -vc "pid = $caller,\|pid = $$,")" 0 "and nothing else"
mkdir groups
if mount -t cgroup2 none groups 2>/dev/null && mkdir groups/oprof-test.$$; then
	sh -c "echo \$\$ >'$T/groups/oprof-test.$$/cgroup.procs'; exec '$T/rare_caller' 1000000000" &
	caller=$!
	cleanup_pid $caller
	entered()
	{
		[ "$(cat groups/oprof-test.$$/cgroup.procs)" = "$caller" ]
	}
	until_true entered
	"$BIN/optrace" record -o one_group -d 1 --cgroup="$T/groups/oprof-test.$$" -e sample 2>"$T/err"
	tap_is $? 0 "--cgroup"
	kill -9 $caller
	show one_group
	tap_is "$(grep ' oprof_sample: ' "$T/text" | grep -c "pid = $caller,")" "$(nr_of oprof_sample)" "what is done there, and nothing else"
	[ "$(nr_of oprof_sample)" -gt 0 ]
	tap_ok $? "and that is some"
	until_gone()
	{
		rmdir groups/oprof-test.$$ 2>/dev/null || [ ! -d groups/oprof-test.$$ ]
	}
	until_true until_gone
	umount groups
else
	tap_note "no control groups can be mounted here"
fi

# ---- ends ----

trace start -s killed -e sched:sched_switch
kill -9 "$(cat sessions/trace/killed/lock)"
dead()
{
	trace status
	grep -q 'killed: its tracer, process [0-9]*, died' "$T/err"
}
until_true dead
tap_ok $? "a tracer that was killed is told"
trace stop killed
tap_has "$T/err" 'died, and its events in memory are lost; optrace start' "also when it is to be stopped"
trace start -s killed -e sched:sched_switch
tap_is $? 0 "and is in nobody's way"

pid=$(cat sessions/trace/killed/lock)
kill -TERM "$pid"
gone()
{
	! kill -0 "$pid" 2>/dev/null
}
until_true gone
tap_has sessions/trace/killed/log 'ended by signal 15' "one that a signal ends says so in its log"
tap_has sessions/trace/killed/log '[0-9]+ events went through memory, [0-9]+ lost' "with what it had"

mkdir small
if mount -t tmpfs -o size=2m tmpfs small 2>/dev/null; then
	trace start -o small/trace -e syscalls
	"$T/rare_caller" 200000
	trace status
	trace stop
	tap_is $? 125 "a full disk is told at the end"
	tap_has "$T/err" 'packets that could not be written to disk' "with what it cost"
	tap_has sessions/trace/default/log 'No space left' "and in the log, when it was"
	[ "$(kept records small/trace)" = "$(told 'events in')" ]
	tap_ok $? "what had room is readable"
	dd if=/dev/zero of=small/fill 2>"$T/filled"
	trace start -m overwrite:2x64K -o small/late --snapshot-if signal
	trace snapshot -o small/snapshot
	tap_is $? 125 "no room for a snapshot: refused"
	tap_has "$T/err" 'No space left' "with the reason"
	trace snapshot -o roomy
	tap_is $? 0 "and the recorder goes on"
	kill -USR1 "$(cat sessions/trace/default/lock)"
	failed_twice()
	{
		trace status
		grep -q '^ *2 snapshots could not be taken' "$T/out"
	}
	until_true failed_twice
	tap_ok $? "status tells snapshots that failed"
	tap_has "$T/out" 'last failure: .*No space left' "and why the last did"
	rm -rf small/fill small/trace small/late-*
	has_late()
	{
		for folder in small/late-*; do
			[ -f "$folder/metadata" ] && babeltrace2 "$folder" >"$T/text" 2>/dev/null && return
		done
		kill -USR1 "$(cat sessions/trace/default/lock)"
		return 1
	}
	until_true has_late
	tap_ok $? "one by a condition that failed does not count: it is taken when there is room again"
	trace stop
	tap_has "$T/err" '[23] snapshots could not be taken; the last failure: .*No space left' "stop tells them, too"
	umount small
	# The metadata has room, a packet or two of each buffer, and what is mapped, in small packets.
	mount -t tmpfs -o size=3m tmpfs small
	"$BIN/optrace" record -o small/last -m overwrite:4x1M -e syscalls -- "$T/rare_caller" 300000 2>"$T/err"
	tap_is $? 125 "record -m overwrite: a full disk is told"
	tap_has "$T/err" 'No space left.*the folder contains [1-9][0-9]* of the [0-9]* events' "with what there is all the same"
	tap_is "$(kept records small/last)" "$(told 'events in')" "as many as were told"
	[ "$(told 'events were lost in packets')" -gt 0 ]
	tap_ok $? "and the rest as not written"
	[ -s small/last/mappings ]
	tap_ok $? "and what has room behind that is written"
	rm -rf small/last
	trace start -m overwrite:4x1M -e syscalls -o small/late --snapshot-if signal
	"$T/rare_caller" 300000
	kill -USR1 "$(cat sessions/trace/default/lock)"
	until_true grep -q 'late-.* is incomplete, and counts towards --snapshot-limit (1)' sessions/trace/default/log
	tap_ok $? "a snapshot by a condition that leaves a part counts"
	rm -rf small/late-*
	trace snapshot -o small/part
	tap_is $? 125 "a snapshot that has no room is told"
	tap_has "$T/err" 'No space left.*the folder contains [1-9][0-9]* of the [0-9]* events' "with what there is all the same"
	rm -rf small/part
	# The metadata, and no packet.
	dd if=/dev/zero of=small/fill bs=64k count=47 2>"$T/filled"
	trace snapshot -o small/part
	tap_is $? 125 "a snapshot that has no room for a packet is told"
	tap_has "$T/err" 'No space left' "with the reason"
	[ ! -e small/part ]
	tap_ok $? "and leaves nothing"
	trace stop
	umount small
else
	tap_note "no file system can be mounted here"
fi

"$BIN/optrace" record -o last -m overwrite:4x64K -- "$T/rare_caller" 500 2>"$T/err"
tap_is $? 0 "record -m overwrite: the last of it"
show last
tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "as many as were told"
[ "$(nr_of syscall_entry_sched_get_priority_max)" -gt 0 ]
tap_ok $? "with what was done last"
# recorder_refused WHAT WORDS FOLDER: a trace that could not be written at the end does not begin
recorder_refused()
{
	"$BIN/optrace" record -o "$3" -m overwrite:4x64K -- touch "$T/ran" 2>"$T/err"
	tap_is $? 125 "record -m overwrite, $1: refused"
	tap_has "$T/err" "$2" "$1: and why is told"
	[ ! -e "$T/ran" ]
	tap_ok $? "$1: before the command runs"
	rm -f "$T/ran"
}
recorder_refused "a folder that is not empty" 'last is not empty; .*-o DIR' last
recorder_refused "a file in its place" 'hog.c: Not a directory' hog.c
tap_end
