#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# operf and oprof run: a command, processes, the machine; what they exit with,
# what they keep when they are killed, who may use them, what a refusal says.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
$CC -O1 -g -o "$T/load" "$E2E/guest_load.c" || tap_bail "the workload does not build"
$CC -O1 -o "$T/refuse" "$E2E/refuse.c" || tap_bail "the filter does not build"
S="$T/session"

counter()
{
	session_counter "$S" "$1"
}

has_samples()
{
	[ "$("$BIN/opcontrol" "--session-dir=$S" --status 2>/dev/null |
		awk '$1 == "stored" { print $2 }')" -gt "${1:-0}" ] 2>/dev/null
}

# The folder's lock is free: no daemon writes to it.
is_free()
{
	flock -n "$1/lock" true
}

# ---- a command ----

"$BIN/operf" -d "$S" "$T/load" 1500 2>"$T/err"
tap_is $? 0 "a command is profiled"
tap_has "$T/err" "opreport --session-dir=$S" "and operf says how to see it"
"$BIN/opreport" "--session-dir=$S" -l -n >"$T/symbols" 2>"$T/coverage"
tap_has "$T/symbols" "guest_hot" "its hot function is in the report"
[ "$(counter stored)" -gt 300 ]
tap_ok $? "at 997 Hz: $(counter stored) samples of 1.5 s"
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"
others=$("$BIN/opreport" "--session-dir=$S" -n 2>/dev/null |
	awk '/^ *[0-9]+ +[0-9.]+ / && $3 !~ /^(load|vmlinux|.*\.ko|operf|.*\.so.*|\[vdso\])$/' | grep -c .)
tap_is "$others" 0 "nothing else was sampled"

before=$(counter stored)
"$BIN/operf" -a -d "$S" "$T/load" 300 2>/dev/null
tap_is $? 0 "append to a profile"
after=$(counter stored)
[ "$after" -gt "$before" ]
tap_ok $? "both are in it ($before, $after)"
"$BIN/operf" -d "$S" "$T/load" 300 2>/dev/null
[ "$(counter stored)" -lt "$before" ]
tap_ok $? "without -a it is replaced ($(counter stored))"

# ---- exit statuses ----

before=$(counter stored)
"$BIN/operf" -d "$S" /nonexistent/command 2>"$T/err"
tap_is $? 127 "127: no such command"
"$BIN/operf" -d "$S" "$T" 2>"$T/err2"
tap_is $? 126 "126: cannot be run"
tap_is "$(counter stored)" "$before" "the profile before them is kept"
"$BIN/operf" -d "$S" sh -c 'exit 42' 2>/dev/null
tap_is $? 42 "the command's own status"
ignoring_children "$BIN/operf" -d "$S" sh -c 'exit 42' 2>/dev/null
tap_is $? 42 "also of one that ignores SIGCHLD"
# shellcheck disable=SC2016 # for that shell
"$BIN/operf" -d "$S" sh -c 'kill -TERM $$' 2>/dev/null
tap_is $? 143 "128 and the signal that ended it"
"$BIN/operf" -d "$S" -e no-such-event true 2>"$T/err"
tap_is $? 125 "125: profiling failed"
tap_has "$T/err" 'no event "no-such-event"' "and why"
"$BIN/operf" -d "$S" -e cpu-clck true 2>"$T/err"
tap_has "$T/err" 'similar names: cpu-clock' "a misspelled event is told what it may have been"
echo input | "$BIN/operf" -d "$S" cat >"$T/out" 2>/dev/null
tap_is "$(cat "$T/out")" input "the command has the terminal's input and output"

# ---- signals ----

# shellcheck disable=SC2016
(in_group "$BIN/operf" -d "$S" sh -c 'trap "exit 9" INT; echo up; while :; do :; done') \
	>"$T/up" 2>/dev/null &
operf=$!
cleanup_pid $operf
until_true grep -q up "$T/up"
until_true has_samples
kill -INT "-$operf"
wait $operf
tap_is $? 9 "Ctrl-C is the command's business"
[ "$(counter stored)" -gt 0 ]
tap_ok $? "and the profile is whole"

"$BIN/operf" -d "$S" "$T/load" 600000 2>/dev/null &
operf=$!
until_true has_samples 20
load=$(pgrep -P $operf -x load)
kill -9 $operf
wait $operf 2>/dev/null
[ -z "$load" ] || kill "$load"
until_true is_free "$S"
tap_ok $? "killed, operf takes its daemon with it"
[ "$(counter stored)" -gt 20 ] && check_conservation "$S"
tap_ok $? "and loses nothing"

# ---- processes ----

"$T/load" 2000 &
load=$!
cleanup_pid $load
(cd "$T" && "$BIN/operf" -p $load 2>"$T/err")
tap_is $? 0 "a running process is profiled until it ends"
"$BIN/opreport" "--session-dir=$T/oprofile_data" -l -n >"$T/symbols" 2>/dev/null
tap_has "$T/symbols" "guest_hot" "its hot function is in the report"
"$T/load" 600000 &
load=$!
cleanup_pid $load
"$BIN/operf" -d "$S" -p $load 2>/dev/null &
operf=$!
cleanup_pid $operf
until_true has_samples
kill -INT $operf
wait $operf
tap_is $? 0 "or until Ctrl-C"

# Every option reaches the daemon, which tells it.
"$BIN/operf" -d "$S" -e cpu-clock -e page-faults:100::0:1 -F 499 -g -t -c --sample-pages=8 \
	--unwind=tables --stack-bytes=4096 \
	-p $load 2>/dev/null &
operf=$!
cleanup_pid $operf
until_true has_samples
"$BIN/opcontrol" "--session-dir=$S" --status >"$T/status"
tap_is "$(sed -n '/^target/p; /^event/,/^sample_pages/p' "$T/status")" "target processes
event cpu-clock::0x0:1:1
event page-faults:100:0x0:0:1
frequency 499
separation lib,thread,cpu
callgraph 127
unwind tables
stack_bytes 4096
sample_pages 8" "what was asked for is what is done"
"$BIN/opcontrol" "--session-dir=$S" --start >/dev/null
tap_is $? 0 "and no setup was kept to differ from it"
kill -TERM $operf
wait $operf
tap_is $? 0 "SIGTERM ends it cleanly"
"$BIN/operf" -d "$S" --callgraph=3 --separate=none -p $load 2>/dev/null &
operf=$!
cleanup_pid $operf
until_true has_samples
"$BIN/opcontrol" "--session-dir=$S" --status >"$T/status"
tap_is "$(sed -n '/^separation/,/^callgraph/p' "$T/status")" "separation none
callgraph 3" "separation none, and a depth"
kill -HUP $operf
wait $operf
tap_is $? 0 "so does SIGHUP"
kill -0 $load
tap_ok $? "which the process does not feel"
kill $load
"$BIN/operf" -d "$S" -p 2147483646 2>"$T/err"
tap_is $? 125 "a process that is not there is told"
tap_note "$(cat "$T/err")"

# ---- a refusal ----

"$T/refuse" "$BIN/operf" -d "$S" true 2>"$T/err"
tap_is $? 125 "where the kernel refuses, operf fails"
tap_is "$(grep -c . "$T/err")" 1 "with one message"
tap_has "$T/err" 'sysctl kernel.perf_event_paranoid=|--cap-add PERFMON' "that has the command that helps"
tap_show "$T/err"
"$T/refuse" "$BIN/oprof" doctor >"$T/doctor"
tap_is $? 1 "the doctor says that nothing works"
tap_has "$T/doctor" '^FAIL  own processes' "and what"
tap_has "$T/doctor" '-> .*(sysctl kernel.perf_event_paranoid=|--cap-add PERFMON)' "and the remedy"

# ---- oprof run, as anybody ----

if [ "$(id -u)" = 0 ]; then
	mkdir "$T/nobody"
	chown nobody "$T/nobody"
	chmod 755 "$T/load"
	as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
	if (cd "$T/nobody" && $as "$BIN/oprof" doctor) >"$T/doctor" 2>&1; then
		(cd "$T/nobody" && $as "$BIN/oprof" run -- "$T/load" 1000) 2>"$T/err"
		tap_is $? 0 "nobody profiles an own program"
		(cd "$T/nobody" && $as "$BIN/oprof" report -l -n) >"$T/symbols" 2>"$T/coverage"
		tap_has "$T/symbols" "guest_hot" "oprof report finds its hot function"
		if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ]; then
			(cd "$T/nobody" && $as "$BIN/operf" -e cpu-clock,page-faults:k true) 2>"$T/err"
			tap_is $? 125 "an event of the kernel alone is refused to nobody, also after another"
			tap_has "$T/err" "page-faults: .*kernel.perf_event_paranoid=1" \
				"with its name and the remedy"
		else
			tap_note "anybody may sample the kernel here"
		fi
		(cd "$T/nobody" && $as "$T/refuse" "$BIN/operf" true) 2>"$T/err"
		tap_is $? 125 "a user whom the kernel refuses"
		tap_has "$T/err" 'sudo sysctl kernel.perf_event_paranoid=|--cap-add PERFMON' \
			"is told what helps"
		(cd "$T/nobody" && $as "$BIN/operf" -s) 2>"$T/err"
		tap_is $? 125 "nobody may not profile the machine"
		tap_has "$T/err" "sudo sysctl kernel.perf_event_paranoid=" "and is told the remedy"
		(cd "$T/nobody" && $as "$BIN/operf" -p $$) 2>"$T/err"
		tap_is $? 125 "nor others' processes"
		(cd "$T/nobody" && $as "$BIN/operf" -d "$S" true) 2>"$T/err"
		tap_is $? 125 "nor write to others' folders"
		tap_has "$T/err" "choose another folder with -d" "and are told what to do"
		(cd / && $as "$BIN/operf" true) 2>"$T/err"
		tap_has "$T/err" "choose another folder with -d" "as where no folder can be made"
	else
		tap_show "$T/doctor"
		tap_note "nobody is refused performance events here"
	fi

	"$BIN/operf" -s -F 499 -d "$S" 2>"$T/err" &
	operf=$!
	cleanup_pid $operf
	until_true has_samples 100
	kill -INT $operf
	wait $operf
	tap_is $? 0 "root profiles the whole machine until Ctrl-C"
	check_conservation "$S"
	tap_ok $? "seen = stored + idle + lost"

	cp "$T/load" "$T/neighbour"
	"$T/neighbour" 60000 &
	neighbour=$!
	cleanup_pid $neighbour
	(mkdir "$T/timed" && cd "$T/timed" && "$BIN/oprof" run -s -d 1) 2>"$T/err"
	tap_is $? 0 "or for so many seconds"
	tap_has "$T/err" "profiling the whole machine for 1 s" "which it says"
	tap_has "$T/err" "see it with: oprof report$" "oprof run ends with oprof's own command"
	(cd "$T/timed" && "$BIN/oprof" report -n) >"$T/out" 2>"$T/coverage"
	tap_has "$T/out" "neighbour" "the running process is in the profile"
	"$BIN/operf" -p $neighbour -d 1 --session-dir="$S" 2>"$T/err"
	tap_is $? 0 "a process for so many seconds"
	kill -0 $neighbour
	tap_ok $? "it goes on running"
	"$BIN/operf" -s --session-dir="$S" sh -c "$T/load 1000; exit 7" 2>"$T/err"
	tap_is $? 7 "the whole machine while a command runs: the command's status"
	"$BIN/opreport" "--session-dir=$S" -n >"$T/out" 2>"$T/coverage"
	tap_has "$T/out" "neighbour" "with the other process"
	tap_has "$T/out" " load$" "and the command"
	kill $neighbour
	(mkdir "$T/alarmed" && cd "$T/alarmed" && exec perl -e 'alarm 1; exec @ARGV' "$BIN/operf" -s) 2>"$T/err"
	tap_is $? 0 "an alarm that the caller has set ends the profile"
	(cd "$T/alarmed" && exec perl -MPOSIX -e 'sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGALRM)); exec @ARGV' \
		timeout -s KILL 60 "$BIN/operf" -s -d 1) 2>"$T/err"
	tap_is $? 0 "and so does -d where the caller has blocked its signal"

	for mode in u k; do
		"$BIN/operf" -e cpu-clock:500000:$mode -d "$S" sh -c "$T/load 500; cat /proc/*/maps >/dev/null 2>&1; true" 2>"$T/err"
		tap_is $? 0 "operf -e cpu-clock:500000:$mode"
		[ "$(counter stored)" -gt 0 ]
		tap_ok $? "has samples ($(counter stored))"
		"$BIN/opreport" "--session-dir=$S" -l -n >"$T/$mode" 2>"$T/coverage"
		"$BIN/opreport" "--session-dir=$S" -n >"$T/$mode.images" 2>"$T/coverage"
	done
	tap_has "$T/u" guest_hot "u: of the program"
	! grep -q vmlinux "$T/u.images"
	tap_ok $? "and not of the kernel"
	tap_has "$T/k.images" vmlinux "k: of the kernel"
	! grep -q guest_hot "$T/k"
	tap_ok $? "and not of the program"
fi
# ---- before and after a change ----

mkdir "$T/own"
(cd "$T/own" && "$BIN/oprof" run -e cpu-clock:1000000 "$T/load" 300) >"$T/out" 2>"$T/err"
(cd "$T/own" && "$BIN/oprof" save before) >"$T/out" 2>"$T/err"
tap_is $? 0 "oprof save keeps what oprof run wrote here"
(cd "$T/own" && "$BIN/oprof" run -e cpu-clock:1000000 "$T/load" 300) >"$T/out" 2>"$T/err"
[ -d "$T/own/oprofile_data/samples/before" ]
tap_ok $? "and the next run leaves it alone"
(cd "$T/own" && "$BIN/oprof" diff -l session:before session:current) >"$T/out" 2>"$T/err"
tap_is $? 0 "the two are compared"
tap_has "$T/out" 'diff %' "side by side"
"$BIN/opreport" -l '{' archive:"$T/own" '}' '{' session:before '}' >"$T/out" 2>"$T/err"
tap_is $? 1 "a folder that is no archive is an error"
! grep -q '(null)' "$T/err"
tap_ok $? "that names no folder that is not there"

tap_end
