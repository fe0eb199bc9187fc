#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opcontrol --save and --dump when the disk fails: the answer tells what was done and what failed.
. "$(dirname "$0")/lib.sh"

perf_system_works || tap_skip_all "performance events are refused to this user"
$CC -O1 -fPIC -shared -o "$T/sync_fails.so" "$E2E/sync_fails.c" || tap_bail "the library does not build"
S="$T/session"

LD_PRELOAD="$T/sync_fails.so" SYNC_FAILS="$T/fail" "$BIN/oprofiled" "--session-dir=$S" --start \
	--event=cpu-clock "--log-file=$T/log" 2>"$T/err"
tap_is $? 0 "a daemon starts" || tap_show "$T/err"
cleanup_pid "$(cat "$S/lock")"
has_seen()
{
	[ "$("$BIN/opcontrol" "--session-dir=$S" --status | awk '$1 == "seen" { print $2 }')" -gt 0 ]
}
until_true has_seen
tap_ok $? "and sees a sample, which the session below is to keep"

: >"$T/fail"
"$BIN/opcontrol" "--session-dir=$S" --dump 2>"$T/err"
tap_is $? 1 "a dump that does not reach the disk fails"
tap_has "$T/err" "not all samples are written to disk yet: Input/output error" "with the reason"
! grep -q saved "$T/err"
tap_ok $? "and speaks of no save"
"$BIN/opcontrol" "--session-dir=$S" --save=kept >"$T/out" 2>"$T/err"
tap_is $? 1 "so does a save"
tap_has "$T/err" "the session was saved, but not all samples are written to disk yet: Input/output error" \
	"which reports that the session was saved, and what failed"
[ -d "$S/samples/kept" ]
tap_ok $? "the saved session exists"
check_conservation "$S" kept
tap_ok $? "and is whole"
rm "$T/fail"
"$BIN/opcontrol" "--session-dir=$S" --save=next >"$T/out" 2>"$T/err"
tap_is $? 0 "a later save is clean"
"$BIN/opcontrol" "--session-dir=$S" --shutdown >"$T/out" 2>"$T/err"
tap_is $? 0 "and the daemon ends"
tap_end
