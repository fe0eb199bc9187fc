#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How operf COMMAND and operf -s COMMAND end: with the command, by signals, after their daemon.
# Nothing is left behind, and the samples are kept.
. "$(dirname "$0")/lib.sh"

perf_system_works || tap_skip_all "performance events are refused to this user"
S="$T/session"

# ended PID: the process has ended; it may still wait to be reaped
ended()
{
	[ ! -e "/proc/$1/exe" ]
}

# The folder's lock is free: no daemon writes to it.
is_free()
{
	flock -n "$S/lock" true
}

# ---- operf ends while its daemon starts ----

# A daemon that first waits for $T/go, as one does that the machine is too busy for.
mkdir "$T/bin"
cp "$BIN/operf" "$T/bin/operf"
cat >"$T/bin/oprofiled" <<END
#!/bin/sh
echo \$\$ >"$T/pid.part"
mv "$T/pid.part" "$T/pid"
until [ -e "$T/go" ]; do sleep 0.05; done
exec "$BIN/oprofiled" "\$@"
END
chmod 755 "$T/bin/oprofiled"

# slow_operf OPTIONS...: until its daemon's process is there, $daemon; operf is process $operf
slow_operf()
{
	rm -f "$T/pid" "$T/go"
	(in_group "$T/bin/operf" --session-dir="$S" "$@") 2>"$T/err" &
	operf=$!
	cleanup_pid $operf
	until_true [ -s "$T/pid" ]
	daemon=$(cat "$T/pid")
	cleanup_pid "$daemon"
}

slow_operf -s true
kill -9 $operf
wait $operf 2>/dev/null
: >"$T/go"
until_true ended "$daemon"
tap_ok $? "a daemon whose operf was killed before it started ends as well"

# ends_early STATUS HOW: the slow operf was sent a signal
ends_early()
{
	: >"$T/go"
	wait $operf
	tap_is $? "$1" "$2 while the daemon starts: the status tells the signal" || tap_show "$T/err"
	ended "$daemon"
	tap_ok $? "the daemon has ended before operf"
	[ ! -e "$T/ran" ]
	tap_ok $? "and the command did not run"
	! grep -q "cannot\|error\|see it with" "$T/err"
	tap_ok $? "which is no error, nor a profile to see" || tap_show "$T/err"
}

for system in "" -s; do
	# shellcheck disable=SC2086 # no word, if empty
	slow_operf $system sh -c ": >'$T/ran'"
	kill -INT "-$operf"
	ends_early 130 "operf${system:+ $system}: Ctrl-C"
	# shellcheck disable=SC2086
	slow_operf $system sh -c ": >'$T/ran'"
	kill -TERM $operf
	ends_early 143 "operf${system:+ $system}: SIGTERM"
done

# ---- a command that runs ----

cat >"$T/command" <<END
#!/bin/sh
trap 'exit 9' INT
trap 'exit 8' TERM
echo \$\$ >"$T/pid"
until [ -e "$T/stop" ] || [ ! -e "\$0" ]; do :; done
exit 0
END
chmod 755 "$T/command"

has_samples()
{
	[ "$("$BIN/opcontrol" "--session-dir=$S" --status 2>/dev/null |
		awk '$1 == "stored" { print $2 }')" -gt 0 ] 2>/dev/null
}

# begin OPTIONS...: until the command has samples; operf is $operf, the others $command and $daemon
begin()
{
	rm -f "$T/pid" "$T/stop"
	(in_group "$BIN/operf" --session-dir="$S" "$@" "$T/command") 2>"$T/err" &
	operf=$!
	cleanup_pid $operf
	until_true [ -s "$T/pid" ]
	until_true has_samples
	command=$(cat "$T/pid")
	cleanup_pid "$command"
	daemon=$(cat "$S/lock")
	cleanup_pid "$daemon"
}

# is_over STATUS HOW: operf has ended
is_over()
{
	wait $operf
	tap_is $? "$1" "$2: the command's status" || tap_show "$T/err"
	ended "$command" && ended "$daemon" && is_free
	tap_ok $? "neither the command nor the daemon is left"
	check_conservation "$S"
	tap_ok $? "and the samples are kept"
}

for system in "" -s; do
	# shellcheck disable=SC2086
	begin $system
	kill -INT "-$operf"
	is_over 9 "operf${system:+ $system}: Ctrl-C"
	# shellcheck disable=SC2086
	begin $system
	kill -TERM $operf
	is_over 8 "operf${system:+ $system}: SIGTERM"
	# shellcheck disable=SC2086
	begin $system
	kill -9 $operf
	wait $operf 2>/dev/null
	until_true ended "$daemon"
	tap_ok $? "operf${system:+ $system}: killed, operf takes its daemon with it"
	! ended "$command"
	tap_ok $? "the command runs on"
	kill "$command"
	until_true is_free && check_conservation "$S"
	tap_ok $? "and the samples are kept"
done

# ---- its daemon ends before ----

has_report()
{
	grep -q "continues without being profiled" "$T/err"
}

for system in "" -s; do
	# shellcheck disable=SC2086
	begin $system
	kill -9 "$daemon"
	until_true has_report
	tap_ok $? "operf${system:+ $system}: a daemon that is killed is reported"
	! ended "$command" && ! ended "$operf"
	tap_ok $? "at once, and the command runs on"
	: >"$T/stop"
	wait $operf
	tap_is $? 125 "an incomplete profile is a failure"
	ended "$command" && until_true is_free
	tap_ok $? "nothing is left"
	tap_is "$(cat "$T/err")" "operf: error: $T/command continues without being profiled: the daemon was killed by signal 9 (Killed); see $S/oprofiled.log" \
		"the report is one line"
	[ "$(session_counter "$S" stored)" -gt 0 ]
	tap_ok $? "and the samples are kept"

	# shellcheck disable=SC2086
	begin $system
	"$BIN/opcontrol" "--session-dir=$S" --shutdown >"$T/out"
	until_true ended "$daemon"
	kill -TERM $operf
	is_over 8 "operf${system:+ $system}: opcontrol --shutdown ends the profile before the command"
	tap_has "$T/err" "the profile is in $S" "which is no error"
done

tap_end
