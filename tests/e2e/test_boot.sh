#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# oprof start --boot and stop --boot, with a systemctl of the test's own, in a
# mount namespace with a /var/lib/oprofile of its own; the unit file as
# systemd itself judges it.
if [ -z "${OPROF_BOOT_TEST:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	OPROF_BOOT_TEST=1 exec unshare -m "$0"
fi
. "$(dirname "$0")/lib.sh"

[ -n "${OPROF_BOOT_TEST:-}" ] || tap_skip_all "needs root and mount namespaces"
perf_system_works || tap_skip_all "performance events are refused here"
if ! mount -t tmpfs -o mode=755 run /run || ! own_state_folder; then
	tap_skip_all "cannot mount here"
fi
trap 'leave_state_folder; umount /run; cleanup' EXIT

# ---- without systemd ----

"$BIN/oprof" start --boot >"$T/out" 2>"$T/err"
tap_is $? 1 "without systemd --boot is refused"
tap_has "$T/err" 'this machine does not run systemd.*oprof start' "and what to do instead is told"
"$BIN/oprof" stop --boot >"$T/out" 2>"$T/err"
tap_is $? 1 "and stop --boot"
mkdir -p /run/systemd/system
"$BIN/oprof" start --boot "--session-dir=$T/other" >"$T/out" 2>"$T/err"
tap_is $? 1 "another session folder is not the unit's"
PATH_KEPT=$PATH
mkdir "$T/bin"
PATH="$T/bin"
"$BIN/oprof" start --boot >"$T/out" 2>"$T/err"
status=$?
PATH=$PATH_KEPT
tap_is $status 1 "without systemctl it fails"
tap_has "$T/err" 'cannot find systemctl' "and says so"

# ---- with one of our own ----

FAKE_SYSTEMD=$T/systemd
export FAKE_SYSTEMD
mkdir "$FAKE_SYSTEMD"
cp "$E2E/fake_systemctl" "$T/bin/systemctl"
PATH="$T/bin:$PATH"
unit=$FAKE_SYSTEMD/oprof.service

fake_pid()
{
	cat "$FAKE_SYSTEMD/pid"
}

value()
{
	"$BIN/opcontrol" --status 2>/dev/null | awk -v key="$1" '$1 == key { print $2; exit }'
}

"$BIN/oprof" start --boot >"$T/out" 2>"$T/err"
tap_is $? 1 "a unit that is not installed is an error"
tap_has "$T/err" 'the unit is installed' "and is told"
sed "s,@bindir@,$BIN,g" "$E2E/../../control/oprof.service.in" >"$unit"
"$BIN/oprof" start >"$T/out" 2>"$T/err"
tap_is $? 0 "a daemon beside the unit"
alone=$(value pid)
cleanup_pid "$alone"
"$BIN/oprof" start --boot --frequency=199 >"$T/out" 2>"$T/err"
tap_is $? 0 "start --boot"
cleanup_pid "$(fake_pid)"
cleanup_pid "$(cat "$FAKE_SYSTEMD/listener")"
tap_has "$T/out" 'running, now and after every boot' "says so"
[ -e "$FAKE_SYSTEMD/enabled" ]
tap_ok $? "the unit is enabled"
! grep -qs '^State:.[^ZX]' "/proc/$alone/status"
tap_ok $? "the daemon beside it was ended"
tap_is "$(value pid)" "$(fake_pid)" "the unit's process is the daemon"
tap_is "$(value frequency) $(value separation)" "199 lib" "with the settings given and the defaults"
tap_has /var/lib/oprofile/setup '^frequency=199$' "which are kept for every boot"
tap_has "$FAKE_SYSTEMD/told" '^READY=1$' "it told that it is ready"
tap_has "$FAKE_SYSTEMD/told" '^STATUS=sampling' "and how it goes"
"$BIN/oprof" start >"$T/out" 2>"$T/err"
tap_is $? 0 "oprof start finds it running"
tap_has "$T/out" 'running already' "and says so"
tap_is "$(value pid)" "$(fake_pid)" "it is the same"
daemon=$(fake_pid)
"$BIN/oprof" start --boot >"$T/out" 2>"$T/err"
tap_is "$? $(fake_pid)" "0 $daemon" "start --boot once more changes nothing"
"$BIN/oprof" start --boot --frequency=99 >"$T/out" 2>"$T/err"
tap_is $? 0 "start --boot with another frequency"
cleanup_pid "$(fake_pid)"
tap_is "$(value frequency)" 99 "starts it anew with that"
"$BIN/oprof" start --foreground >"$T/out" 2>"$T/err"
tap_is $? 1 "a second daemon in the foreground is refused"
wait_left=1200
while ! grep -q WATCHDOG=1 "$FAKE_SYSTEMD/told" && [ $wait_left -gt 0 ]; do
	sleep 0.05
	wait_left=$((wait_left - 1))
done
tap_has "$FAKE_SYSTEMD/told" '^WATCHDOG=1$' "the watchdog hears that it lives"
daemon=$(fake_pid)
"$BIN/oprof" status >"$T/out"
tap_is $? 0 "oprof status: healthy"
tap_has "$T/out" 'All is well' "in so many words"
"$BIN/oprof" stop --boot >"$T/out" 2>"$T/err"
tap_is $? 0 "stop --boot"
[ ! -e "$FAKE_SYSTEMD/enabled" ]
tap_ok $? "the unit is not enabled any more"
! kill -0 "$daemon" 2>/dev/null || grep -q '^State:.*Z' "/proc/$daemon/status"
tap_ok $? "and its daemon has ended"
"$BIN/oprof" status >"$T/out"
tap_is $? 3 "oprof status: not running"
check_conservation /var/lib/oprofile
tap_ok $? "seen = stored + idle + lost"

# ---- the unit file ----

if command -v systemd-analyze >/dev/null; then
	SYSTEMD_LOG_LEVEL=notice systemd-analyze verify --man=no "$unit" >"$T/verify" 2>&1
	status=$?
	grep -q 'Unknown key\|Failed to parse\|not executable' "$T/verify" && status=1
	tap_is $status 0 "systemd-analyze verify finds nothing wrong"
	[ $status = 0 ] || tap_show "$T/verify"
	if systemd-analyze security --help 2>/dev/null | grep -q -- --offline; then
		systemd-analyze security --offline=yes --threshold=40 "$unit" >"$T/security" 2>&1
		tap_is $? 0 "systemd-analyze security: exposed by at most 4 of 10"
		tap_note "$(tail -n 1 "$T/security" | tr -cd ' -~')"
	else
		tap_ok 0 "systemd-analyze security # SKIP this systemd-analyze needs a running systemd"
	fi
else
	tap_ok 0 "systemd-analyze verify # SKIP there is no systemd-analyze"
fi
tap_end
