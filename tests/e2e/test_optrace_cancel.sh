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

# check_place WHEN: after the tracer with its output in tracer.err has ended
check_place()
{
	tap_has tracer.err "a signal ended the tracer before tracing began" "$1: the tracer reports the signal"
	[ -e "$trace/earlier" ]
	tap_ok $? "$1: the earlier trace is in its place"
	[ ! -e "$trace.old" ]
	tap_ok $? "$1: and nothing else is there"
}

tracer()
{
	"$@" "$BIN/oprof-tracer" --keep-old -e sched_switch -o "$trace" 2>tracer.err
}

# The signal is blocked, and waits already when the tracer begins.
waiting()
{
	perl -MPOSIX -e 'sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGTERM)); kill TERM => $$;
		exec @ARGV or exit 99' "$@"
}
tracer waiting
tap_is $? 1 "a tracer that SIGTERM reached before it made its folder fails"
check_place "before the folder is made"

for chunks in "" "--rotate=1M"; do
	# shellcheck disable=SC2086 # no word, or one
	LD_PRELOAD="$T/term.so" TERM_AT_MKDIR="$trace" "$BIN/oprof-tracer" --keep-old $chunks \
		-e sched_switch -o "$trace" 2>tracer.err
	tap_is $? 1 "a tracer that SIGTERM reached after that fails, $chunks"
	check_place "after the folder is made, $chunks"
done

tap_end
