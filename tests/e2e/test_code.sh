#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code without files, by name: JavaScript, a jitdump, programs of the kernel's
# BPF machine; while they run, after they are gone, in several runs.
. "$(dirname "$0")/lib.sh"

perf_system_works || tap_skip_all "this machine's kernel gives no performance events"

$CC -O2 -o "$T/jitdump_program" "$E2E/jitdump_program.c" &&
	$CC -o "$T/bpf_load" "$E2E/bpf_load.c"
tap_ok $? "the test's programs build"
cp "$E2E/code_program.js" "$T/code.js"
chmod a+r "$T/code.js"
S="$T/s"
# node leaves a log beside it where it may.
cd "$T" || exit 1

# Of processes that were killed before their time, too.
forget_maps()
{
	for forget_pid in $map_pids; do
		rm -f "/tmp/perf-$forget_pid.map"
	done
	cleanup
}
map_pids=
trap forget_maps EXIT

report()
{
	"$BIN/oprof" report "--session-dir=$S" "$@" >"$T/report" 2>"$T/coverage" ||
		tap_show "$T/coverage"
}

# share PATTERN: percent of [jit]'s samples of these programs (others may run), in the last report -l -n.
# Where nothing else ran at all, the report has no column of images.
share()
{
	awk -v pattern="$1" '/image name/ { has_images = 1 }
		(/\[jit\]/ || !has_images) && /code\.js|jit_(first|second|moved)|node:/ { all += $1; if ($0 ~ pattern) these += $1 }
		END { printf "%d\n", all ? 100 * these / all + 0.5 : 0 }' "$T/report"
}

# near NUMBER EXPECTED SLACK
near()
{
	[ "$1" -ge $(($2 - $3)) ] && [ "$1" -le $(($2 + $3)) ]
}

if command -v node >/dev/null 2>&1 && node --perf-basic-prof -e 0 2>/dev/null; then
	# ---- one program, profiled by who started it ----
	"$BIN/oprof" run "--session-dir=$S" -- \
		sh -c 'echo $$; exec "$@"' sh node --perf-basic-prof "$T/code.js" 2000 >"$T/out" 2>&1
	tap_ok $? "a JavaScript program is profiled"
	map_pids="$map_pids $(sed -n 1p "$T/out")"
	report -l -n
	tap_show "$T/report" 8
	tap_has "$T/report" '^[0-9]+ .*\[jit\] .*node .*JS:.codeHot .*code\.js:6:' \
		"its functions are there by name, file and line, in [jit] of node"
	near "$(share 'JS:.codeHot')" 75 8
	tap_ok $? "the hot one with three quarters ($(share 'JS:.codeHot') %)"
	near "$(share 'JS:.codeWarm')" 25 8
	tap_ok $? "the other with one ($(share 'JS:.codeWarm') %)"
	tap_is "$(sum_symbols "$T/report")" "$(session_counter "$S" stored)" \
		"the report sums to what was stored"
	check_conservation "$S"
	tap_ok $? "seen = stored + idle + lost"
	first=$(session_counter "$S" stored)
	hot=$(awk '/codeHot/ { sum += $1 } END { print sum + 0 }' "$T/report")

	# ---- once more: another process, other addresses, the same names ----
	"$BIN/oprof" run -a "--session-dir=$S" -- \
		sh -c 'echo $$; exec "$@"' sh node --perf-basic-prof "$T/code.js" 2000 >"$T/out" 2>&1
	tap_ok $? "and again, added to it"
	map_pids="$map_pids $(sed -n 1p "$T/out")"
	# Nothing but the session is needed for a report.
	for pid in $map_pids; do
		rm -f "/tmp/perf-$pid.map"
	done
	report -l -n
	now=$(awk '/codeHot/ { sum += $1 } END { print sum + 0 }' "$T/report")
	[ "$now" -gt $((hot * 3 / 2)) ]
	tap_ok $? "both runs' samples are under the same names ($hot, then $now)"
	tap_is "$(sort "$S/samples/current/meta/names" | cut -d' ' -f2- | sort | uniq -d | wc -l)" 0 \
		"each name has one number"
	[ "$(session_counter "$S" stored)" -gt "$first" ]
	tap_ok $? "after the program has gone, and its map with it"
	tap_is "$(find "$S/samples/current" -type d -path '*node*' -name '?jit?' | wc -l)" 1 \
		"it is one image of the application"

	# ---- the whole machine, a program that runs already ----
	if [ "$(id -u)" -eq 0 ]; then
		S="$T/all"
		node --perf-basic-prof "$T/code.js" 4000 >/dev/null &
		before=$!
		sleep 0.5
		"$BIN/oprof" run -s "--session-dir=$S" >"$T/out" 2>&1 &
		operf=$!
		cleanup_pid $operf
		wait_for_control "$S" $operf
		node --perf-basic-prof "$T/code.js" 1500 >/dev/null &
		during=$!
		map_pids="$map_pids $before $during"
		wait $before
		wait $during
		"$BIN/opcontrol" "--session-dir=$S" --reset >/dev/null
		tap_ok $? "reset while it profiles the whole machine"
		# Not as root: names of another user's program. (V8 ends at once where a map that a
		# dead process of another user left lies in the way of its pid: then once more.)
		user=root
		as=
		if id nobody >/dev/null 2>&1 && chmod a+x "$T" &&
			setpriv --reuid=nobody --clear-groups node --version >/dev/null 2>&1; then
			user=nobody
			as="setpriv --reuid=nobody --clear-groups"
		fi
		for _ in 1 2 3; do
			# shellcheck disable=SC2086 # words
			$as node --perf-basic-prof "$T/code.js" 2500 >"$T/user" 2>&1 &
			during=$!
			map_pids="$map_pids $during"
			wait $during
			status=$?
			[ "$status" != 133 ] || continue # a trap
			break
		done
		[ "$status" = 0 ]
		tap_ok $? "a program of $user runs"
		"$BIN/opcontrol" "--session-dir=$S" --save=kept >/dev/null
		kill -INT $operf
		wait $operf
		report -l -n session:kept
		tap_show "$T/report" 6
		near "$(share 'JS:.codeHot')" 75 8
		tap_ok $? "its functions are in the session saved ($(share 'JS:.codeHot') %)"
		check_conservation "$S" kept
		tap_ok $? "seen = stored + idle + lost"
	fi

	# ---- a user without rights ----
	if [ "$(id -u)" -eq 0 ] && setpriv --reuid=nobody --clear-groups node --version \
		>/dev/null 2>&1; then
		mkdir "$T/bin" "$T/user.d"
		cp "$BIN/oprof" "$BIN/operf" "$BIN/oprofiled" "$BIN/opreport" "$T/bin/"
		cp -r "$OPROF_EVENTS_DIR" "$T/events"
		chmod -R a+rX "$T/bin" "$T/events"
		chown nobody "$T/user.d"
		if (cd "$T/user.d" && OPROF_EVENTS_DIR="$T/events" setpriv --reuid=nobody \
			--clear-groups --inh-caps=-all --bounding-set=-all "$T/bin/oprof" run -- \
			sh -c 'echo $$; exec "$@"' sh node --perf-basic-prof "$T/code.js" 2000 \
			>"$T/out" 2>&1); then
			map_pids="$map_pids $(sed -n 1p "$T/out")"
			S="$T/user.d/oprofile_data"
			report -l -n
			near "$(share 'JS:.codeHot')" 75 8
			tap_ok $? "a user without rights sees them too ($(share 'JS:.codeHot') %)"
		else
			tap_note "users may not profile here"
		fi
	fi
else
	tap_note "there is no Node.js: JavaScript is not tested"
fi

# ---- a jitdump ----
S="$T/jitdump"
(cd "$T" && "$BIN/oprof" run "--session-dir=$S" -- ./jitdump_program 400 >"$T/out" 2>&1)
tap_ok $? "a program with a jitdump is profiled"
report -l -n
tap_show "$T/report" 5
near "$(share jit_first)" 50 6
tap_ok $? "code has the name that it had at its time ($(share jit_first) %)"
near "$(share jit_second)" 25 6
tap_ok $? "not that of what was made at its place later ($(share jit_second) %)"
near "$(share jit_moved)" 25 6
tap_ok $? "and takes it along when it is moved ($(share jit_moved) %)"

# ---- hostile files: nothing but names is lost ----
S="$T/hostile"
(cd "$T" && "$BIN/oprof" run "--session-dir=$S" -- \
	sh -c 'mkfifo /tmp/perf-$$.map; echo $$; exec ./jitdump_program 200' >"$T/out" 2>&1)
tap_ok $? "a FIFO in place of a map holds nobody up"
rm -f "/tmp/perf-$(sed -n 1p "$T/out").map"
check_conservation "$S"
tap_ok $? "seen = stored + idle + lost"

if [ "$(id -u)" -eq 0 ] && $CC -o "$T/hanging_program" "$E2E/hanging_program.c" &&
	"$T/hanging_program" 0 >/dev/null 2>&1; then
	S="$T/hanging"
	"$BIN/oprofiled" "--session-dir=$S" --event=cpu-clock --frequency=997 --start 2>"$T/err" ||
		tap_bail "the daemon does not start: $(cat "$T/err")"
	daemon=$(cat "$S/lock")
	cleanup_pid "$daemon"
	"$T/hanging_program" 600 >/dev/null &
	hanging=$!
	cleanup_pid $hanging
	wait_left=600
	while timeout 60 "$BIN/opcontrol" "--session-dir=$S" --dump >/dev/null; do
		[ "$(session_counter "$S" code_remote)" -gt 0 ] && break
		[ $wait_left -gt 0 ] || break
		sleep 0.1
		wait_left=$((wait_left - 1))
	done
	timeout 60 "$BIN/opcontrol" "--session-dir=$S" --dump >/dev/null
	tap_ok $? "a file system that answers nothing in place of /tmp holds nobody up"
	kill -0 $hanging
	tap_ok $? "while it is there"
	[ "$(session_counter "$S" code_remote)" -gt 0 ]
	tap_ok $? "and it is told that it was not looked into"
	kill $hanging
	wait $hanging
	kill "$daemon"
else
	tap_note "no FUSE here: a file system that hangs is not tested"
fi

# ---- programs of the kernel ----
if [ "$(id -u)" -eq 0 ] && "$T/bpf_load" try 1 >"$T/out" 2>&1; then
	S="$T/bpf"
	"$T/bpf_load" early 600 >/dev/null &
	early=$!
	cleanup_pid $early
	sleep 0.5
	"$BIN/oprof" run -s "--session-dir=$S" >"$T/out" 2>&1 &
	operf=$!
	cleanup_pid $operf
	wait_for_control "$S" $operf
	"$T/bpf_load" late 2 >/dev/null
	tap_ok $? "BPF programs run"
	kill $early
	wait $early
	kill -INT $operf
	wait $operf
	report -l -n
	grep bpf_prog "$T/report" >"$T/programs"
	tap_show "$T/programs"
	tap_has "$T/programs" '^[0-9]{3,} .*\[bpf\] .*bpf_prog_[0-9a-f]{16}_late' \
		"one that was loaded meanwhile is there by its name, though it is gone"
	tap_has "$T/programs" '^[0-9]{2,} .*\[bpf\] .*bpf_prog_[0-9a-f]{16}_early' \
		"and one that was there before"
	tap_is "$(grep -rlE ' bpf_prog_[0-9a-f]{16}_' "$S/samples/current/meta/symbols" | wc -l)" 0 \
		"programs take no files of symbols"
	early=$(awk '/_early$/ { print $1 }' "$T/programs")
	late=$(awk '/_late$/ { print $1 }' "$T/programs")
	[ "$early" -gt $((late / 3)) ]
	tap_ok $? "one that is made close to another takes nothing from it ($early, $late)"
	check_conservation "$S"
	tap_ok $? "seen = stored + idle + lost"
else
	tap_note "BPF programs may not be loaded here: $(tail -n 1 "$T/out")"
fi
tap_end
