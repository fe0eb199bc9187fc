#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest, run by part_optrace_buffers.sh: traces of optrace whose events the
# module records: in chunks, with losses forced, and as a flight recorder. The
# folders go to standard output at the end.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
# shellcheck source-path=SCRIPTDIR source=inside_optrace.sh
. /bin/inside_optrace.sh
cd "$work" || exit 1
rotate=64K
chunk_calls=15000
flight_calls=100000
[ -z "$all" ] || rotate=256K chunk_calls=60000 flight_calls=2000000

mount -t tracefs none /sys/kernel/tracing 2>/dev/null # or it is mounted already
module_load || bail "the module does not load"

# ---- chunks ----

run optrace record -o chunks --source=module --rotate $rotate -m discard:64x16K -e syscalls -- load_calls $chunk_calls
is "$status" 0 "in chunks"
note "$(find chunks -name metadata | wc -l) chunks"
[ "$(find chunks -name metadata | wc -l)" -ge 2 ]
ok $? "there are several"
agrees chunks "in chunks"
is "$(kept lost_packets chunks)" 0 "without a gap"

# ---- losses ----

always_lost()
{
	rm -rf lossy
	run optrace record -o lossy --source=module -m discard:2x4K -e syscalls -- load_calls 50000
	[ "$status" = 0 ] && [ "$(told lost)" -gt 0 ]
}
until_true always_lost
ok $? "small buffers lose"
agrees lossy "with losses"
calls=$(calls_in lossy)
[ "$calls" -lt 100000 ] && [ $((calls + $(told lost))) -ge 100000 ]
ok $? "each call is there, or lost and counted ($calls, $(told lost))"

# ---- a flight recorder ----

run optrace record -o flight --source=module -m overwrite:4x64K -e syscalls,sched:sched_switch -- load_calls $flight_calls
is "$status" 0 "a flight recorder"
[ "$status" = 0 ] || show "$work/err"
note "$(sed -n 's/^optrace: //p' "$work/err" | tr '\n' ';')"
optrace stats flight >"$work/out" 2>"$work/err2"
is "$?" 0 "its last laps are a trace"
seen=$(calls_in flight)
[ "$seen" -gt 1000 ] && [ "$seen" -lt $((2 * flight_calls)) ]
ok $? "with the last calls ($seen of $((2 * flight_calls)))"

# ---- the end ----

send_folders lossy flight chunks
show "$work/reader"
module_unload
ok $? "the module goes"
finish
