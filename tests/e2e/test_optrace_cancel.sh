#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# SIGTERM before the tracer is ready: it leaves no trace, and the previous trace stays in its place.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: traces the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
"$BIN/optrace" list-events >"$T/events" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
$CC -O1 -fPIC -shared -o "$T/term.so" "$E2E/term_at_mkdir.c" || tap_bail "the library does not build"
cd "$T" || exit 1
trace=$T/oprofile_trace

# The earlier trace is known by this file.
"$BIN/optrace" record -e sched_switch true 2>"$T/err"
tap_is $? 0 "a trace is recorded" || tap_show "$T/err"
[ -d "$trace" ] || tap_bail "the trace is not in $trace"
: >"$trace/earlier"

# check_place WHEN [MESSAGE]: after the tracer with its output in tracer.err has ended
check_place()
{
	tap_has tracer.err "${2:-a signal ended the tracer before tracing began}" "$1: the tracer reports why"
	[ -e "$trace/earlier" ]
	tap_ok $? "$1: the earlier trace is in its place"
	[ ! -e "$trace.old" ]
	tap_ok $? "$1: and nothing else is there"
}

tracer()
{
	"$@" "$BIN/oprof-tracer" --keep-old -e sched_switch -o "$trace" 2>tracer.err
}

# SIGNAL is blocked, and pending when the tracer begins.
pending()
{
	perl -MPOSIX -e '$number = eval "POSIX::SIG" . shift;
		sigprocmask(SIG_BLOCK, POSIX::SigSet->new($number)); kill $number => $$;
		exec @ARGV or exit 99' "$@"
}
for name in TERM INT HUP; do
	tracer pending $name
	tap_is $? 1 "a tracer that SIG$name reached before it made its folder fails"
	check_place "SIG$name before the folder is made"
done

# The trace before the earlier one is in trace.old when the tracer begins.
for chunks in "" "--rotate=1M"; do
	cp -r "$trace" "$trace.old"
	# shellcheck disable=SC2086 # no word, or one
	LD_PRELOAD="$T/term.so" TERM_AT_MKDIR="$trace" "$BIN/oprof-tracer" --keep-old $chunks \
		-e sched_switch -o "$trace" 2>tracer.err
	tap_is $? 1 "a tracer that SIGTERM reached after that fails, $chunks"
	check_place "after the folder is made, $chunks"
done

LD_PRELOAD="$T/term.so" TERM_AT_MKDIR="$trace" FULL_AT_MKDIR=1 "$BIN/oprof-tracer" --keep-old \
	-e sched_switch -o "$trace" 2>tracer.err
tap_is $? 1 "a tracer that cannot make its folder fails"
check_place "when the folder cannot be made" "cannot be created: No space left on device"

# A flight recorder makes its folder at the end.
LD_PRELOAD="$T/term.so" TERM_AT_MKDIR="$trace" FULL_AT_MKDIR=1 "$BIN/oprof-tracer" --keep-old \
	--overwrite -d 1 -e sched_switch -o "$trace" 2>tracer.err
tap_is $? 1 "a flight recorder that cannot make its folder fails"
check_place "when a flight recorder's folder cannot be made" "cannot be created: No space left on device"

for chunks in "" "--rotate=1M"; do
	mkdir -m 711 mine
	# shellcheck disable=SC2086 # no word, or one
	LD_PRELOAD="$T/term.so" TERM_AT_MKDIR="$T/mine" "$BIN/oprof-tracer" $chunks -e sched_switch -o mine 2>tracer.err
	tap_is $? 1 "SIGTERM for a tracer whose folder was there, $chunks"
	tap_is "$(stat -c %a mine) $(ls -A mine)" "711 " "the folder is as it was, $chunks"
	rmdir mine
done

tap_end
