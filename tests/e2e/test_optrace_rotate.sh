#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# optrace record --rotate: chunks, each a trace, that together hold every
# record; the oldest removed, closed ones compressed; kills, a full disk, and
# readers that follow.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: traces the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
"$BIN/optrace" list-events >"$T/events" 2>"$T/err" || tap_skip_all "$(cat "$T/err")"
command -v babeltrace2 >/dev/null || tap_skip_all "babeltrace2 is not installed"

# A rare call, so often; another than other tests make, which may run beside this one. Its argument
# is this test's own, as another run of it may make the same call.
cat >"$T/caller.c" <<'END_OF_C'
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	for (long i = argc > 1 ? atol(argv[1]) : 0; i; i--)
		syscall(SYS_sched_get_priority_min, POLICY);
	return 0;
}
END_OF_C
$CC -O1 -DPOLICY=$$ -o "$T/rare_caller" "$T/caller.c" || tap_bail "the workload does not build"
cd "$T" || exit 1
CALL=sched_get_priority_min

# told WORD: the number before it in optrace's sum
told()
{
	sed -n "s/.*[^0-9]\([0-9][0-9]*\) $1.*/\1/p" "$T/err" | head -n 1
}

# show FOLDER: into $T/text; what is wrong with it, but for losses, into $T/reader
show()
{
	babeltrace2 "$1" >"$T/text" 2>"$T/reader.all" || echo failed >>"$T/reader.all"
	grep -v '^WARNING: Tracer .*discarded .*events* between' "$T/reader.all" >"$T/reader"
}

# kept NAME FOLDER: a number of the folder's own, by our reader
kept()
{
	"$BIN/optrace" stats --json "$2" 2>/dev/null | sed -n "s/^ *\"$1\": *\([0-9]*\),*$/\1/p" | head -n 1
}

nr_chunks()
{
	find "$1" -mindepth 1 -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l
}

newest()
{
	find "$1" -mindepth 1 -maxdepth 1 -name '[0-9]*' | sort | tail -n 1
}

plain_files()
{
	find "$1" -name 'channel_*' ! -name '*.zst'
}

# ---- chunks by size ----

"$BIN/optrace" record -o sized --rotate 1M -m discard:64x64K -e syscalls,sched:sched_switch -- "$T/rare_caller" 150000 2>"$T/err"
tap_is $? 0 "record --rotate SIZE"
tap_note "$(nr_chunks sized) chunks"
[ "$(nr_chunks sized)" -ge 3 ]
tap_ok $? "makes several chunks"
[ ! -e sized/metadata ] && [ -f sized/00000001/metadata ]
tap_ok $? "which are folders in the folder"
sum=0
bad=0
stateless=0
for chunk in sized/*; do
	show "$chunk"
	[ ! -s "$T/reader" ] || bad=$((bad + 1))
	[ "$(grep -c ' lttng_statedump_\(start\|end\): ' "$T/text")" = 2 ] &&
		grep -q ' lttng_statedump_process_state: ' "$T/text" || stateless=$((stateless + 1))
	sum=$((sum + $(wc -l <"$T/text")))
done
tap_is "$bad" 0 "babeltrace2 reads each of them"
tap_is "$stateless" 0 "each has the state at its beginning, once"
tap_is "$sum" "$(told 'events in')" "all of them hold as many events as were told"
show sized
tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "babeltrace2 reads them together"
tap_is "$(cat "$T/reader")" "" "and finds nothing wrong"
tap_is "$(kept records sized)" "$(told 'events in')" "so do we"
tap_is "$(kept lost_events sized)" "$(told lost)" "the folder tells as many losses"
tap_is "$(kept lost_packets sized)" 0 "no packet is missing between two"
calls=$(grep -c " syscall_entry_$CALL: .*policy = $$\b" "$T/text")
[ "$calls" -le 150000 ] && [ $((calls + $(told lost))) -ge 150000 ]
tap_ok $? "each call of the command is there, or lost and counted" || tap_note "$calls records of calls"
"$BIN/optrace" events -e "syscall_entry_$CALL" sized | awk '$1 < last { exit 1 } { last = $1 }'
tap_ok $? "in order of time"
"$BIN/optrace" events sized/00000002 >"$T/out" 2>"$T/err2"
[ "$(wc -l <"$T/out")" -gt 100 ] && [ ! -s "$T/err2" ]
tap_ok $? "and one of them alone"
"$BIN/optrace" events sized >"$T/forwards"
"$BIN/optrace" events -r sized | tac | awk '{ print $1 }' >"$T/out"
awk '{ print $1 }' "$T/forwards" | cmp -s - "$T/out"
tap_ok $? "backwards, too"

# ---- a state of many packets ----

# Readers that join the chunks of a trace sort the packets of a stream by their begin.
"$BIN/optrace" record -o packets --rotate 1M -m discard:512x4K -e "syscall:$CALL" -- "$T/rare_caller" 150000 2>"$T/err"
tap_is $? 0 "record --rotate, with small packets"
[ "$(nr_chunks packets)" -ge 3 ]
tap_ok $? "makes several chunks"
show packets
tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "babeltrace2 reads states of many packets" ||
	tap_show "$T/reader"

# ---- the oldest go ----

"$BIN/optrace" record -o few --rotate 1M --keep 2 -m discard:64x64K -e syscalls -- "$T/rare_caller" 150000 2>"$T/err"
tap_is $? 0 "--keep"
tap_is "$(nr_chunks few)" 2 "keeps as many chunks as it says"
[ ! -e few/00000001 ] && [ -z "$(find few -name '.*removed*')" ]
tap_ok $? "and nothing of the others"
show few
tap_is "$(kept records few)" "$(wc -l <"$T/text")" "what is kept is whole"
tap_is "$(kept lost_packets few)" 0 "and without a gap"
grep -q ' lttng_statedump_process_state: ' "$T/text"
tap_ok $? "with the state at its beginning"

# ---- compressed ----

"$BIN/optrace" record -o packed --rotate 1M --compress -m discard:64x64K -e syscalls -- "$T/rare_caller" 150000 2>"$T/err"
tap_is $? 0 "--compress"
nothing_plain()
{
	[ -z "$(plain_files packed)" ]
}
until_true nothing_plain
tap_ok $? "leaves no file that is not compressed"
tap_is "$(kept records packed)" "$(told 'events in')" "we read them as they are"
tap_is "$(kept lost_events packed)" "$(told lost)" "and the losses"
calls=$("$BIN/optrace" events -e "syscall_entry_$CALL" packed | grep -c "policy = $$\b")
[ "$calls" -le 150000 ] && [ $((calls + $(told lost))) -ge 150000 ]
tap_ok $? "each call of the command is there, or lost and counted" || tap_note "$calls records of calls"
if command -v zstd >/dev/null; then
	find packed -name '*.zst' -exec zstd -q -d --rm {} +
	show packed
	tap_is "$(wc -l <"$T/text")" "$(told 'events in')" "zstd -d makes what babeltrace2 reads" || {
		tap_show "$T/reader.all"
		tap_note "chunks: $(ls packed)"
		tap_show "$T/err"
	}
fi

# ---- by time ----

"$BIN/optrace" record -o timed --rotate 1 -d 4 -e sched:sched_switch 2>"$T/err"
tap_is $? 0 "--rotate SECONDS"
[ "$(nr_chunks timed)" -ge 2 ]
tap_ok $? "makes several chunks"
tap_is "$(kept records timed)" "$(told 'events in')" "and loses nothing"

# ---- readers that follow ----

mkdir follow
: >"$T/err"
"$BIN/optrace" record -o follow/trace --rotate 256K --keep 3 --compress -m discard:64x16K -e syscalls 2>"$T/err" &
tracing=$!
cleanup_pid $tracing
until_true grep -q 'Ctrl-C ends it' "$T/err"
nr_read=0
reads_some() # of calls made now: others' push out what is older
{
	"$T/rare_caller" 10000
	"$BIN/optrace" events -e "syscall_entry_$CALL" follow/trace >"$T/out" 2>"$T/err2" || tap_show "$T/err2"
	[ "$(wc -l <"$T/out")" -gt 100 ]
}
for _ in 1 2 3 4 5 6; do
	until_true reads_some && nr_read=$((nr_read + 1))
done
tap_is "$nr_read" 6 "a trace that goes on is read"
mkfifo slow
"$BIN/optrace" events follow/trace >slow 2>/dev/null &
reading=$!
cleanup_pid $reading
exec 7<slow
read -r _ <&7
"$T/rare_caller" 50000
kill -9 $reading
exec 7<&-
"$T/rare_caller" 1000
kill -INT $tracing
wait $tracing
tap_is $? 0 "a slow reader that is killed does not disturb it"
tap_is "$(nr_chunks follow/trace)" 3 "as many chunks as there are to be"
tap_is "$(kept lost_packets follow/trace)" 0 "nothing is missing"
"$BIN/optrace" events -e "syscall_entry_$CALL" follow/trace | tail -n 1000 | wc -l >"$T/out"
[ "$(($(cat "$T/out") + $(told lost)))" -ge 1000 ]
tap_ok $? "up to its end"

# ---- a kill ----

: >"$T/err"
"$BIN/optrace" record -o killed --rotate 256K --compress -m discard:64x16K -e syscalls 2>"$T/err" &
tracing=$!
cleanup_pid $tracing
until_true grep -q 'Ctrl-C ends it' "$T/err"
"$T/rare_caller" 30000
has_some()
{
	[ "$(nr_chunks killed)" -ge 3 ]
}
until_true has_some
tracer=$(pgrep -P $tracing oprof-tracer)
"$T/rare_caller" 3000000 &
calling=$!
cleanup_pid $calling
was=$(newest killed)
goes_on()
{
	[ "$(newest killed)" != "$was" ]
}
until_true goes_on
kill -9 "$tracer"
wait $tracing
tap_is $? 125 "a recorder that is killed is told"
kill -9 $calling
# Who sees to closed chunks comes to its end all the same.
has_ended()
{
	! pgrep -f "folder=$T/killed" >/dev/null
}
until_true has_ended
last=$(newest killed)
bad=0
sum=0
for chunk in killed/*; do
	if command -v zstd >/dev/null; then
		find "$chunk" -name '*.zst' -exec zstd -q -d --rm -f {} +
	fi
	[ "$chunk" != "$last" ] || continue
	show "$chunk"
	[ ! -s "$T/reader" ] || bad=$((bad + 1))
	sum=$((sum + $(wc -l <"$T/text")))
done
tap_is "$bad" 0 "each chunk but the last is whole"
[ "$(kept records killed)" -ge "$sum" ] && [ "$sum" -gt 0 ]
tap_ok $? "and all that was written is readable"

# ---- a full disk ----

mkdir small
trap 'umount "$T/small" 2>/dev/null; cleanup' EXIT
if mount -t tmpfs -o size=4m tmpfs small 2>/dev/null; then
	"$BIN/optrace" record -o small/trace --rotate 512K -m discard:64x64K -e syscalls -- "$T/rare_caller" 200000 2>"$T/err"
	tap_is $? 125 "a full disk is told"
	tap_has "$T/err" 'No space left' "with its reason"
	tap_is "$(kept records small/trace)" "$(told 'events in')" "what had room is readable"
	calls=$("$BIN/optrace" events -e "syscall_*_$CALL" small/trace 2>/dev/null | wc -l)
	[ "$calls" -lt 400000 ] && [ $((calls + $(told lost))) -ge 400000 ]
	tap_ok $? "the others are told as lost"
	rm -rf small/trace
	: >"$T/err"
	mount -o remount,size=16m small # two chunks and what others do meanwhile
	"$BIN/optrace" record -o small/trace --rotate 256K --keep 2 -m discard:64x64K -e syscalls 2>"$T/err" &
	tracing=$!
	cleanup_pid $tracing
	until_true grep -q 'Ctrl-C ends it' "$T/err"
	few_chunks() # the old ones go at the lowest priority
	{
		[ "$(nr_chunks small/trace)" -le 2 ]
	}
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		"$T/rare_caller" 30000
		until_true few_chunks
	done
	kill -INT $tracing
	wait $tracing
	tap_ok $? "with --keep, more than the disk holds is recorded"
	[ "$(sed -n 's/.* events in \([0-9]*\)\..* MB.*/\1/p' "$T/err")" -ge 16 ] || tap_show "$T/err"
	rm -rf small/*
	mount -o remount,size=4m small
	"$BIN/optrace" record -o small/kept --rotate 256K --keep 50 -e syscalls,sched:sched_process_exit -m discard:8x64K \
		-- sh -c "for i in 1 2 3 4 5 6 7 8; do '$T/rare_caller' 100000; sleep 0.5; done" 2>"$T/err"
	tap_has "$T/err" 'the disk is full: removing the oldest chunk, 1 of .*, although --keep=50' "--keep: on a full disk the oldest make room"
	written=$(sed -n 's/.* events in \([0-9]*\)\..* MB.*/\1/p' "$T/err")
	[ ! -d small/kept/00000001 ] && [ "$written" -ge 5 ]
	tap_ok $? "and it goes on: more than the disk holds was written ($written MB)"
	"$BIN/optrace" stats small/kept >"$T/out" 2>&1
	tap_is $? 0 "which can be read"
	umount small
else
	tap_note "no file system can be mounted here"
fi

# ---- what is there already, and what is refused ----

"$BIN/optrace" record --rotate 1M -e sched:sched_switch -- true 2>"$T/err" &&
	"$BIN/optrace" record --rotate 1M -e sched:sched_switch -- true 2>"$T/err"
tap_is $? 0 "a second trace"
[ -f oprofile_trace/00000001/metadata ] && [ -f oprofile_trace.old/00000001/metadata ]
tap_ok $? "keeps the one of before"

refused() # WHAT WORDS OPTION...
{
	what=$1
	words=$2
	shift 2
	"$BIN/optrace" record -o new "$@" -- true 2>"$T/err"
	tap_is $? 125 "$what: refused"
	tap_has "$T/err" "$words" "$what: and why is told"
	[ ! -e new ] || tap_ok 1 "nothing is made"
}
refused "no size" '100M,60' --rotate 100X
refused "nothing" '100M,60' --rotate 0
refused "one chunk" 'at least 2' --rotate 1M --keep 1
refused "chunks to keep of a trace that has none" 'add --rotate' --keep 3
refused "chunks to compress of a trace that has none" 'add --rotate' --compress
tap_end
