#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A process that execs, loads, unloads and maps without end while the daemon
# starts, again and again: no sample may land in a wrong image. Every program
# and library of the race has its hot code at an offset of its own, and at the
# others' offsets code that never runs (pad_*).
. "$(dirname "$0")/lib.sh"

starts=40
[ -n "${OPROF_CHECK_ALL:-}" ] && starts=1000
[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine"
perf_system_works || tap_skip_all "perf_event_open is refused here"

nr_programs=6
make_race()
{
	i=0
	while [ $i -lt $nr_programs ]; do
		$CC -D_GNU_SOURCE -O1 -fno-toplevel-reorder -o "$1/race$i" "-DRACE_NAME=prog$i" \
			"-DRACE_INDEX=$i" "-DRACE_NR=$nr_programs" "-DRACE_PAD=$((4096 * (2 * i + 1)))" \
			"$E2E/race_program.c" -ldl || return 1
		$CC -O1 -fno-toplevel-reorder -shared -fPIC -Wl,-z,noseparate-code -o "$1/librace${i}a.so" \
			"-DRACE_NAME=lib${i}a" "-DRACE_PAD=$((4096 * (5 * i % 15 + 1)))" \
			"$E2E/race_library.c" || return 1
		$CC -O1 -fno-toplevel-reorder -shared -fPIC -Wl,-z,noseparate-code -o "$1/librace${i}b.so" \
			"-DRACE_NAME=lib${i}b" "-DRACE_PAD=$((4096 * ((5 * i + 7) % 15 + 1)))" \
			"$E2E/race_library.c" || return 1
		i=$((i + 1))
	done
}

# One start: the daemon begins in the middle of it all, samples shortly, ends.
start_once()
{
	"$BIN/oprofiled" --session-dir="$T/session" --foreground --system --separate=lib \
		--event=cpu-clock --frequency=4999 --append --start 2>>"$T/log" &
	daemon=$!
	if ! wait_for_control "$T/session" "$daemon"; then
		cat "/proc/$daemon/wchan" "/proc/$daemon/stack"
		tail -n 5 "$T/log"
		cleanup_pid "$daemon"
		return 1
	fi
	sleep 0.08
	kill "$daemon"
	wait "$daemon"
}

mkdir "$T/race"
[ -z "${OPROF_KEEP:-}" ] || trap - EXIT
make_race "$T/race" || tap_bail "the race's programs do not build"
for first in 0 3; do
	"$T/race/race$first" "$T/race" &
	cleanup_pid $!
done

done_starts=0
while [ $done_starts -lt $starts ] && start_once; do
	done_starts=$((done_starts + 1))
done
tap_is "$done_starts" "$starts" "the daemon starts and ends $starts times"

"$BIN/opreport" -l -n -w -f --session-dir="$T/session" >"$T/symbols" 2>"$T/coverage"
grep 'race' "$T/symbols" >"$T/race.symbols"
tap_note "$(grep -c . "$T/race.symbols") symbols of the race's images"

awk '/pad_/ { bad++; print "# in code that never runs: " $0 }
	{ n = $0; image = ""; app = ""
	  if (match(n, /librace[0-9][ab]\.so/)) image = substr(n, RSTART + 7, 1)
	  if (match(n, /\/race[0-9]/) || match(n, / race[0-9]/)) app = substr(n, RSTART + 5, 1)
	  if (image != "" && app != "" && image != app) { bad++; print "# library under another program: " $0 } }
	/spin_/ { spins += $2 }
	END { print "# samples in spin functions: " spins + 0; exit (bad > 0) }' "$T/race.symbols"
tap_ok $? "no sample lies in a wrong image"

spins=$(awk '/spin_/ { s += $2 } END { print s + 0 }' "$T/race.symbols")
[ "$spins" -gt $((starts * 20)) ]
tap_ok $? "most starts saw the race ($spins samples in its spinning functions)"

# The other check of the same: the spin of NAME only under the image of NAME.
awk '/spin_(prog|lib)/ {
	match($0, /spin_(prog|lib)[0-9][ab]?/); s = substr($0, RSTART, RLENGTH)
	want = s; sub(/spin_prog/, "/race", want); sub(/spin_lib/, "/librace", want)
	if (index($0, want) == 0) { print "# " $0; bad++ } } END { exit (bad > 0) }' "$T/race.symbols"
tap_ok $? "each function is reported under its own image"
check_conservation "$T/session"
tap_ok $? "seen = stored + idle + lost"
tap_end
