#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Reports in stretches of time, and the differences between them, while a
# daemon profiles and closes each minute: a load whose hot function changes is
# to be found by its time. Takes minutes: only with OPROF_CHECK_ALL.
. "$(dirname "$0")/lib.sh"

[ -n "${OPROF_CHECK_ALL:-}" ] || tap_skip_all "waits for minutes: scripts/check --all"
[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
$CC -O1 -g -o "$T/load" "$E2E/history_load.c" || tap_bail "the load does not build"
S="$T/session"
mkdir -p "$S"

# report WORD...: to $T/out, $T/err; its status
report()
{
	"$BIN/oprof" report "--session-dir=$S" -l image:load -n "$@" >"$T/out" 2>"$T/err"
}

# hottest: the symbol of the first line
hottest()
{
	awk 'NR == 1 { print $NF }' "$T/out"
}

# sum: of the samples column of $T/out
sum()
{
	sum_symbols "$T/out"
}

"$BIN/oprofiled" --help >/dev/null 2>&1 || tap_bail "no oprofiled"
"$BIN/opcontrol" "--session-dir=$S" --event=cpu-clock:1000000 --separate=lib --start \
	>"$T/out" 2>"$T/err" || tap_bail "opcontrol: $(cat "$T/err")"
daemon=$(cat "$S/lock")
cleanup_pid "$daemon"

# The minutes that begin at $first, $second and $third are hot, hot, and live.
now=$(date +%s)
first=$((now / 60 * 60 + 60))
second=$((first + 60))
third=$((second + 60))
tap_note "waits for $((third + 10 - now)) s"
while [ "$(date +%s)" -lt $((first + 1)) ]; do sleep 1; done
"$T/load" "$second" $((third + 8)) &
load=$!
cleanup_pid $load
while [ "$(date +%s)" -lt $((third + 5)) ]; do sleep 1; done

ls "$S/samples/current/history" >"$T/slices"
tap_has "$T/slices" '^minute\.' "minutes are closed"
"$BIN/opcheck" "$S/samples/current" >"$T/out" 2>"$T/err"
tap_is $? 0 "and sound"

report --from "@$first" --to "@$second"
tap_is $? 0 "a report of the first minute"
tap_is "$(hottest)" hot_first "names what was hot then"
first_sum=$(sum)
tap_has "$T/err" ', from 20[0-9-]* [0-9:]* to ' "and says of when its samples are"
report --from "@$second" --to "@$third"
tap_is "$(hottest)" hot_second "the second minute has its own"
second_sum=$(sum)
tap_has "$T/err" "symbolized" "with its coverage"
report "time:@$first..@$third"
tap_is "$(sum)" $((first_sum + second_sum)) "both together are the sum of them"
report --last 3m
tap_is $? 0 "the last three minutes"
tap_is "$(awk '$NF ~ /^hot_/' "$T/out" | wc -l | tr -d ' ')" 2 "have both"
report --from 'today' --to '@60'
tap_is $? 1 "an end before the beginning is refused"
report --from '@0' --to '@60'
tap_is $? 1 "a stretch before all is an error"
tap_has "$T/err" "nothing was sampled .* there are samples from" "that says what there is"

"$BIN/oprof" diff "--session-dir=$S" -l -n image:load "time:@$first..@$second" \
	"time:@$second..@$third" >"$T/out" 2>"$T/err"
tap_is $? 0 "diff"
tap_has "$T/out" '^[0-9]+ +[0-9.]+ +(\+\+\+|\+[0-9.]+) .*hot_second$' "names what got hotter"
tap_has "$T/out" '^[0-9]+ +[0-9.]+ +(---|-[0-9.]+) .*hot_first$' "and what got cooler"
! grep -q 'hot_.*~' "$T/out"
tap_ok $? "and takes neither for chance"
tap_has "$T/err" "changed by more than the sampling error" "and says how many are beyond it"

wait $load
"$BIN/opcontrol" "--session-dir=$S" --shutdown >"$T/out" 2>"$T/err"
tap_is $? 0 "the daemon ends"
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
"$BIN/opreport" "--session-dir=$S" -n -m all >"$T/out" 2>"$T/err"
tap_is "$(sum_flat "$T/out")" "$(session_counter "$S" stored)" \
	"slices and live files hold all that was stored"
report --from "@$first" --to "@$second"
tap_is "$(sum)" "$first_sum" "and the first minute is what it was"
tap_end
