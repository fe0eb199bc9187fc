#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest, run by part_optrace_module.sh: traces of optrace whose events the
# module records: to a folder, filtered, and with the other clock. The folders go to
# standard output at the end.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
# shellcheck source-path=SCRIPTDIR source=inside_optrace.sh
. /bin/inside_optrace.sh
cd "$work" || exit 1
nr_calls=5000
[ -z "$all" ] || nr_calls=20000

mount -t tracefs none /sys/kernel/tracing 2>/dev/null # or it is mounted already
[ -d /sys/kernel/tracing/events ] || bail "no tracefs"
run optrace record -o none --source=module -e syscalls -- load_calls 1
is "$status" 125 "without the module --source=module is refused"
grep -q 'no kernel module that can trace is loaded' "$work/err"
ok $? "and why is told"
module_load || bail "the module does not load"
note "clock $(cat $control/clock)"

# ---- to a folder ----

run optrace record -o whole --source=module -m discard:16x256K -- load_calls $nr_calls
is "$status" 0 "record"
[ "$status" = 0 ] || show "$work/err"
note "$(told 'events in') events, $(told lost) lost"
agrees whole "record"
calls=$(calls_in whole)
[ "$calls" -le $((2 * nr_calls)) ] && [ $((calls + $(told lost))) -ge $((2 * nr_calls)) ]
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

send_folders whole filtered named counter
module_unload
ok $? "the module goes"
finish
