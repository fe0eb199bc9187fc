#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A trace beside ftrace's own record of the same run: the same switches in the
# same order, the same wake-ups and system calls with their results, record by record.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
. "$E2E/beside.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: traces the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
"$BIN/optrace" list-events >"$T/events" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
command -v babeltrace2 >/dev/null || tap_skip_all "babeltrace2 is not installed"
tracing=$(awk '$3 == "tracefs" { print $2; exit }' /proc/mounts)
instance=$tracing/instances/oprof_test_$$
mkdir "$instance" 2>/dev/null || tap_skip_all "ftrace gives no instance here"
trap 'echo 0 >"$instance/tracing_on"; rmdir "$instance"; cleanup' EXIT
cd "$T" || exit 1

record()
{
	rm -rf trace windows differs ./*.ours ./*.ftrace ./*.must
	echo >"$instance/trace"
	echo 1 >"$instance/tracing_on"
	"$BIN/optrace" record -o trace -m discard:64x256K -e sched_switch,sched_wakeup,syscalls -- \
		sh -c 'for i in 1 2 3 4; do ls -lR /usr/share/doc >/dev/null; sleep 0.1; done' 2>"$T/err" || return
	echo 0 >"$instance/tracing_on"
	cat "$instance/trace" >ftrace
	! cat "$instance"/per_cpu/cpu*/stats | grep -qE '^(overrun|commit overrun|dropped events): *[1-9]' || return
	grep -q ' 0 lost' "$T/err" || return
	babeltrace2 --clock-cycles trace >text || return
	# perf does not report the wake-ups that it causes itself, those of threads that wait for its
	# records: here the programs of oprof, and tests that run at the same time. Some kernels also
	# report no wake-up while a CPU is idle. Apart from these, both must have the same wake-ups.
	tracers=$(awk 'match($0, /comm=(oprof|operf|opcontrol|optrace|optop|perf|test_|lt-)[^ ]* pid=[0-9]+/) {
		line = substr($0, RSTART, RLENGTH); sub(/.* pid=/, "", line); print line }' \
		ftrace | sort -u | tr '\n' ' ')
	awk -v waked=" $tracers" -f "$E2E/trace_normal.awk" text >all.ours
	awk -v waked=" $tracers" -f "$E2E/trace_normal.awk" ftrace >all.ftrace
	awk -v unseen=" 0 $(cd /proc/1/task && echo ./* | tr -d ./) " -v waked=" $tracers" \
		-f "$E2E/trace_normal.awk" ftrace >all.must
	# shellcheck disable=SC2013 # numbers
	for cpu in $(cut -d' ' -f1 all.ours | sort -u); do
		cut_cpu "$cpu" || return
	done
	[ -s windows ]
}

# Of a CPU: all that ftrace has, and what of it ours must.
cut_cpu() # CPU
{
	for of in must ftrace; do
		beside_cut all.ours "all.$of" "$1" || return 0 # it did not switch
		mv "$1.other" "$1.$of"
	done
	echo "$1" >>windows
}

for enable in sched/sched_switch sched/sched_wakeup syscalls; do
	echo 1 >"$instance/events/$enable/enable" || tap_bail "ftrace does not enable $enable"
done
echo mono >"$instance/trace_clock"
echo 30000 >"$instance/buffer_size_kb"

# On a busy machine either of the two may lose, or an edge be met twice: then once more.
agrees()
{
	record || return
	nr=0
	: >differs
	while read -r cpu; do
		grep ' switch ' "$cpu.ours" >switches.ours
		grep ' switch ' "$cpu.ftrace" >switches.ftrace
		cmp -s switches.ours switches.ftrace || echo "CPU $cpu: other switches, or in another order" >>differs
		for of in ours ftrace must; do
			sort "$cpu.$of" >"sorted.$of"
		done
		comm -23 sorted.ours sorted.ftrace >>differs
		comm -13 sorted.ours sorted.must >>differs
		nr=$((nr + $(wc -l <"$cpu.ours")))
	done <windows
	[ "$nr" -gt 10000 ] && [ ! -s differs ]
}
nr=0
# As until_true, but what differs is shown.
tried()
{
	agrees && return
	[ ! -s differs ] || tap_show differs 5
	return 1
}
until_true tried
agreed=$?
tap_note "$nr records"
tap_ok $agreed "both tell the same, record by record"
[ -s 0.ours ] && [ "$(cat ./[0-9]*.ours | grep -c ' switch ')" -gt 100 ]
tap_ok $? "switches"
[ "$(cat ./[0-9]*.ours | grep -c ' wakeup ')" -gt 20 ]
tap_ok $? "wake-ups"
[ "$(cat ./[0-9]*.ours | grep -c ' entry ')" -gt 1000 ] && [ "$(cat ./[0-9]*.ours | grep -c ' exit ')" -gt 1000 ]
tap_ok $? "begins and ends of system calls"
tap_end
