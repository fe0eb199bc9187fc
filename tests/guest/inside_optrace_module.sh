#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest, run by part_optrace_module.sh: traces of optrace whose events the
# module records: to a folder, in chunks, with losses forced, and as a flight
# recorder. The folders go to standard output at the end.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
CALL=sched_get_priority_min
cd "$work" || exit 1

run() # COMMAND...
{
	"$@" >"$work/out" 2>"$work/err"
	status=$?
}

# told WORD: the number before it in optrace's sum
told()
{
	sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$work/err" | head -n 1
}

# kept NAME FOLDER: a number of the folder's own
kept()
{
	optrace stats --json "$2" 2>/dev/null | sed -n "s/^ *\"$1\": *\([0-9]*\),*$/\1/p" | head -n 1
}

calls_in() # FOLDER
{
	optrace events -e "syscall_*_$CALL" "$1" 2>>"$work/reader" | wc -l
}

# All that was told of is in the folder, and what was lost is told there.
agrees() # FOLDER TEXT
{
	is "$(kept records "$1")" "$(told 'events in')" "$2: as many events as were told"
	is "$(kept lost_events "$1")" "$(told lost)" "$2: as many losses"
}

mount -t tracefs none /sys/kernel/tracing 2>/dev/null # or it is mounted already
[ -d /sys/kernel/tracing/events ] || bail "no tracefs"
run optrace record -o none --source=module -e syscalls -- load_calls 1
is "$status" 125 "without the module --source=module is refused"
grep -q 'no module that traces is loaded' "$work/err"
ok $? "and why is told"
module_load || bail "the module does not load"
note "clock $(cat $control/clock)"

# ---- to a folder ----

run optrace record -o whole --source=module -m discard:16x256K -- load_calls 20000
is "$status" 0 "record"
[ "$status" = 0 ] || show "$work/err"
note "$(told 'events in') events, $(told lost) lost"
agrees whole "record"
calls=$(calls_in whole)
[ "$calls" -le 40000 ] && [ $((calls + $(told lost))) -ge 40000 ]
ok $? "each call is there, or lost and counted ($calls)"
grep -q 'oprof_source = "module"' whole/metadata
ok $? "the module recorded it"
for event in sched_switch sched_process_exec lttng_statedump_process_state oprof_statedump_mapping; do
	optrace events -e $event whole 2>>"$work/reader" | grep -q .
	ok $? "with $event"
done
optrace events -e syscall_entry_openat whole 2>>"$work/reader" | grep -q 'filename = "\?[^",]*/'
ok $? "names of files that are opened are texts"
show "$work/reader"
run optrace record -o auto -e sched:sched_switch -- load_calls 10
grep -q 'oprof_source = "module"' auto/metadata
ok $? "where it is loaded it is chosen"
run optrace record -o perf --source=perf -e sched:sched_switch -- load_calls 10
grep -q 'oprof_source = "perf"' perf/metadata
ok $? "but where perf is asked for"

# ---- whose events ----

only_mine() # FOLDER TEXT: all calls of the one, none of the others
{
	is "$(calls_in "$1")" $((2000 - $(told lost))) "$2: what they do, each"
	grep -q 'oprof_source = "module"' "$1/metadata"
	ok $? "$2: by the module"
}

# A shell that waits, then runs the load as a child of a child; another load goes on beside it.
begin_shell()
{
	mkfifo go
	sh -c 'read line <go; sh -c "load_calls 1000; true"; read line <go' &
	shell=$!
	exec 8<>go
	load_calls 100000000 &
	other=$!
}
end_shell()
{
	echo >&8
	wait $shell
	kill -9 $other
	wait $other 2>/dev/null
	exec 8>&-
	rm -f go
}
let_shell_go()
{
	echo >&8
	sleep 1
	while grep -q load_calls /proc/[0-9]*/comm 2>/dev/null && [ "$(cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^load_calls')" -gt 1 ]; do
		sleep 0.2
	done
}
trace_shell() # FOLDER OPTION...
{
	shell_folder=$1
	shift
	run optrace start --session-dir="$work/sessions" --source=module -m discard:16x256K -e syscalls -o "$shell_folder" "$@"
	is "$status" 0 "start $*"
	[ "$status" = 0 ] || show "$work/err"
	let_shell_go
	run optrace stop --session-dir="$work/sessions"
}

begin_shell
trace_shell by_pid -p $shell
end_shell
only_mine by_pid "-p"
if mkdir -p groups && mount -t cgroup2 none groups 2>/dev/null; then
	mkdir -p groups/outer/inner
	begin_shell
	echo $shell >groups/outer/inner/cgroup.procs
	trace_shell by_cgroup --cgroup="$work/groups/outer"
	end_shell
	only_mine by_cgroup "--cgroup"
	umount groups
else
	note "no cgroups"
fi
begin_shell
trace_shell by_user --uid=4711,4712
end_shell
is "$(calls_in by_user)" 0 "--uid: nobody else's"
begin_shell
trace_shell by_all --uid=0 -p $shell
end_shell
only_mine by_all "--uid and -p"

# ---- filters, other tracepoints, samples ----

run optrace record -o filtered --source=module -e "syscall:$CALL,sched:sched_switch/next_pid == 0/" -- load_calls 500
is "$status" 0 "a system call, and a comparison"
[ "$status" = 0 ] || show "$work/err"
is "$(calls_in filtered)" $((1000 - $(told lost))) "the call each time"
is "$(optrace events -e 'syscall_*' filtered 2>>"$work/reader" | wc -l)" "$(calls_in filtered)" "and no other"
is "$(optrace events -e sched_switch -w 'next_tid!=0' filtered 2>>"$work/reader" | wc -l)" 0 "nothing that it does not fit"
run optrace record -o refused --source=module -e 'sched:sched_process_exec/filename ~ "x*"/' -- load_calls 1
is "$status" 125 "a comparison of text is refused"
grep -q 'source=perf' "$work/err"
ok $? "and what helps is told"
run optrace record -o named --source=module -e 'task:task_rename,raw_syscalls:*,sample:500' -- load_calls 3000
[ "$status" = 0 ] || run optrace record -o named --source=module -e 'task:task_rename,sample:500' -- load_calls 300000
is "$status" 0 "a tracepoint by its description, and samples"
[ "$status" = 0 ] || show "$work/err"
agrees named "by description"
optrace events -e task_rename named 2>>"$work/reader" | grep -q load_calls
ok $? "the tracepoint is there"
optrace events -e oprof_sample named 2>>"$work/reader" | grep -q .
ok $? "samples are there"

# ---- chunks ----

run optrace record -o chunks --source=module --rotate 256K -m discard:64x16K -e syscalls -- load_calls 60000
is "$status" 0 "in chunks"
note "$(find chunks -name metadata | wc -l) chunks"
[ "$(find chunks -name metadata | wc -l)" -ge 2 ]
ok $? "there are several"
agrees chunks "in chunks"
is "$(kept lost_packets chunks)" 0 "without a gap"

# ---- losses ----

always_lost()
{
	rm -rf lossy
	run optrace record -o lossy --source=module -m discard:2x4K -e syscalls -- load_calls 50000
	[ "$status" = 0 ] && [ "$(told lost)" -gt 0 ]
}
until_true always_lost
ok $? "small buffers lose"
agrees lossy "with losses"
calls=$(calls_in lossy)
[ "$calls" -lt 100000 ] && [ $((calls + $(told lost))) -ge 100000 ]
ok $? "each call is there, or lost and counted ($calls, $(told lost))"

# ---- a flight recorder ----

run optrace record -o flight --source=module -m overwrite:4x64K -e syscalls,sched:sched_switch -- load_calls 2000000
is "$status" 0 "a flight recorder"
[ "$status" = 0 ] || show "$work/err"
note "$(sed -n 's/^optrace: //p' "$work/err" | tr '\n' ';')"
optrace stats flight >"$work/out" 2>"$work/err2"
is "$?" 0 "its last laps are a trace"
seen=$(calls_in flight)
[ "$seen" -gt 1000 ] && [ "$seen" -lt 4000000 ]
ok $? "with the last calls ($seen of 4000000)"

# ---- profiles of what began after the trace did ----

# Its functions have their shares (percent, of its own samples).
has_thirds() # TEXT OPTION... FOLDER
{
	thirds_text=$1
	shift
	optrace profile "$@" -- -l -t 0 load_thirds >"$work/out" 2>"$work/err"
	is $? 0 "$thirds_text: profile"
	awk '$NF == "one_third" { one = $1 } $NF == "two_thirds" { two = $1 }
		END { print "# one_third " one + 0 ", two_thirds " two + 0 " samples"; exit !(one > 50 && two / one > 1.7 && two / one < 2.3) }' \
		"$work/out"
	thirds_status=$?
	ok $thirds_status "$thirds_text: its functions have names, and their shares"
	[ $thirds_status = 0 ] || {
		show "$work/err"
		show "$work/out"
	}
}

run optrace record -o profiled --source=module -e default,sample:1999 -- load_thirds 2000
is "$status" 0 "samples of a program that begins after the trace"
[ "$status" = 0 ] || show "$work/err"
agrees profiled "with mappings"
optrace events -e oprof_mapping profiled 2>>"$work/reader" | grep -q '/load_thirds"'
ok $? "what it maps is in the trace"
has_thirds "to disk" profiled
run optrace start --session-dir="$work/sessions" --source=module -m overwrite:4x1M -e default,sample:1999
is "$status" 0 "a flight recorder with samples"
load_thirds 1000
run optrace snapshot --session-dir="$work/sessions" -o snapshot
is "$status" 0 "whose snapshot is taken when the program has ended"
is "$(kept records snapshot)" "$(told 'events of')" "with mappings: as many events as were told"
is "$(kept lost_events snapshot)" "$(told 'lost in it')" "with mappings: as many losses"
load_thirds 1000
run optrace stop --session-dir="$work/sessions"
has_thirds "a snapshot" snapshot
# Those of both halves of its time are all.
in_stretch() # OPTION...
{
	optrace profile "$@" snapshot -- -l -t 0 load_thirds 2>"$work/err" |
		awk '$NF == "one_third" || $NF == "two_thirds" { nr += $1 } END { print nr + 0 }'
}
all_samples=$(in_stretch)
half=$(kept window_ns snapshot | awk '{ printf "%.9f", $1 / 2e9 }')
first=$(in_stretch --to="$half")
second=$(in_stretch --from="$half")
note "$first samples up to $half s, $second from then on, of $all_samples"
[ "$all_samples" -gt 100 ] && [ "$first" != "$all_samples" ] && [ $((first + second)) = "$all_samples" ]
ok $? "a profile of a stretch of time"
show "$work/reader"

# ---- who has ended ----

has_process() # PID FOLDER TEXT
{
	optrace stats --process -n 0 "$2" 2>"$work/err" | grep -Eq "^ *$1 load_thirds "
	ok $? "$3: so has it"
}
load_thirds 8000 &
before=$!
run optrace start --session-dir="$work/sessions" --source=module -m overwrite:4x1M -e sched:sched_switch,sample:1999
is "$status" 0 "a flight recorder beside a program from before it"
wait "$before"
run optrace snapshot --session-dir="$work/sessions" -o ended
is "$(kept records ended)" "$(told 'events of')" "with tasks: as many events as were told"
is "$(kept lost_events ended)" "$(told 'lost in it')" "with tasks: as many losses"
run optrace stop --session-dir="$work/sessions"
has_thirds "from before, and ended" ended
has_process "$before" ended "from before, and ended"

# Of its begin nothing is left in the rings.
seen_wrapped()
{
	run optrace start --session-dir="$work/sessions" --source=module -m overwrite:4x16K -e default,sample:1999
	load_thirds 1000 &
	before=$!
	wait "$before"
	rm -rf wrapped
	run optrace snapshot --session-dir="$work/sessions" -o wrapped
	run optrace stop --session-dir="$work/sessions"
	! optrace events -e sched_process_exec wrapped 2>>"$work/reader" | grep -q load_thirds || return
	optrace profile wrapped -- -l -t 0 load_thirds >"$work/out" 2>"$work/err"
	grep -q one_third "$work/out" && grep -q two_thirds "$work/out"
}
until_true seen_wrapped
ok $? "begun before what the rings hold, and ended: its functions have names"
has_process "$before" wrapped "begun before what the rings hold, and ended"

# ---- idle, as the kernel's own events have it ----

if [ -d /sys/kernel/tracing/events/power/cpu_idle ]; then
	run optrace record -o idle --source=module -e sched:sched_switch,power:cpu_idle -- sh -c 'load_thirds 300; sleep 1; load_thirds 300'
	is "$status" 0 "idle CPUs"
	[ "$status" = 0 ] || show "$work/err"
	optrace events -e power_cpu_idle idle >"$work/rests" 2>>"$work/reader"
	optrace stats --json idle 2>>"$work/reader" | sed -n 's/^ *{"cpu":\([0-9]*\),"idle_ns":\([0-9]*\),.*/\1 \2/p' >"$work/cpus"
	# From where the CPU is put to rest to where it comes back, by CPU; what is around it is the scheduler's idle, too.
	awk -v window="$(kept window_ns idle)" '
		FNR == NR { told[$1] = $2 / 1e9; next }
		/state = 4294967295/ { if ($2 in since) sum[$2] += $1 - since[$2]; delete since[$2]; next }
		{ since[$2] = $1 }
		END {
			for (cpu in told) {
				print "# CPU " cpu ": idle " told[cpu] " s, at rest " sum[cpu] + 0 " s, of " window / 1e9
				if (sum[cpu] > told[cpu] + 0.005 || sum[cpu] < 0.9 * told[cpu] - 0.02) bad++
				all += sum[cpu]
			}
			exit bad || all < 0.5
		}' "$work/cpus" "$work/rests"
	ok $? "idle is as long as the kernel's own events say"
else
	note "this kernel tells nothing of idle CPUs"
fi

# ---- conditions ----

conditions() # OPTION...
{
	run optrace start --session-dir="$work/sessions" --source=module -m overwrite:4x1M "$@"
	is "$status" 0 "start $*"
	[ "$status" = 0 ] || show "$work/err"
}

no_more()
{
	run optrace status --session-dir="$work/sessions"
	! grep 'seen by no condition' "$work/out"
	ok $? "all were looked at"
	run optrace stop --session-dir="$work/sessions"
}

conditions -o late --snapshot-limit 20 --snapshot-if 'wakeup>20ms' -e default,sample:4999
# Who is woken, samples of what ran instead, and its running then.
found_late()
{
	load_hog
	for folder in late-*; do
		[ -f "$folder/metadata" ] || continue
		optrace events "$folder" 2>>"$work/reader" |
			awk '/ sched_wakeup: .*comm = "victim"/ { woken = 1 }
				/ oprof_sample: / && woken { sampled = 1 }
				/ sched_switch: .*prev_comm = "load_hog".*next_comm = "victim"/ && woken { found = sampled }
				END { exit !found }' && late=$folder && return
	done
	return 1
}
until_true found_late
ok $? "a thread waited 30 ms: the snapshot holds its being woken, what ran meanwhile, and its running then"
grep -q 'oprof_source = "module"' "$late/metadata"
ok $? "by the module"
mv "$late" late
no_more

conditions -o call --snapshot-if "syscall:$CALL>1ns" -e sched:sched_switch
found_call()
{
	load_calls 100
	for folder in call-*; do
		[ -f "$folder/metadata" ] && return
	done
	return 1
}
until_true found_call
ok $? "a condition on a call"
[ "$(optrace events -e "syscall_entry_$CALL" "$folder" 2>>"$work/reader" | wc -l)" -gt 0 ]
ok $? "whose events are recorded for it"
no_more

conditions -o text --snapshot-if 'sched_process_exec/filename == /bin/load_calls/' -e sched:sched_switch
/bin/load_thirds 1
sleep 1
run optrace status --session-dir="$work/sessions"
[ "$(find . -maxdepth 1 -name 'text-*' | wc -l)" = 0 ]
ok $? "a condition on a text: not by another program"
/bin/load_calls 1
found_text()
{
	for folder in text-*; do
		[ -f "$folder/metadata" ] && optrace events -e sched_process_exec "$folder" 2>>"$work/reader" | grep -q /bin/load_calls && return
	done
	return 1
}
until_true found_text
ok $? "but by that one, whose begin is in the snapshot"
no_more

run optrace start --session-dir="$work/sessions" --source=module --snapshot-if 'task:task_rename'
is "$status" 125 "a condition on what the module has no probe for is refused"
grep -q 'source=perf' "$work/err"
ok $? "with what helps"
run optrace start --session-dir="$work/sessions" --snapshot-if 'task:task_rename'
is "$status" 0 "but where performance events may be taken"
run optrace stop --session-dir="$work/sessions"

# ---- the other clock ----

module_unload || bail "the module does not go"
seconds()
{
	cut -d' ' -f1 /proc/uptime
}
if insmod /bin/oprof.ko clock=counter 2>"$work/err"; then
	mount -t oprofilefs none $control
	note "clock $(cat $control/clock)"
	before=$(seconds)
	run optrace record -o counter --source=module -m discard:16x256K -- load_calls 1000
	is "$status" 0 "stamped by clock=counter"
	[ "$status" = 0 ] || show "$work/err"
	after=$(seconds)
	agrees counter "clock=counter"
	echo "$(kept window_ns counter) $before $after" | awk '{
		print "# " $1 / 1e9 " s in the trace, of " $3 - $2
		exit !($1 > 0 && $1 / 1e9 <= $3 - $2 + 0.02)
	}'
	ok $? "its times are ns"
else
	ok 0 "clock=counter # SKIP this machine has no counter that can be a clock"
	module_load || bail "the module does not load again"
fi

# ---- the end ----

send_folders whole filtered named lossy flight chunks counter profiled snapshot late ended wrapped
module_unload
ok $? "the module goes"
finish
