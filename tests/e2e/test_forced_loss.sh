#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A ring of two pages and a daemon that is stopped for a while: samples must be
# lost, and every one of them must be accounted for and told.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "perf_event_open is refused here"

"$BIN/oprofiled" --session-dir="$T/session" --foreground --system --separate=lib \
	--event=cpu-clock --frequency=4999 --sample-pages=2 --start 2>"$T/log" &
daemon=$!
cleanup_pid $daemon
wait_for_control "$T/session" "$daemon"
tap_ok $? "the daemon takes a ring of two pages"

sh -c 'while :; do :; done' &
cleanup_pid $!
sleep 0.3
kill -STOP "$daemon"
sleep 2
kill -CONT "$daemon"
"$BIN/opcontrol" --session-dir="$T/session" --dump
tap_ok $? "it goes on after having been stopped"
kill "$daemon"
wait "$daemon"
tap_ok $? "and ends cleanly"

"$BIN/opreport" -n --session-dir="$T/session" >"$T/flat" 2>"$T/coverage"
"$BIN/opreport" -l -n --session-dir="$T/session" >"$T/symbols" 2>"$T/coverage.symbols"
lost=$(session_counter "$T/session" lost_kernel_ring)
[ "${lost:-0}" -gt 1000 ]
tap_ok $? "thousands of samples found the ring full (the kernel says $lost)"
check_conservation "$T/session"
tap_ok $? "seen = stored + idle + lost"
tap_is "$(sum_flat "$T/flat")" "$(session_counter "$T/session" stored)" \
	"opreport sums to what the daemon stored"
tap_is "$(sum_symbols "$T/symbols")" "$(session_counter "$T/session" stored)" \
	"opreport -l sums to the same"
grep -q "lost.*$lost" "$T/coverage" || grep -q "$lost.*lost" "$T/coverage"
tap_ok $? "the report tells the loss and its number"
grep -q "ring" "$T/coverage"
tap_ok $? "and its reason"
tap_end
