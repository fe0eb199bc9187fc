#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The daemon's life: start-up, lock, signals, kill, control, counters, ends.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" -eq 0 ] || tap_skip_all "needs root"
perf_system_works || tap_skip_all "this machine's kernel gives no performance events"

load()
{
	i=0
	while [ $i -lt 20000 ]; do i=$((i + 1)); done
}

start()
{
	"$BIN/oprofiled" "--session-dir=$S" --event=cpu-clock --frequency=997 "$@" 2>"$T/err"
	start_status=$?
	[ $start_status -eq 0 ] || tap_show "$T/err"
	daemon=$(cat "$S/lock")
	[ -n "$daemon" ] && cleanup_pid "$daemon"
	return $start_status
}

control()
{
	"$BIN/opcontrol" "--session-dir=$S" "$@"
}

# Until the process has ended; it is not our child.
wait_end()
{
	wait_left=600
	while kill -0 "$1" 2>/dev/null && [ $wait_left -gt 0 ]; do
		sleep 0.05
		wait_left=$((wait_left - 1))
	done
	! kill -0 "$1" 2>/dev/null
}

status_value()
{
	control --status | awk -v key="$1" '$1 == key { print $2 }'
}

# Until counter $1 is above $2.
wait_above()
{
	wait_left=400
	while [ "$(status_value "$1")" -le "$2" ] && [ $wait_left -gt 0 ]; do
		load
		wait_left=$((wait_left - 1))
	done
	[ "$(status_value "$1")" -gt "$2" ]
}

# What a report would sum over the files of session $1: opcheck counts every file and slice.
files_sum()
{
	"$BIN/opcheck" -v "$S/samples/$1" | awk '
		/; superseded by/ { next }
		{ for (i = 2; i <= NF; i++) if ($i ~ /^(samples|idle),?$/) sum += $(i - 1) }
		END { print sum + 0 }'
}

# seen = stored + idle + lost, and the files hold what was stored and idle, but for what was
# dropped for the budget, which is small on a small disk. The daemon, if one runs, stops for that
# time: the two are not read at one moment.
agree()
{
	control --stop >"$T/stopped" 2>&1 && control --dump
	check_conservation "$S" "$1"
	tap_ok $? "$2: seen = stored + idle + lost"
	tap_is "$(files_sum "$1")" \
		"$(($(session_counter "$S" stored "$1") + $(session_counter "$S" idle "$1") - \
			$(session_counter "$S" expired "$1")))" \
		"$2: the files hold what was stored and idle"
	[ ! -S "$S/control" ] || control --start >"$T/started" 2>&1
}

# As agree of the current session, without a daemon: one that was killed may have been at a
# sample, seen and not yet stored, or stored and not yet counted as that. The next one sees to it.
agree_but_for_one()
{
	session_counters "$S" current | awk '$1 == "seen" { seen = $2 }
		$1 ~ /^(stored|idle|lost_.*)$/ { sum += $2 }
		END { printf "# seen %d, accounted for %d\n", seen, sum
			exit !(seen > 0 && (seen == sum || seen == sum + 1)) }'
	tap_ok $? "$1: seen = stored + idle + lost, but for the sample that it was at"
	counted=$(($(session_counter "$S" stored) + $(session_counter "$S" idle)))
	files=$(files_sum current)
	[ "$files" -eq "$counted" ] || [ "$files" -eq $((counted + 1)) ]
	tap_ok $? "$1: the files hold what was stored and idle, but for that ($files, $counted)"
}

# A session folder longer than a socket's address, with blanks and no folder above it.
S="$T/$(printf '%0150d' 0)/a session"

start --start --separate=lib
tap_ok $? "starts, makes its folder, and returns when ready"
tap_is "$(stat -c %a "$S")" 700 "the folder is closed to others"
tap_is "$(stat -c %a "$S/samples/current/meta/stats")" 600 "and so are its files"
kill -0 "$daemon"
tap_ok $? "the lock holds the daemon's pid"
tap_is "$(status_value pid)" "$daemon" "which answers under a path longer than sun_path"

"$BIN/oprofiled" "--session-dir=$S" --foreground >"$T/second" 2>&1
tap_is $? 1 "a second daemon is refused"
tap_has "$T/second" "process $daemon" "and told the first one's pid"
"$BIN/oprofiled" "--session-dir=$S" >"$T/second" 2>&1
tap_is $? 1 "also when it detaches"
tap_has "$T/second" "process $daemon" "with the reason on the terminal"

wait_above seen 500
tap_ok $? "samples come"
control --dump
tap_ok $? "dump"
agree current "running, dumped"

kill -USR2 "$daemon"
wait_left=1200
while [ "$(status_value state)" != stopped ] && [ $wait_left -gt 0 ]; do
	sleep 0.05
	wait_left=$((wait_left - 1))
done
tap_is "$(status_value state)" stopped "USR2 stops"
control --dump
before=$(status_value seen)
load
load
control --dump
tap_is "$(status_value seen)" "$before" "stopped is stopped"
kill -USR1 "$daemon"
wait_above seen "$before"
tap_ok $? "USR1 starts again"

mv "$S/oprofiled.log" "$S/log.1"
kill -HUP "$daemon"
wait_left=1200
while [ ! -s "$S/oprofiled.log" ] && [ $wait_left -gt 0 ]; do
	sleep 0.05
	wait_left=$((wait_left - 1))
done
tap_has "$S/oprofiled.log" reopened "HUP opens the log anew"

nr_symbols=$(find "$S/samples/current/meta/symbols" -type f | wc -l)
control --save=first >/dev/null
tap_ok $? "save while sampling"
agree first "saved"
wait_above seen 100
agree current "after the save"
[ "$(find "$S/samples/current/meta/symbols" -type f | wc -l)" -ge 1 ] && [ "$nr_symbols" -ge 1 ]
tap_ok $? "both sessions have the kernel's symbols"
control --save=first >"$T/taken" 2>&1
tap_is $? 1 "a name that is taken is refused"
control --reset >/dev/null
tap_ok $? "reset while sampling"
wait_above seen 100
agree current "after the reset"

wait_above seen 3000
stored=$(session_counter "$S" stored)
kill -9 "$daemon"
wait_end "$daemon"
rm "$S/control"
agree_but_for_one "killed by SIGKILL"
"$BIN/opcheck" "$S" >"$T/check" 2>&1
tap_ok $? "opcheck finds nothing wrong after it"
start --start --separate=lib
tap_ok $? "a new daemon takes the lock and the socket of a killed one"
[ "$(session_counter "$S" stored)" -ge "$stored" ]
tap_ok $? "and goes on from its counters"
wait_above seen "$(session_counter "$S" seen)"
kill -TERM "$daemon"
wait_end "$daemon"
tap_ok $? "TERM ends it"
agree current "ended by TERM"
if [ -e "$S/control" ]; then tap_ok 1 "the socket is gone"; else tap_ok 0 "the socket is gone"; fi

# Of every 1000th fault: what other programs do must not make it a storm (test_storms).
start --fresh --separate=all --event=page-faults:1000
tap_ok $? "begins afresh, all separated, two events, waiting"
tap_is "$(status_value state)" stopped "without --start it waits"
tap_is "$(session_counter "$S" seen)" 0 "afresh is empty"
control --start >"$T/started"
tap_ok $? "opcontrol --start, without a setup, takes the daemon as it is"
wait_above seen 500
rm -rf "$S/samples"
wait_left=1200
while [ ! -s "$S/samples/current/meta/info" ] && [ $wait_left -gt 0 ]; do
	sleep 0.05
	wait_left=$((wait_left - 1))
done
[ $wait_left -gt 0 ]
tap_ok $? "a session removed under the daemon is begun anew"
wait_above seen 200
control --shutdown >/dev/null
tap_ok $? "shutdown"
wait_end "$daemon"
tap_ok $? "it ends by that"
agree current "separated by all"
tap_is "$(find "$S/samples/current" ! -path '*idle}*' -name '*.all.all.*' -type f |
	grep -c 'dep.*clock')" 0 "every file names its thread and CPU"

# A private daemon of a process: ready line, exec, end by itself.
S="$T/private"
mkfifo "$T/ready" "$T/go"
sh -c "read _ <'$T/go'; exec awk 'BEGIN { for (i = 0; i < 3000000; i++) s += i }'" &
child=$!
cleanup_pid $child
"$BIN/oprofiled" "--session-dir=$S" --foreground --event=cpu-clock --frequency=997 \
	--separate=lib "--pid=$child" --enable-on-exec --ready-fd=3 3>"$T/ready" 2>"$T/err" &
daemon=$!
cleanup_pid $daemon
read -r ready <"$T/ready"
tap_is "$ready" ok "--ready-fd says when it is armed"
echo >"$T/go"
wait $child
wait $daemon
tap_is $? 0 "the daemon ends by itself with its process"
check_conservation "$S"
tap_ok $? "its counters agree"
find "$S/samples/current" -path '*{root}*awk*' -type f >"$T/files"
tap_has "$T/files" awk "the program is in its files"
find "$S/samples/current" -path '*{root}*/sh/*' -type f >"$T/files"
tap_is "$(wc -l <"$T/files")" 0 "what ran before exec is not"

"$BIN/oprofiled" "--session-dir=$S" --foreground --pid=1 --event=nonsense --ready-fd=3 \
	3>"$T/line" 2>"$T/err"
tap_is $? 1 "a wrong event ends it"
tap_has "$T/line" '^error .*nonsense' "and the reason comes by --ready-fd"
tap_is "$(wc -l <"$T/line")" 1 "in one line"

# Its starter dies.
S="$T/orphan"
sh -c "\"$BIN/oprofiled\" '--session-dir=$S' --foreground --parent=\$\$ --start \
	--event=cpu-clock --ready-fd=3 3>'$T/ready' & echo \$! >'$T/pid'; read _ <'$T/go'" &
parent=$!
read -r ready <"$T/ready"
daemon=$(cat "$T/pid")
cleanup_pid "$daemon"
wait_above seen 100
kill -9 $parent
wait $parent 2>/dev/null
wait_end "$daemon"
tap_ok $? "--parent ends it after the parent was killed"
check_conservation "$S"
tap_ok $? "with nothing lost uncounted"

# A disk without room, and room again.
S="$T/small"
mkdir "$S"
if mount -t tmpfs -o size=256k,mode=700 tmpfs "$S" 2>/dev/null; then
	start --start --separate=all --event=page-faults:1
	tap_ok $? "starts on a small disk"
	dd if=/dev/zero of="$S/filler" bs=4k 2>/dev/null
	wait_above lost_disk 0
	tap_ok $? "a full disk is counted"
	tap_has "$S/oprofiled.log" . "and does not end the daemon"
	rm "$S/filler"
	before=$(status_value stored)
	wait_above stored "$before"
	tap_ok $? "room again: samples are stored again"
	kill -TERM "$daemon"
	wait_end "$daemon"
	agree current "after the full disk"
	umount "$S"
else
	tap_note "no tmpfs may be mounted: the full disk is not tested"
fi
tap_end
