#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest, run by part_optrace_profile.sh: whose events the module records; what is told of what
# began before a trace, or after it; idle CPUs; and conditions by which snapshots are taken. The folders
# go to standard output at the end.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
# shellcheck source-path=SCRIPTDIR source=inside_optrace.sh
. /bin/inside_optrace.sh
cd "$work" || exit 1

mount -t tracefs none /sys/kernel/tracing 2>/dev/null # or it is mounted already
module_load || bail "the module does not load"
note "clock $(cat $control/clock)"

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
	sh -c 'read line <go; sh -c "load_calls 1000; true"; : >ran; read line <go' &
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
	rm -f go ran
}
let_shell_go()
{
	echo >&8
	until_true test -e ran
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
is "$(kept lost_events snapshot)" "$(told 'more were lost')" "with mappings: as many losses"
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
cpu_ticks()
{
	awk '{ print $14 }' "/proc/$before/stat"
}
# Five seconds: thousands of samples, for the shares to be near.
has_run_long()
{
	[ "$(cpu_ticks)" -ge $((began + 500)) ]
}
load_thirds 1000000 &
before=$!
run optrace start --session-dir="$work/sessions" --source=module -m overwrite:4x1M -e sched:sched_switch,sample:1999
is "$status" 0 "a flight recorder beside a program from before it"
began=$(cpu_ticks)
until_true has_run_long || bail "load_thirds gets no CPU time"
kill "$before"
wait "$before" 2>/dev/null
run optrace snapshot --session-dir="$work/sessions" -o ended
is "$(kept records ended)" "$(told 'events of')" "with tasks: as many events as were told"
is "$(kept lost_events ended)" "$(told 'more were lost')" "with tasks: as many losses"
run optrace stop --session-dir="$work/sessions"
has_thirds "from before, and ended" ended
has_process "$before" ended "from before, and ended"

# The records of the program's start are overwritten.
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
	! grep 'not checked against the conditions' "$work/out"
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

# ---- the end ----

send_folders profiled snapshot late ended wrapped
module_unload
ok $? "the module goes"
finish
