#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a disk that removes files slowly, the daemon answers while it removes the files of a minute,
# and loses nothing.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
$CC -shared -fPIC -O1 -o "$T/slow_unlink.so" "$E2E/slow_unlink.c" || tap_bail "slow_unlink.c does not build"
cat >"$T/load.c" <<'END'
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
/*
 * Waits for input, then makes 400 processes, one after the other, and waits again. They are short,
 * so that they end in one minute or two on a loaded machine, too, and hardly call the kernel, so
 * that each has samples of its own.
 */
int main(void)
{
	volatile int counter = 0;
	char start;

	if (read(0, &start, 1) != 1)
		return 1;
	for (int i = 0; i < 400; i++) {
		if (!fork()) {
			while (clock() < CLOCKS_PER_SEC / 200)
				for (int n = 0; n < 100000; n++)
					counter = n;
			_exit(0);
		}
		wait(0);
	}
	return write(1, "done", 4) != 4 || read(0, &start, 1);
}
END
$CC -O1 -o "$T/load" "$T/load.c" || tap_bail "the workload does not build"
S=$T/session
mkfifo "$T/go"
"$T/load" <"$T/go" >"$T/done" &
load=$!
cleanup_pid $load
exec 8>"$T/go"

# With few descriptors, most files are closed, and go when their minute ends.
(
	# shellcheck disable=SC3045 # every sh of Linux has it
	ulimit -n 128
	LD_PRELOAD=$T/slow_unlink.so exec "$BIN/oprofiled" --session-dir="$S" --foreground --start --pid=$load \
		--event=cpu-clock --frequency=997 --separate=thread 2>"$T/log"
) &
daemon=$!
cleanup_pid $daemon
wait_for_control "$S" $daemon || tap_bail "the daemon does not answer: $(cat "$T/log")"

nr_files() # of the workload
{
	find "$S/samples/current" -path "*$T/load*" -type f 2>/dev/null | wc -l
}

echo >&8
while [ ! -s "$T/done" ]; do
	kill -0 $load || tap_bail "the workload failed"
	sleep 0.2
done
"$BIN/opcontrol" --session-dir="$S" --dump
many=$(nr_files)
[ "$many" -ge 150 ]
tap_ok $? "there are many files ($many)"

# Their removal takes a quarter of a minute or more. A request fails if it waits for 10 seconds.
removed=
failed=
for _ in $(seq 120); do
	"$BIN/opcontrol" --session-dir="$S" --status >"$T/status" 2>&1 || failed=$(cat "$T/status")
	now=$(nr_files)
	[ "$now" -ge $((many - 5)) ] || removed=yes
	[ "$now" -ge $((many / 2)) ] || break
	sleep 1
done
tap_is "$removed" yes "they are removed when the minute has ended ($now are left)"
[ "$now" -lt $((many / 2)) ]
tap_ok $? "most of them"
tap_is "$failed" "" "the daemon answers meanwhile"
[ "$(grep -c "^slow unlink" "$T/log")" -ge $((many / 2 - 5)) ]
tap_ok $? "slowly"
kill $daemon
wait $daemon
tap_is $? 0 "it ends well"
check_conservation "$S" >"$T/out" && grep "lost 0$" "$T/out" >/dev/null
tap_ok $? "and lost nothing"
tap_show "$T/out"
# Files remain if the daemon ends before it has removed all. The next one removes them.
"$BIN/oprofiled" --session-dir="$S" --foreground --pid=$load --event=cpu-clock 2>>"$T/log" &
daemon=$!
cleanup_pid $daemon
wait_for_control "$S" $daemon || tap_bail "the next daemon does not answer: $(cat "$T/log")"
tap_is "$(nr_files)" 0 "the next daemon removes files that remain ($now)"
kill $daemon
wait $daemon
"$BIN/opcheck" "$S" >"$T/out" 2>&1
tap_ok $? "all files are in order" || tap_show "$T/out"
tap_end
