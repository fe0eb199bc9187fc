#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Ctrl-C and SIGTERM end operf and optrace record while their daemon starts, even if the daemon
# never gets ready and ignores SIGTERM. If the daemon gets ready just then, its profile or trace is
# kept. The stand-in daemon needs no performance events.
. "$(dirname "$0")/lib.sh"

mkdir "$T/bin"
cp "$BIN/operf" "$BIN/optrace" "$T/bin"
# Reports that it is ready when the file "ready" exists, or when SIGTERM comes and the file
# "ready_at_term" exists; then it ends at SIGTERM.
cat >"$T/bin/oprofiled" <<END
#!/bin/sh
for argument; do
	case \$argument in --ready-fd=*) fd=\${argument#*=} ;; esac
done
is_ready=
get_ready()
{
	is_ready=yes
	echo ok >"/proc/self/fd/\$fd"
}
end()
{
	: >"$T/term"
	[ "\$is_ready" ] || [ ! -e "$T/ready_at_term" ] || get_ready
	[ ! "\$is_ready" ] || exit 0
}
trap end TERM
echo \$\$ >"$T/pid.part"
mv "$T/pid.part" "$T/pid"
while [ -e "$T/pid" ]; do
	[ "\$is_ready" ] || [ ! -e "$T/ready" ] || get_ready
	sleep 0.05
done
END
chmod 755 "$T/bin/oprofiled"
cp "$T/bin/oprofiled" "$T/bin/oprof-tracer"

# The process has ended; it may still wait to be reaped.
ended()
{
	[ ! -e "/proc/$1/exe" ]
}

# begin TOOL ARGUMENTS...: until the stand-in daemon runs
begin()
{
	name=$1
	shift
	rm -f "$T/pid" "$T/term"
	(in_group "$T/bin/$name" "$@") 2>"$T/err" &
	tool=$!
	cleanup_pid $tool
	until_true [ -s "$T/pid" ]
	daemon=$(cat "$T/pid")
	cleanup_pid "$daemon"
}

# check_end SIGNAL STATUS MESSAGE TOOL ARGUMENTS...
check_end()
{
	signal=$1 status=$2 message=$3
	shift 3
	begin "$@"
	shift
	kill "-$signal" $tool
	until_true ended $tool
	tap_ok $? "$name $*: SIG$signal while the daemon starts ends it" || kill -9 $tool
	wait $tool
	tap_is $? "$status" "the status tells the signal"
	ended "$daemon"
	tap_ok $? "the daemon has ended before"
	[ -e "$T/term" ]
	tap_ok $? "and was first asked to end"
	# Otherwise the message is that the daemon was not ready in time.
	tap_is "$(cat "$T/err")" "$name: $message" "the signal ended the wait, and nothing was run"
}

for how in "INT 130" "TERM 143"; do
	# shellcheck disable=SC2086 # two words
	{
		check_end $how "ended before true was run" operf -d "$T/session" true
		check_end $how "ended before profiling began" operf -d "$T/session" -s
		check_end $how "ended before true was run" optrace record -o "$T/trace" true
		check_end $how "ended before tracing began" optrace record -o "$T/trace"
	}
done

# check_ready SIGNAL STATUS PATTERN TOOL ARGUMENTS...: the daemon gets ready after the signal
check_ready()
{
	signal=$1 status=$2 pattern=$3
	shift 3
	begin "$@"
	shift
	kill "-$signal" $tool
	[ "$signal" != ALRM ] || : >"$T/ready"
	until_true ended $tool
	tap_ok $? "$name $*: SIG$signal right before the daemon is ready ends it" || kill -9 $tool
	wait $tool
	tap_is $? "$status" "with the status of what was recorded"
	ended "$daemon"
	tap_ok $? "the daemon has ended before"
	tap_has "$T/err" "$pattern" "and what the daemon has recorded is told"
}

check_ready ALRM 0 "the profile is in $T/session" operf -d "$T/session" -s
rm "$T/ready"
: >"$T/ready_at_term"
check_ready INT 0 "the profile is in $T/session" operf -d "$T/session" -s
check_ready INT 0 "the trace is in $T/trace" optrace record -o "$T/trace"
check_ready INT 130 "the trace is in $T/trace" optrace record -o "$T/trace" true
tap_has "$T/err" "ended before true was run" "with what was not run"

# The daemon is ready, but the program cannot be run, so there is no trace of it.
rm "$T/ready_at_term"
: >"$T/ready"
echo "#!$T/missing" >"$T/script"
chmod 755 "$T/script"
begin optrace record -o "$T/trace" "$T/script"
wait $tool
tap_is $? 127 "optrace record: a script without its interpreter has the status that shells give"
tap_is "$(cat "$T/err")" "optrace: error: cannot run $T/script: No such file or directory" \
	"and no trace is told"

tap_end
