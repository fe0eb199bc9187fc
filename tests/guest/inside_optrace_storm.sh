#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest, run by part_optrace_storm.sh: a flight recorder of the module's whose rings go round
# again and again under a storm of NMIs, and its snapshot; snapshots whose process is stopped or
# killed; then a trace to disk with losses forced.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
# shellcheck source-path=SCRIPTDIR source=inside_optrace.sh
. /bin/inside_optrace.sh
LAPS=30
[ -z "$all" ] || LAPS=100
MORE_LAPS=20
LAP_CALLS=1100 # of load_laps: more than 4 MiB of each CPU's
STORM=0x53540000
STORM_NS=100000
SAMPLE_HZ=4999
case $guest in
*kasan | *kcsan) # each sample takes so long that the CPU would do nothing else
	LAPS=10 MORE_LAPS=10 STORM_NS=2000000 SAMPLE_HZ=99
	;;
esac
cpus=$(grep -c ^processor /proc/cpuinfo)
cd "$work" || exit 1

trace() # VERB WORD...
{
	trace_verb=$1
	shift
	optrace "$trace_verb" --session-dir="$work/sessions" "$@" >"$work/out" 2>"$work/err"
	status=$?
	[ "$status" = 0 ] || show "$work/err"
}

mount -t tracefs none /sys/kernel/tracing 2>/dev/null # or it is mounted already
module_load || bail "the module does not load"
note "clock $(cat $control/clock)"

# The storm is the sampling side's on x86-64, whose guests have no PMU; on arm64 samples of the trace
# itself come as NMIs.
in_storm() # COMMAND...
{
	if [ "$(uname -m)" = x86_64 ]; then
		kmod_read -e $STORM:0:$STORM_NS -- "$@" >"$work/storm" 2>&1
		storm_status=$?
		note "the storm: $(grep '^seen' "$work/storm")"
		return $storm_status
	fi
	"$@"
}

# ---- a flight recorder ----

trace start -m overwrite:4x1M --source=module -e "syscall:truncate,sched:sched_switch,sample:$SAMPLE_HZ"
is "$status" 0 "start"
trace start -s exact -m overwrite:4x1M --source=module -e syscall:truncate
is "$status" 0 "one more beside it, of what nobody else does"
began=$(cut -d. -f1 /proc/uptime)
in_storm load_laps $((LAPS * LAP_CALLS))
ok $? "the storm, while rings of 4 x 1 MiB go round $LAPS times"
note "$(($(cut -d. -f1 /proc/uptime) - began)) s"
in_storm load_laps $((MORE_LAPS * LAP_CALLS)) $((LAPS * LAP_CALLS)) &
more=$!
sleep 1
trace snapshot -o snapshot
is "$status" 0 "snapshot, while it goes on"
kill -0 $more
ok $? "which it still does"
note "$(sed -n 's/^optrace: //p' "$work/err")"
is "$(kept records snapshot)" "$(told 'events of')" "the snapshot has as many events as were told"
is "$(kept lost_events snapshot)" "$(told 'more were lost')" "and as many losses"
lost=$(told 'more were lost')
# One that is put off for a lap finds packets overwritten: on a busy machine that may be.
overwritten=$(told 'packets were overwritten')
[ "$(kept lost_packets snapshot)" -le "${overwritten:-0}" ]
ok $? "and tells what was overwritten meanwhile (${overwritten:-0} packets)"
wait $more
ok $? "to its end"
trace stop
note "$(sed -n 's/^optrace: //p' "$work/err" | tr '\n' ';')"
trace stop exact
note "$(sed -n 's/^optrace: //p' "$work/err" | tr '\n' ';')"
is $(($(told 'events went') + $(told lost))) $((2 * cpus * (LAPS + MORE_LAPS) * LAP_CALLS)) \
	"records + losses = the calls that were made, to the event"

# Seconds, CPU, thread, event: what lies between a thread's first call and its last is there or lost.
# Of four sub-buffers, each of at most 255 calls, one is being written and one written over meanwhile, and
# the rest are not of calls alone; of what was overwritten more nothing is known.
optrace events snapshot >"$work/events" 2>"$work/reader"
is $? 0 "events"
head -n 3 "$work/events" | cut -c 1-150 >"$work/head"
show "$work/head"
awk '{ time = $1 + 0; if (time < last) wrong++; last = time } END { exit wrong || !NR }' "$work/events"
ok $? "in one order of time"
sed -n 's/.*syscall_entry_truncate.*"\/\([0-9]*\)-\([0-9]*\)-.*/\1 \2/p; s/.* \(oprof_sample\).*/sample/p' \
	"$work/events" >"$work/calls"
awk -v lost="$lost" -v overwritten="${overwritten:-0}" -v cpus="$cpus" '
	$1 == "sample" { samples++; turns += !was; was = 1; next }
	{ calls++; turns += was; was = 0; nr[$1]++; if (!($1 in low)) low[$1] = $2; if ($1 in high && $2 + 0 <= high[$1]) wrong++; high[$1] = $2 + 0 }
	END {
		for (cpu in nr) { missing += high[cpu] - low[cpu] + 1 - nr[cpu]; threads++ }
		print "# " calls " calls of " threads " threads, " samples " samples among them, " missing " missing, " lost " lost; " turns " turns"
		gone = 255 * overwritten
		if (!calls || wrong || missing > lost + gone) exit 1
		# A CPU may have had three whole ones, of which the oldest is not counted: with two all of it is gone.
		exit overwritten < 2 && !(threads == cpus && samples > 10 && turns > 10 && calls + gone > 250 * cpus)
	}' "$work/calls"
ok $? "samples are among the calls, and of these none is missing that is not lost"

# ---- a snapshot whose process is stopped, or killed ----

# Is there a child of the tracer's? It is in $child.
has_child()
{
	for child_of in /proc/[0-9]*; do
		[ "${child_of#/proc/}" -gt "$tracer" ] || continue
		# shellcheck disable=SC2034 # its name, its state and the rest
		read -r child name state parent rest 2>/dev/null <"$child_of/stat" || continue
		[ "$parent" != "$tracer" ] || return 0
	done
	return 1
}

# stop_snapshot FOLDER: a snapshot, whose process is stopped while it writes a packet of the first CPU
stop_snapshot()
{
	rm -rf "$1"
	delay=$((delay * 3 / 2))
	[ "$delay" -lt 500000 ] || delay=2000
	optrace snapshot "--session-dir=$work/sessions" -o "$1" >"$work/out" 2>"$work/err" &
	asking=$!
	until has_child; do
		if [ -s "$work/err" ]; then # it has told how it ended
			wait "$asking"
			return 1
		fi
	done
	usleep "$delay"
	kill -STOP "$child" 2>/dev/null
	while grep -q '^State:.[^TZX]' "/proc/$child/status" 2>/dev/null; do
		:
	done
	part=$(stat -c %s "$1/channel_0" 2>/dev/null)
	[ "${part:-0}" -lt 2097152 ] && [ $((${part:-0} % 1048576)) != 0 ] && return
	kill -CONT "$child" 2>/dev/null
	wait "$asking"
	return 1
}

# The rings go round by more than half before it takes the others; the tracer answers meanwhile. Which
# packets it takes is settled at its begin: of the first CPU alone that overwrites two at most, which
# are not its oldest.
overwrites()
{
	stop_snapshot stopped || return 1
	optrace status "--session-dir=$work/sessions" >"$work/status" 2>&1 || show "$work/status"
	load_laps $((LAP_CALLS * 5 / 8))
	kill -CONT "$child"
	overwritten=
	wait "$asking" && overwritten=$(told 'packets were overwritten')
	[ "${overwritten:-0}" -gt $((cpus > 1 ? 2 : 0)) ]
}

trace start -m overwrite:4x1M --source=module -e syscall:truncate
is "$status" 0 "one more"
tracer=$(cat "$work/sessions/trace/default/lock")
load_laps "$LAP_CALLS"
delay=3000
until_true overwrites
ok $? "one that is stopped, after $delay us, tells what was overwritten of all CPUs meanwhile"
note "$(sed -n 's/^optrace: //p' "$work/err" | tr '\n' ';')"
grep -q '^default .*overwrite:4x1M' "$work/status"
ok $? "and the tracer answered"
[ "$(kept lost_packets stopped)" -gt 0 ] &&
	[ "$(kept lost_packets stopped)" -le "$(told 'packets were overwritten')" ]
ok $? "and those of which it has later ones are a gap in it"
is "$(kept records stopped)" "$(told 'events of')" "it has as many events as were told"
delay=3000
until_true stop_snapshot killed || bail "no snapshot's process could be stopped within a packet"
kill -KILL "$child"
! wait "$asking" && grep -q "was killed" "$work/err"
ok $? "and killed"
load_laps 300
trace snapshot -o after
is "$status" 0 "a snapshot after it"
optrace events -e syscall_entry_truncate after 2>/dev/null |
	sed -n 's/.*"\/\([0-9]*\)-[0-9]*-.*/\1/p' | sort | uniq -c >"$work/of_cpus"
[ "$(awk '$1 >= 300' "$work/of_cpus" | wc -l)" = "$cpus" ]
ok $? "has all of each CPU's ($(tr '\n' ';' <"$work/of_cpus"))"
trace stop

# ---- to disk, with losses forced ----

lossy()
{
	rm -rf lossy
	trace start -m discard:2x64K -o lossy --source=module -e "syscall:truncate,sample:$SAMPLE_HZ"
	[ "$status" = 0 ] || return
	in_storm load_laps "$LAP_CALLS"
	trace stop
	[ "$status" = 0 ] && [ "$(told lost)" -gt 0 ]
}
until_true lossy
ok $? "a trace to disk by buffers of 2 x 64 KiB loses"
note "$(sed -n 's/^optrace: //p' "$work/err" | tr '\n' ';')"
is "$(kept records lossy)" "$(told 'events in')" "the folder has as many events as were told"
is "$(kept lost_events lossy)" "$(told lost)" "and as many losses"
trace start -m discard:2x64K -o exact --source=module -e syscall:truncate
in_storm load_laps "$LAP_CALLS"
trace stop
optrace events -e 'syscall_*_truncate' exact >"$work/events" 2>>"$work/reader"
is $(($(wc -l <"$work/events") + $(told lost))) $((2 * cpus * LAP_CALLS)) "calls + losses = the calls that were made, to the event"
[ "$(told lost)" -gt 0 ]
ok $? "of which some were lost ($(told lost))"
show "$work/reader"

# ---- the end ----

send_folders snapshot stopped lossy exact
module_unload
ok $? "the module goes"
finish
