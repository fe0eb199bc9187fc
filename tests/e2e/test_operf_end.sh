#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How operf -s COMMAND ends: with its command, by signals, after its daemon. Nothing is left behind,
# and the samples are kept.
. "$(dirname "$0")/lib.sh"

perf_system_works || tap_skip_all "performance events are refused to this user"
S="$T/session"

# ended PID: the process has ended; it may still wait to be reaped
ended()
{
	[ ! -e "/proc/$1/exe" ]
}

# ---- operf is killed while its daemon starts ----

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
	"$T/bin/operf" --session-dir="$S" "$@" 2>"$T/err" &
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

tap_end
