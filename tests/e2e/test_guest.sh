#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest with Debian's own kernel: it refuses perf_event_open to users
# (perf_event_paranoid 3) until they follow what oprof says; and CPUs come and
# go. Minutes under emulation: only with OPROF_CHECK_ALL.
. "$(dirname "$0")/lib.sh"

[ -n "${OPROF_CHECK_ALL:-}" ] || tap_skip_all "boots a guest: scripts/check --all"
$CC -O1 -o "$T/guest_load" "$E2E/guest_load.c" || tap_bail "guest_load does not build"
"$E2E/../../scripts/guest" -t 600 -a "$T/guest_load" -a "$BIN/oprof" -a "$BIN/operf" \
	-a "$BIN/opcontrol" -a "$BIN/oprofiled" -a "$BIN/opreport" \
	-a "$OPROF_EVENTS_DIR=/events" "$E2E/guest_users.sh" >"$T/out" 2>"$T/err"
status=$?
[ $status -eq 77 ] && tap_skip_all "$(cat "$T/err")"
cat "$T/out"
sed 's/^/# /' "$T/err"
[ $status -eq 0 ] || tap_bail "the guest ended with $status"
[ "$(grep -c '^not ok' "$T/out")" -eq 0 ]
