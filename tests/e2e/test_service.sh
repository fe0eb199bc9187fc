#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon as a service: what privileges it keeps and what it can still do
# with them, its metrics, what it tells a service manager.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
$CC -O1 -g -o "$T/load" "$E2E/guest_load.c" || tap_bail "the workload does not build"
S="$T/session"
chmod 711 "$T"

as= # a command that changes the user
opcontrol=$BIN/opcontrol
control()
{
	$as "$opcontrol" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

value()
{
	$as "$opcontrol" "--session-dir=$S" --status 2>/dev/null |
		awk -v key="$1" '$1 == key { print $2; exit }'
}

start()
{
	"$BIN/oprofiled" "--session-dir=$S" --start --event=cpu-clock --frequency=997 "$@" 2>"$T/err"
	start_status=$?
	[ $start_status -eq 0 ] || tap_show "$T/err"
	daemon=$(cat "$S/lock")
	cleanup_pid "$daemon"
	return $start_status
}

# capability_set PID NAME: its hexadecimal digits
capability_set()
{
	awk -v name="$2:" '$1 == name { print $2 }' "/proc/$1/status"
}

# has_capability PID NUMBER
has_capability()
{
	[ $((0x$(capability_set "$1" CapEff) >> $2 & 1)) -eq 1 ]
}

# A program of nobody's in a folder that only nobody may enter: nobody_program NAME
nobody_program()
{
	mkdir -p "$T/private"
	cp "$T/load" "$T/private/$1"
	chown -R nobody "$T/private"
	chmod 700 "$T/private"
}

as_nobody="setpriv --reuid=nobody --regid=nogroup --clear-groups"

# Starts NAME as $early, and returns when it runs: all of its maps are made before the daemon is.
start_early()
{
	nobody_program "$1"
	$as_nobody "$T/private/$1" 60000 &
	early=$!
	cleanup_pid $early
	while kill -0 $early 2>/dev/null; do
		grep -q "$1" "/proc/$early/maps" && grep -q libc "/proc/$early/maps" && return
		sleep 0.05
	done
	tap_bail "$1 does not run"
}

end_early()
{
	kill "$early"
	wait "$early" 2>/dev/null
}

# ---- what it keeps ----

# One that runs before the daemon starts: known by /proc alone.
start_early early_load
start --separate=lib "--metrics=$T/oprof.prom"
tap_is $? 0 "the daemon starts"
for number in 21 1 7 6 8 12; do # sys_admin dac_override setuid setgid setpcap net_admin
	has_capability "$daemon" $number && break
done
tap_ok $((!$?)) "it has none of root's great privileges any more"
tap_is "$(capability_set "$daemon" CapPrm)" "$(capability_set "$daemon" CapEff)" \
	"nor could it have them back"
tap_is "$(awk '$1 == "NoNewPrivs:" { print $2 }' "/proc/$daemon/status")" 1 "nor by a program"
tap_is "$(capability_set "$daemon" CapBnd)" "$(capability_set "$daemon" CapEff)" \
	"its bounding set is what it keeps"
keeper=$(pgrep -P "$daemon" oprof-keeper)
tap_is "$(capability_set "$keeper" CapBnd)" "$(capability_set "$keeper" CapEff)" \
	"and so is that of the child that opens binaries"
unfiltered=
for process in "$daemon" $(pgrep -P "$daemon"); do
	[ "$(awk '$1 == "Seccomp:" { print $2 }' "/proc/$process/status")" = 2 ] ||
		unfiltered="$unfiltered $process"
done
tap_is "$unfiltered" "" "the kernel refuses system calls that the daemon and its children never make"
nr_filters() # of the process $1; empty on kernels that do not report it
{
	awk '$1 == "Seccomp_filters:" { print $2 }' "/proc/$1/status"
}
unfiltered=
for process in $(pgrep -P "$daemon" "oprof-(keeper|reader)"); do
	[ "$(nr_filters "$process")" = "" ] || [ "$(nr_filters "$process")" -gt "$(nr_filters "$daemon")" ] ||
		unfiltered="$unfiltered $process"
done
tap_is "$unfiltered" "" "and its children fewer than the daemon"
has_capability "$daemon" 38
tap_ok $? "it keeps CAP_PERFMON"
tap_has "$T/oprof.prom" '^oprof_up 1$' "metrics say that it is up"
if command -v promtool >/dev/null; then
	promtool check metrics <"$T/oprof.prom" >"$T/promtool" 2>&1
	tap_is $? 0 "and promtool has nothing against them"
else
	tap_ok 0 "promtool check metrics # SKIP there is no promtool (package prometheus)"
fi
tap_is "$(value capabilities | sed 's/,ipc_lock$//')" \
	perfmon,sys_ptrace,dac_read_search,checkpoint_restore,syslog "the status tells what was kept"

# ---- what it can do with them ----

nobody_program late_load
$as_nobody "$T/private/late_load" 1000
ls -lR /usr/share >"$T/ls" 2>&1 # many functions of the kernel, also where nothing else runs
control --dump
tap_is $? 0 "a dump, in a child"
"$BIN/opreport" "--session-dir=$S" -n >"$T/report" 2>/dev/null
tap_has "$T/report" early_load "a program that ran before it, of another user, is known"
tap_has "$T/report" late_load "and one that came later"
"$BIN/opreport" "--session-dir=$S" -l -n >"$T/symbols" 2>/dev/null
tap_has "$T/symbols" 'vmlinux +' "the kernel is there, by symbols"
"$BIN/opreport" "--session-dir=$S" -l -n image:vmlinux >"$T/symbols" 2>/dev/null
[ "$(grep -c -v 'no symbols' "$T/symbols")" -gt 5 ]
tap_ok $? "several of them"
control --save=a
tap_is $? 0 "save"
$as_nobody "$T/private/late_load" 300
control --stop && control --start
tap_is $? 0 "stop and start"
control --reset
tap_is $? 0 "reset"
mv "$S/oprofiled.log" "$S/oprofiled.old"
kill -HUP "$daemon"
control --dump
[ -s "$S/oprofiled.log" ]
tap_ok $? "SIGHUP makes a new log"
control --shutdown
tap_is $? 0 "the end"
end_early
for session in a current; do
	check_conservation "$S" $session
	tap_ok $? "$session: seen = stored + idle + lost"
done
tap_is "$(session_counter "$S" ring_errors)" 0 "no ring was refused"
tap_has "$T/oprof.prom" '^oprof_up 0$' "metrics do not look alive after the end"

# ---- each of them is needed: without it, something is not known ----

has_stored()
{
	[ "$(value stored)" -ge "$1" ]
}

without()
{
	S="$T/without-$1"
	start_early "early_$1"
	setpriv --bounding-set="-$1" --inh-caps="-$1" "$BIN/oprofiled" "--session-dir=$S" \
		--start --event=cpu-clock --frequency=997 --separate=lib 2>"$T/err"
	tap_is $? 0 "without $1 it starts"
	cleanup_pid "$(cat "$S/lock")"
	until_true has_stored 500
	control --shutdown
	end_early
	"$BIN/opreport" "--session-dir=$S" -n >"$T/report" 2>"$T/coverage"
}

# May CAP_PERFMON read mappings, as newer kernels have it? Then only links to files need more.
maps_need_ptrace()
{
	start_early early_p
	! setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace cat "/proc/$early/maps" \
		>/dev/null 2>&1
	maps_status=$?
	end_early
	return $maps_status
}

without sys_ptrace
grep -q early_sys_ptrace "$T/report"
known=$?
if maps_need_ptrace; then
	[ $known -ne 0 ]
	tap_ok $? "without sys_ptrace another user's program is not known"
else
	tap_is $known 0 "without sys_ptrace this kernel tells mappings all the same"
fi
tap_has "$S/oprofiled.log" 'without CAP_SYS_PTRACE' "and the log says why"
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 1 ]; then
	without syslog
	"$BIN/opreport" "--session-dir=$S" -l -n image:vmlinux >"$T/symbols" 2>/dev/null
	[ "$(grep -c '_\|do' "$T/symbols")" -lt 3 ]
	tap_ok $? "without syslog the kernel has no symbols"
fi

# ---- another user's folder; everything kept ----

mkdir "$T/of nobody"
chown nobody "$T/of nobody"
chmod 755 "$T/of nobody"
"$BIN/oprofiled" --session-dir="$T/of nobody" --start >"$T/out" 2>"$T/err"
tap_is $? 1 "root's daemon refuses another user's folder"
tap_has "$T/err" "belongs to nobody" "and says why"
S="$T/metrics elsewhere"
start --metrics="$T/of nobody/oprof.prom"
tap_is $? 0 "root's daemon writes metrics to another user's folder"
has_capability "$daemon" 1
tap_ok $? "and keeps what it needs for that"
until_true test -s "$T/of nobody/oprof.prom"
tap_ok $? "they are there"
control --save=b && control --shutdown
saved=$?
[ $saved -eq 0 ] || tap_show "$T/err"
tap_is $saved 0 "it saves"
check_conservation "$S" b
tap_ok $? "b: seen = stored + idle + lost"
S="$T/kept"
start --keep-privileges
tap_is "$(capability_set "$daemon" CapEff)" "$(capability_set $$ CapEff)" \
	"--keep-privileges keeps them"
tap_is "$(value capabilities)" all "and the status says so"
control --shutdown

# ---- a user of its own with CAP_PERFMON ----

S="$T/service"
mkdir "$S"
chown nobody "$S"
cp "$BIN/oprofiled" "$T/oprofiled"
chmod 755 "$T/oprofiled"
OPROF_EVENTS_DIR="$T/events"
cp -R "$E2E/../../events" "$T/events"
chmod -R a+rX "$T/events"
setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all,+perfmon \
	--ambient-caps=-all,+perfmon "$T/oprofiled" "--session-dir=$S" --start \
	--event=cpu-clock --frequency=997 2>"$T/err"
status=$?
if [ $status -ne 0 ] && grep -q 'locked memory\|memory' "$T/err"; then
	tap_show "$T/err"
fi
tap_is $status 0 "an ordinary user with ambient CAP_PERFMON profiles the machine"
daemon=$(cat "$S/lock")
cleanup_pid "$daemon"
control --status
tap_is $? 1 "root does not use a daemon that runs as that user"
tap_has "$T/err" "belongs to nobody" "and is told why"
as=$as_nobody
cp "$BIN/opcontrol" "$T/opcontrol"
chmod 755 "$T/opcontrol"
opcontrol=$T/opcontrol
tap_is "$(value capabilities)" perfmon "with nothing else"
"$T/load" 500
control --shutdown
tap_is $? 0 "the user ends it" || tap_show "$T/err"
"$BIN/opreport" "--session-dir=$S" -n >"$T/report" 2>/dev/null
tap_has "$T/report" ' load$' "another user's program that began meanwhile is known"
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
tap_end
