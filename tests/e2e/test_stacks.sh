#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Call stacks from the source to slices: of a program whose ways are known, of the
# whole machine over a kill of the daemon; no sample without its stack.
. "$(dirname "$0")/lib.sh"

"$BIN/oprof" doctor >"$T/doctor" || tap_skip_all "performance events are refused to this user"
TOP=$E2E/../..
$CC -O0 -g -fno-omit-frame-pointer -pthread -o "$T/ways" "$E2E/stack_program.c" ||
	tap_bail "the workload does not build"
$CC -O1 -D_GNU_SOURCE -I"$TOP" -I"$TOP/include" -o "$T/print" "$E2E/stack_print.c" \
	"$TOP/tests/fixture/stack_sum.c" "$BIN/libdb/libsdb.a" "$BIN/lib/libbase.a" -lzstd ||
	tap_bail "the reader does not build"
S="$T/session"

# Functions of the program: "START END NAME", by the offsets that samples have.
readelf -lW "$T/ways" >"$T/segments"
nm -S --defined-only "$T/ways" >"$T/symbols"
perl -e 'open(F, $ARGV[0]); while (<F>) { $delta = hex($2) - hex($1)
		if /LOAD\s+(0x\w+)\s+(0x\w+)\s.*R E / } close F;
	open(F, $ARGV[1]); while (<F>) { printf("%d %d %s\n", hex($1) - $delta, hex($1) - $delta + hex($2), $3)
		if /^(\w+) (\w+) [Tt] (\w+)$/ }' "$T/segments" "$T/symbols" >"$T/functions"

# ways SESSION_DIR: its trees to $T/ways.txt, the program's frames by name, those above main gone
ways()
{
	"$T/print" "$1/samples/current" >"$T/trees" || return 1
	perl -e 'open(F, $ARGV[0]); while (<F>) { push @f, [split] } close F;
		sub name { my $o = hex(shift); for (@f) { return $_->[2] if $o >= $_->[0] && $o < $_->[1] } "?" }
		open(F, $ARGV[1]); while (<F>) { next unless /^(\d+) ways cpu-clock (.*)/; my ($n, $w) = ($1, $2);
			$w =~ s/\bways\+(\w+)/name($1)/ge; $w =~ s/^.*?\b(main|in_thread);/$1;/;
			$sum{$w} += $n } printf("%d %s\n", $sum{$_}, $_) for sort keys %sum' \
		"$T/functions" "$T/trees" >"$T/ways.txt"
}

# way PATTERN: samples of the ways that match
way()
{
	awk -v pattern="$1" '$2 ~ pattern { sum += $1 } END { print sum + 0 }' "$T/ways.txt"
}

total()
{
	awk '$1 == "total" { print $2 }' "$T/trees"
}

# check_stacks SESSION_DIR: trees = stacks_stored = stored - lost
check_stacks()
{
	session_counters "$1" | awk -v trees="$(total)" '$1 == "stored" { stored = $2 }
		$1 == "stacks_stored" { kept = $2 } $1 ~ /^stacks_lost_/ { lost += $2 }
		END { printf "# trees %d, stacks_stored %d, lost %d, stored %d\n", trees, kept, lost, stored
			exit !(trees > 0 && trees == kept && kept + lost == stored) }'
}

# ---- a program's ways ----

"$BIN/operf" -g -d "$S" "$T/ways" 1500 2>"$T/err"
tap_is $? 0 "operf -g"
ways "$S"
tap_is $? 0 "its call trees can be read"
check_stacks "$S"
tap_ok $? "they hold every stored sample"
check_conservation "$S"
tap_ok $? "and no sample is unaccounted for"
tap_is "$(session_counters "$S" | awk '/^stacks_lost|^stacks_folded/ { sum += $2 } END { print sum + 0 }')" 0 \
	"nothing was lost or folded"
often=$(way '^main;often;middle;hot($|;)')
seldom=$(way '^main;seldom;middle;hot($|;)')
dive=$(way '^main;dive;dive;dive;dive;dive;dive;hot($|;)')
thread=$(way '^in_thread;hot($|;)')
child=$(way '^main;in_child;hot($|;)')
all=$(way .)
tap_note "often $often, seldom $seldom, dive $dive, thread $thread, child $child, all $all"
[ "$seldom" -gt 100 ] && [ $((often * 10)) -gt $((seldom * 15)) ] && [ $((often * 10)) -lt $((seldom * 27)) ]
tap_ok $? "one caller of hot has twice the samples of the other"
[ $((dive * 10)) -gt $((seldom * 7)) ] && [ $((dive * 10)) -lt $((seldom * 14)) ]
tap_ok $? "recursion is as deep as it was"
[ "$thread" -gt 10 ] && [ "$child" -gt 10 ]
tap_ok $? "a thread and a child have ways of their own"
[ $(((often + seldom + dive + thread + child) * 100)) -gt $((all * 90)) ]
tap_ok $? "nine of ten samples are in the ways that are known"

# ---- in slices ----

before=$(total)
"$BIN/operf" -g -a -d "$S" "$T/ways" 300 2>"$T/err"
ways "$S"
tap_has "$T/trees" '^total .* slices 1$' "what a run left is a slice when the next begins"
check_stacks "$S"
tap_ok $? "and trees hold every sample of both"
[ "$(total)" -gt "$before" ]
tap_ok $? "more than before"
"$BIN/operf" -a -d "$S" "$T/ways" 300 2>"$T/err"
"$BIN/opcheck" "$S/samples/current" >"$T/out" 2>&1
tap_is $? 0 "opcheck finds all of it good"
stored=$(session_counter "$S" stacks_stored)
ways "$S"
tap_is "$(total)" "$stored" "a run without -g adds no stacks, and takes none"

# ---- the whole machine ----

if [ "$(id -u)" != 0 ] || [ -d /sys/module/oprof ]; then
	tap_note "not root, or the kernel module is loaded: not of the whole machine"
	tap_end
fi
M="$T/machine"
mkdir -p "$M"

control()
{
	"$BIN/opcontrol" "--session-dir=$M" "$@" >"$T/out" 2>"$T/err"
}

# has_symbols: the daemon has met kernel code
has_symbols()
{
	[ -n "$(ls "$M/samples/current/meta/symbols" 2>/dev/null)" ]
}

control --event=cpu-clock:1000000 --separate=kernel --callgraph=16 --start
tap_is $? 0 "opcontrol --callgraph=16 --start"
cleanup_pid "$(cat "$M/lock")"
until_true has_symbols
tap_ok $? "symbols of the kernel are there soon, for its functions"

# On a busy machine the daemon may find its ring full, and the samples of a run are lost and counted.
has_ways()
{
	control --start
	control --reset
	"$T/ways" 700
	control --stop
	control --dump
	ways "$M"
	[ "$(way '^main;often;middle;hot($|;)')" -gt 50 ]
}

until_true has_ways
tap_ok $? "the program's call paths are among those of the whole machine"
check_stacks "$M"
tap_ok $? "and they hold every stored sample"
tap_has "$T/trees" '^[0-9]+ [^ ]+ cpu-clock .*vmlinux\+' "the kernel is in them, below who called it"
kernel_places=$(tr -s ' ;' '\n' <"$T/trees" | grep '^vmlinux+' | sort -u | sed 's/.*+//')
cat "$M"/samples/current/meta/symbols/* >"$T/kernel"
others=$(echo "$kernel_places" | awk 'NR == FNR { start[$1] = 1; next } !($1 in start)' "$T/kernel" - | wc -l)
control --start
tap_is "$others" 0 "kernel code is told by its functions: all $(echo "$kernel_places" | wc -l) of them"

is_gone()
{
	! kill -0 "$killed" 2>/dev/null
}

killed=$(cat "$M/lock")
kill -9 "$killed"
until_true is_gone
control --start
tap_is $? 0 "a new daemon after a kill"
cleanup_pid "$(cat "$M/lock")"
tap_is "$("$BIN/opcontrol" "--session-dir=$M" --status 2>/dev/null | awk '$1 == "callgraph" { print $2 }')" 16 \
	"goes on with call chains"
"$T/ways" 300
control --dump
ways "$M"
tap_has "$T/trees" '^total .* slices [1-9]' "what the killed one left is in a slice"
control --save=kept
tap_is $? 0 "save"
control --shutdown
tap_is $? 0 "shutdown"
"$T/print" "$M/samples/kept" >"$T/trees"
session_counters "$M" kept | awk -v trees="$(total)" '$1 == "stored" { stored = $2 }
	$1 == "stacks_stored" { kept = $2 } $1 ~ /^stacks_lost_/ { lost += $2 }
	END { printf "# trees %d, stacks_stored %d, lost %d, stored %d\n", trees, kept, lost, stored
		exit !(trees > 0 && trees == kept && kept + lost == stored) }'
tap_ok $? "every sample of both daemons has its stack, or it is told lost"
"$BIN/opcheck" "$M/samples/kept" >"$T/out" 2>&1
tap_is $? 0 "opcheck finds the saved session good"
tap_end
