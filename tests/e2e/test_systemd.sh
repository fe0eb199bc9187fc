#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The unit under a systemd of its own, in a guest with Debian's kernel.
# Minutes under emulation: only with OPROF_CHECK_ALL.
. "$(dirname "$0")/lib.sh"

[ -n "${OPROF_CHECK_ALL:-}" ] || tap_skip_all "boots a guest: scripts/check --all"
systemd=/lib/systemd/systemd
if [ ! -x $systemd ] || ! command -v systemctl >/dev/null; then
	tap_skip_all "there is no systemd here"
fi
$CC -O1 -g -o "$T/guest_load" "$E2E/guest_load.c" || tap_bail "guest_load does not build"
mkdir "$T/unit"
# The watchdog: a minute is long where seconds are minutes.
sed 's,@bindir@,/bin,g; s,^WatchdogSec=.*,WatchdogSec=15,' \
	"$E2E/../../control/oprof.service.in" >"$T/unit/oprof.service"
sed 's,@bindir@,/bin,g' "$E2E/../../control/oprof-module.service.in" >"$T/unit/oprof-module.service"
# The module, where oprof-module would have left it.
"$E2E/../../scripts/kmod-tree" "$T/tree"
"$E2E/../../scripts/guest-module" x86-6.1 "$T/tree" "$T/module" >"$T/err" 2>&1
status=$?
[ $status -eq 77 ] && tap_skip_all "$(tail -n 1 "$T/err")"
[ $status -eq 0 ] || {
	tap_show "$T/err"
	tap_bail "the module does not build"
}
kept=/var/lib/oprofile/module/$(cat "$("$E2E/../../scripts/guest-kernel" x86-6.1)/release")
"$E2E/../../scripts/guest" -t 900 -a "$T/module/oprof.ko=$kept/oprof.ko" -a "$BIN/oprof-module" -a "$T/guest_load" -a "$BIN/oprof" -a "$BIN/opcontrol" \
	-a "$BIN/oprofiled" -a "$BIN/opreport" -a "$BIN/opcheck" -a $systemd \
	-a "$(command -v systemctl)" -a "$(command -v unshare)" -a "$T/unit=/unit" \
	-a "$OPROF_EVENTS_DIR=/events" "$E2E/guest_systemd.sh" >"$T/out" 2>"$T/err"
status=$?
[ $status -eq 77 ] && tap_skip_all "$(cat "$T/err")"
cat "$T/out"
sed 's/^/# /' "$T/err"
[ $status -eq 0 ] || tap_bail "the guest ended with $status"
[ "$(grep -c '^not ok' "$T/out")" -eq 0 ]
