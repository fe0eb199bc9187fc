#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A CPU budget that cannot be kept with all samples: fewer are taken, each weighs
# more, and all say so. Waits for a minute and a half, and judges nothing by what
# else runs here: scripts/check has it beside other stages.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
$CC -O1 -g -o "$T/load" "$E2E/guest_load.c" || tap_bail "the workload does not build"
S="$T/session"

control()
{
	"$BIN/opcontrol" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

value()
{
	"$BIN/opcontrol" "--session-dir=$S" --status 2>/dev/null |
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

start --cpu-budget=0.001 --separate=lib
tap_is "$(value thinning)" 1 "all samples are taken at first"
# For as long as it is needed: a CPU without load has idle samples only, whose weight is not told.
# Tests beside it go first.
nice -n 19 "$T/load" 600000 &
load=$!
cleanup_pid $load

# wait_thinning N: in its first minute a session takes all
wait_thinning()
{
	wait_left=1500
	while thinning=$(value thinning) && [ "${thinning:-1}" -lt "$1" ] && [ $wait_left -gt 0 ]; do
		sleep 0.1
		wait_left=$((wait_left - 1))
	done
	[ "${thinning:-1}" -ge "$1" ]
}

# moment NAME: sets NAME_thinning, NAME_stored and NAME_weight_stored, all of one moment; what was
# sampled before it is stored
moment()
{
	control --dump && "$BIN/opcontrol" "--session-dir=$S" --status >"$T/moment" 2>"$T/err" || return
	for moment_key in thinning stored weight_stored; do
		eval "$1_$moment_key=$(awk -v key=$moment_key '$1 == key { print $2 }' "$T/moment")"
	done
}

# two_moments: from and to, samples being left out, with one thinning and at least 100 samples
# between them. A thinning stays for 15 s; where that is too short, the last one stays for good.
two_moments()
{
	wait_left=600
	moment from || return
	while moment to && [ $wait_left -gt 0 ]; do
		# shellcheck disable=SC2154 # by eval
		if [ "$from_thinning" -lt 2 ] || [ "$from_thinning" -ne "$to_thinning" ]; then
			moment from
		elif [ $((to_stored - from_stored)) -ge 100 ]; then
			return 0
		fi
		sleep 0.2
		wait_left=$((wait_left - 1))
	done
	return 1
}

wait_thinning 2
two_moments
tap_ok $? "samples are taken while samples are left out"
# A sample of those asked for stands for 1/997 s of a CPU.
nr=$((to_stored - from_stored))
# shellcheck disable=SC2154 # by eval
tap_is "$((to_weight_stored - from_weight_stored))" "$((nr * to_thinning * 1003009))" \
	"each of these $nr weighs as $to_thinning of those asked for"
wait_thinning 4
tap_ok $? "above the budget fewer are taken, and fewer again"
"$BIN/oprof" status "--session-dir=$S" >"$T/out"
tap_has "$T/out" 'cpu-clock, .* Hz .*lowered from 997 by the CPU budget' "oprof status tells"
tap_has "$S/oprofiled.log" '1 of 2 samples is taken' "and the log"
control --dump
kill $load
"$BIN/opreport" "--session-dir=$S" -n >"$T/report" 2>"$T/coverage"
cat "$T/coverage" >>"$T/report"
tap_has "$T/report" 'at times, fewer samples were taken' "and a report"
control --shutdown
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
"$BIN/opcheck" "$S" >"$T/out" 2>&1
tap_is $? 0 "files and slices are in order"
tap_end
