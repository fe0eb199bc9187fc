#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Time off CPU of threads that know their own: by program and thread, on the
# whole machine and of one process, with sampling beside it and alone.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
TOP=$E2E/../..
$CC -O1 -g -pthread -o "$T/program" "$E2E/off_cpu_program.c" || tap_bail "the workload does not build"
$CC -O1 -I"$TOP" -I"$TOP/include" -o "$T/sum" "$E2E/off_cpu_sum.c" "$BIN/libdb/libsdb.a" \
	"$BIN/lib/libbase.a" || tap_bail "the reader does not build"
S="$T/session"
MS=2000

# off_files [TID]: the session's files of the event, of the program
off_files()
{
	find "$S/samples/current" -type f -path '*/program/*' -name "off-cpu.1.0.*${1:+.$1.}*"
}

# weight FILES...: nanoseconds in them
weight()
{
	"$T/sum" "$@" | awk '{ sum += $3 } END { printf "%.0f\n", sum }'
}

# The time that a hypervisor took from its guest's CPUs: no thread ran, and none was switched off.
stolen_ns()
{
	awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f\n", $9 * 1e9 / hz }' /proc/stat
}

# check_threads FILE TEXT: each thread's time by its own clocks is what its files hold, or less if
# records were lost, which a daemon that gets no CPU for long cannot avoid
check_threads()
{
	lost_records=$(($(session_counter "$S" switches_lost) + $(session_counter "$S" side_band_lost)))
	stolen=$(($(stolen_ns) - stolen_before))
	# The kernel takes the time at which a task stops running once, and perf that of the switch once
	# more: a hypervisor that stops the CPU between these, and tells no stolen time, is in one only.
	# Where it stops CPUs, the thread that computes sees it, too.
	stopped=$(awk 'NF == 1' "$1")
	while read -r name tid least most; do
		[ -n "$most" ] || continue
		files=$(off_files "$tid")
		is=0
		# shellcheck disable=SC2086
		[ -z "$files" ] || is=$(weight $files)
		# 3 % of interrupts' time and the like, and a few ms for what waits to be told.
		awk -v is="$is" -v least="$least" -v most="$most" -v stolen="$stolen" -v stopped="$stopped" \
			-v lost="$lost_records" 'BEGIN {
			slack = 0.03 * most + 40000000 + (stolen < most / 2 ? stolen : most / 2)
			slack += stopped < most / 4 ? stopped : most / 4
			exit !((lost || is > least - slack) && is < most + slack) }'
		tap_ok $? "$2: $name was off for $least to $most ns, and $is are told" || {
			tap_note "stopped for $stopped ns, in stretches of more than 2 ms; stolen $stolen ns"
			session_counters "$S" | awk '$2 { print "# " $0 }'
		}
	done <"$1"
}

stolen_before=$(stolen_ns)

# ---- one process ----

"$BIN/operf" -d "$S" -t -e cpu-clock,off-cpu "$T/program" $MS >"$T/own" 2>"$T/err"
tap_is $? 0 "a program is profiled, with sampling"
check_threads "$T/own" "one process"
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
"$BIN/opcheck" "$S" >"$T/check" 2>&1
tap_is $? 0 "opcheck finds nothing wrong" || tap_show "$T/check"
"$BIN/opreport" "--session-dir=$S" event:off-cpu --merge=tid -n >"$T/report" 2>"$T/coverage"
tap_has "$T/report" "\[off-cpu\]" "the report shows it below the program"

"$BIN/operf" -d "$S" -t -e off-cpu "$T/program" $MS >"$T/own" 2>"$T/err"
tap_is $? 0 "a program is profiled, without sampling"
check_threads "$T/own" "alone"

"$BIN/operf" -d "$S" --separate=none -e off-cpu "$T/program" 300 >"$T/own" 2>"$T/err"
# shellcheck disable=SC2046
is=$(weight $(off_files))
awk 'NF == 4 { sum += $3 } END { printf "%.0f\n", sum }' "$T/own" >"$T/sum_own"
[ "$is" -ge "$(cat "$T/sum_own")" ]
tap_ok $? "not separated, it is the program's all the same ($is ns)"

# ---- what is refused ----

"$BIN/operf" -d "$S" -e off-cpu:1000 true 2>"$T/err"
tap_is $? 125 "a count is refused"
tap_has "$T/err" "every nanosecond is recorded" "and it says why"

# ---- the whole machine ----

if ! perf_system_works; then
	tap_note "the whole machine is refused to this user"
	tap_end
fi
"$BIN/oprofiled" --foreground "--session-dir=$S" --fresh --start -e cpu-clock -e off-cpu \
	--separate=lib,thread >"$T/log" 2>&1 &
daemon=$!
cleanup_pid $daemon
wait_for_control "$S" $daemon || tap_bail "the daemon does not start: $(cat "$T/log")"
"$T/program" $MS >"$T/own"
"$T/program" 60000 >/dev/null &
blocked=$!
cleanup_pid $blocked
before=$(session_counter "$S" stored)
sleep 1
"$BIN/opcontrol" "--session-dir=$S" --dump || tap_bail "no dump"
check_threads "$T/own" "the whole machine"
blocked_ns=0
for task in "/proc/$blocked/task/"*; do
	files=$(off_files "${task##*/}")
	# shellcheck disable=SC2086
	[ -z "$files" ] || blocked_ns=$((blocked_ns + $(weight $files)))
done
[ "$blocked_ns" -gt 1000000000 ] || [ "$lost_records" -gt 0 ]
tap_ok $? "what still waits is told as far as it has waited ($blocked_ns ns, of $before samples before)"
idle=$(find "$S/samples/current" -name 'off-cpu.*.0.0.all*' | grep -c .)
tap_is "$idle" 0 "the idle task is not off"
"$BIN/opcontrol" "--session-dir=$S" --stop
"$BIN/opcontrol" "--session-dir=$S" --dump
stopped_ns=$(session_counter "$S" weight_stored)
sleep 1
"$BIN/opcontrol" "--session-dir=$S" --dump
tap_is "$(session_counter "$S" weight_stored)" "$stopped_ns" "stopped, no time is told"
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
# A ring overflows if the daemon gets no CPU for long. The time of a waiting thread is then stored up to
# the overflow, and the rest is counted as lost.
lost=$(session_counter "$S" switches_lost)
[ "$lost" = 0 ] || [ "$(session_counter "$S" lost_kernel_ring)" -gt 0 ]
tap_ok $? "no switch was lost, or what it cost is counted ($lost lost)"
[ "$lost_records" = 0 ] || tap_note "$lost_records records of switches and tasks were lost"
kill -TERM $daemon
wait $daemon
check_conservation "$S"
tap_ok $? "and when the daemon has ended"
tap_end
