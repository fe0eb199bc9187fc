#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Whole user stacks by unwind tables, of programs as the distribution built
# them: how many end in the outermost frame, and whether a debugger agrees.
# OPROF_STOPS: how often each program is compared with the debugger (2).
. "$(dirname "$0")/lib.sh"

case $(uname -m) in
x86_64 | aarch64) ;;
*)
	tap_skip_all "stacks of $(uname -m) are not walked"
	;;
esac
TOP=$(cd "$E2E/../.." && pwd)
S=$T/session
C=$T/loop.c

# ---- the share of whole stacks ----

count()
{
	awk -v name="$1" '$1 == name { print $2 }' "$T/counters"
}

# whole NAME COMMAND...: at least 95 of 100 stacks are
whole()
{
	whole_name=$1
	shift
	"$BIN/operf" -g -F 1999 -e cpu-clock -d "$S" "$@" >/dev/null 2>"$T/err"
	session_counters "$S" >"$T/counters"
	good=$(count chains_whole)
	all=$((good + $(count chains_truncated) + $(count chains_broken)))
	tap_note "$whole_name: $good of $all stacks are whole ($(count chains_truncated)" \
		"truncated, $(count chains_broken) broken)"
	[ "$all" -ge 50 ] && [ $((100 * good)) -ge $((95 * all)) ]
	tap_ok $? "stacks of $whole_name reach the outermost frame"
	tap_is "$(count seen)" "$(($(count stored) + $(count idle) + $(lost)))" \
		"and all that was seen is accounted for"
}

lost()
{
	awk '/^lost_/ { n += $2 } END { print n + 0 }' "$T/counters"
}

whole perl perl -e 'for (1..200000) { $t = "abc$_"; $t =~ s/(\d)/<$1>/g } @s = sort { $b <=> $a } 1..80000'
whole bash bash -c 'for ((i = 0; i < 60000; i++)); do s=$((s + i)); done'
whole xz sh -c 'head -c 3000000 "$0" | xz -c' "$BIN/oprofiled"
i=0
while [ $i -lt 300 ]; do
	echo "int f$i(int *a, int n) { int s = $i; for (int i = 0; i < n; i++) for (int k = i; k < n; k++) s += a[i] * a[k] % 7; return s; }"
	i=$((i + 1))
done >"$C"
whole "the compiler" env CCACHE_DISABLE=1 gcc -O2 -c "$C" -o /dev/null

# A program that is over before its tables could have been built: some 50 samples, so five of them.
good=0
broken=0
for _ in 1 2 3 4 5; do
	rm -rf "$S"
	"$BIN/operf" -g -F 9973 -e cpu-clock -d "$S" perl -e '$x .= $_ for 1..30000' 2>/dev/null
	session_counters "$S" >"$T/counters"
	good=$((good + $(count chains_whole)))
	broken=$((broken + $(count chains_broken)))
done
tap_note "perl for a moment: $good whole, $broken broken"
[ "$good" -gt $((10 * broken)) ]
tap_ok $? "the stacks of a short program are whole in its first run"
tables=$(find "$S/code" -name '*.code' | wc -l)
[ "$tables" -ge 3 ]
tap_ok $? "tables are kept in the session's folder"
"$BIN/operf" -g -F 9973 -e cpu-clock -d "$S" perl -e '$x .= $_ for 1..30000' 2>/dev/null
session_counters "$S" >"$T/counters"
tap_is "$(count code_tables_built)" 0 "another run builds none"
[ "$(count code_tables_found)" -ge 3 ]
tap_ok $? "it finds them"

# By frame pointers there is nothing to walk.
"$BIN/operf" -g --unwind=fp -F 1999 -e cpu-clock -d "$S" perl -e '$x .= $_ for 1..200000' 2>/dev/null
session_counters "$S" >"$T/counters"
tap_is "$(count chains_whole)" "" "--unwind=fp walks no stacks"

# ---- a debugger's word ----

if ! command -v gdb >/dev/null; then
	tap_note "gdb is not installed: nothing to compare with"
	tap_end
fi
"$CC" -O1 -D_GNU_SOURCE -I"$TOP" -I"$TOP/include" -o "$T/walk" "$E2E/walk_process.c" \
	"$BIN/daemon/libdaemon.a" "$BIN/unwind/libunwind.a" "$BIN/events/libevents.a" "$BIN/lib/libbase.a" 2>"$T/err"
tap_ok $? "the walk of samples is made a program" || tap_note "$(cat "$T/err")"
cat >"$T/script" <<'END'
set backtrace past-main on
set backtrace past-entry on
set backtrace limit 1000
while 1
	printf "%#lx %#lx\n", $pc, $sp
	up-silently
end
END

# stop PID: wait until it has
stop()
{
	kill -STOP "$1"
	until [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" = T ]; do
		[ -d "/proc/$1" ] || return 1
	done
}

# by_gdb PID: where it is and each call returns to, as $T/walk has it. An inlined frame has the
# place and the stack of the one that it is in; one that called itself has not.
by_gdb()
{
	gdb -nx -q -batch -iex 'set debuginfod enabled off' -p "$1" -x "$T/script" 2>/dev/null \
		</dev/null | grep -x '0x[0-9a-f]* 0x[0-9a-f]*' | uniq | cut -d ' ' -f 1
	echo whole
}

# gives_up: ours ends early and says so, where there are no tables (behind a system call that
# makes a thread) and gdb guessed, or at its depth; up to there they agree
gives_up()
{
	tail -n 1 "$T/ours" | grep -qx 'broken\|truncated' || return
	sed '$d' "$T/ours" >"$T/ours.told"
	head -n "$(wc -l <"$T/ours.told")" "$T/gdb" | cmp -s - "$T/ours.told"
}

# has_begun PID: it has used 0.1 s of CPU time. In the dynamic linker's _start, which says of nothing
# that it is the outermost frame, gdb goes on into the arguments.
has_begun()
{
	! [ -d "/proc/$1" ] ||
		[ "$(awk -v hz="$(getconf CLK_TCK)" '{ print ($14 + $15 >= hz / 10) }' "/proc/$1/stat" 2>/dev/null)" = 1 ]
}

# compare NAME PID: its stack by gdb and by ours, several times. Of those that ours gives up as
# many again are taken once more.
compare()
{
	until_true has_begun "$2" || {
		kill -9 "$2"
		tap_ok 1 "$1 comes to its work"
		return
	}
	same=0
	stops=0
	given_up=0
	wanted=${OPROF_STOPS:-2}
	while [ $stops -lt "$wanted" ] && [ $given_up -le "$wanted" ]; do
		sleep 0.0$((stops % 7 + 2))
		stop "$2" || break
		by_gdb "$2" >"$T/gdb"
		stop "$2" || break
		"$T/walk" "$2" >"$T/ours"
		if cmp -s "$T/gdb" "$T/ours"; then
			same=$((same + 1))
			stops=$((stops + 1))
		elif gives_up; then
			given_up=$((given_up + 1))
			tap_note "$1: given up after $(wc -l <"$T/ours.told") frames"
		else
			stops=$((stops + 1))
			diff "$T/gdb" "$T/ours" | sed "s/^/# $1: /"
		fi
		kill -CONT "$2"
	done
	kill -9 "$2"
	wait "$2" 2>/dev/null
	tap_is "$same $((given_up <= wanted))" "$stops 1" \
		"gdb sees the same stacks of $1 ($(($(wc -l <"$T/ours") - 1)) frames)"
}

seq 1 3000000 >"$T/numbers"
perl -e 'while (1) { @s = sort { "$a" cmp "$b" } 1..20000; s/(\d)/<$1>/g for @s }' &
compare perl $!
xz -c </dev/urandom >/dev/null &
compare xz $!
sort -k1,1 <"$T/numbers" >/dev/null &
compare sort $!
# The distribution's: where there is debug information gdb tells of calls that are jumps, too.
if [ -x /usr/bin/python3 ]; then
	/usr/bin/python3 -c 'import json
def f(n): return f(n - 1) if n else len(json.dumps([[k, {str(k): [k]}] for k in range(200)]))
while True: f(20)' &
	compare python3 $!
fi
tap_end
