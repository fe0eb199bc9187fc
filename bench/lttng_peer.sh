#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Builds lttng_peer.c and runs it, traced by a session daemon of its own. LTTng
# traces only user space, into buffers that are overwritten and never read. The
# program reads and writes this script's stdin and stdout. When the program
# ends, the script stops the daemon and removes all files.
set -u
here=$(cd "$(dirname "$0")" && pwd)

lacking()
{
	echo "bench: $1: no peer (scripts/setup --all installs it)" >&2
	exit 77
}

for tool in lttng lttng-sessiond cc setpriv; do
	command -v $tool >/dev/null || lacking "$tool is missing"
done
echo '#include <lttng/tracepoint.h>' | cc -E -x c - >/dev/null 2>&1 ||
	lacking "lttng/tracepoint.h is missing"

# If root started the daemon, it would conflict with the machine's own daemon. Therefore use the
# user nobody.
as_user=
[ "$(id -u)" != 0 ] || as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"

work=$(mktemp -d) || exit 1
daemon=
clean()
{
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null
		wait "$daemon" 2>/dev/null
	fi
	rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

cc -O2 -I"$here/.." -o "$work/peer" "$here/lttng_peer.c" -llttng-ust -ldl || exit 1
mkdir "$work/home"
chmod 755 "$work"
[ -z "$as_user" ] || chown 65534:65534 "$work/home"
export LTTNG_HOME="$work/home" HOME="$work/home" LTTNG_UST_REGISTER_TIMEOUT=20000
cd "$work/home" || exit 1

# shellcheck disable=SC2086 # words
$as_user lttng-sessiond --no-kernel --quiet </dev/null >"$work/log" 2>&1 &
daemon=$!

client()
{
	# shellcheck disable=SC2086 # words
	timeout 20 $as_user lttng --no-sessiond "$@" </dev/null >>"$work/log" 2>&1
}

tries=0
until client list; do
	tries=$((tries + 1))
	if [ $tries -gt 50 ] || ! kill -0 "$daemon" 2>/dev/null; then
		echo "bench: lttng-sessiond does not answer:" >&2
		sed 's/^/bench: /' "$work/log" >&2
		exit 1
	fi
	sleep 0.2
done
# In a snapshot session, LTTng writes nothing to disk until a snapshot is requested. None is
# requested here.
if ! { client create oprof_bench --snapshot --output="$work/home/trace" &&
	client enable-channel --userspace --overwrite --subbuf-size=65536 --num-subbuf=4 \
		--switch-timer=0 --read-timer=0 channel &&
	client enable-event --userspace --channel=channel oprof_bench:record &&
	client start; }; then
	sed 's/^/bench: /' "$work/log" >&2
	exit 1
fi
# shellcheck disable=SC2086 # words
$as_user "$work/peer"
status=$?
client destroy oprof_bench
exit $status
