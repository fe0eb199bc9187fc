#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# 2,000 processes of about a millisecond under as many random names, most of which
# share a few dozen pids: every sample has to be under the right program and
# function. A program p_NAME spins in hot_NAME, which in sixteen kinds of
# program lies at as many offsets: a sample filed under another life of its pid
# falls into code that never runs (pad_*).
#
# OPROF_TEST_SEED repeats a run.
. "$(dirname "$0")/lib.sh"

nr_processes=2000
nr_kinds=16
pid_max=340 # the first 300 are given out once only

seed=${OPROF_TEST_SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}
tap_note "OPROF_TEST_SEED=$seed"
[ "$(id -u)" = 0 ] || tap_skip_all "needs root: profiles the whole machine in a pid namespace"
perf_system_works || tap_skip_all "perf_event_open is refused here"
# Before Linux 6.14 there was one pid_max for all: it is not ours to change.
uname -r | awk -F. '{ exit !($1 > 6 || ($1 == 6 && $2 + 0 >= 14)) }' ||
	tap_skip_all "needs pid_max of a namespace: Linux 6.14, this is $(uname -r)"
unshare --pid --fork --mount-proc sh -c "echo $pid_max >/proc/sys/kernel/pid_max" 2>/dev/null ||
	tap_skip_all "pid_max of a namespace can't be set here"

$CC -D_GNU_SOURCE -O1 -o "$T/short_runner" "$E2E/short_runner.c" || tap_bail "no runner"
kind=0
while [ $kind -lt $nr_kinds ]; do
	$CC -O1 -fno-toplevel-reorder "-DSHORT_PAD=$((4096 * kind + 16))" \
		-Wl,--build-id=0x4242424242424242424242424242424242424242 \
		-o "$T/kind$kind" "$E2E/short_program.c" || tap_bail "kind $kind does not build"
	kind=$((kind + 1))
done

# In the namespaces: the daemon, the processes, the daemon's end, the report.
# Tens of thousands of files, in memory: they are gone with the namespace.
mkdir "$T/memory"
cat >"$T/inside" <<'END'
bin=$1 t=$2 pid_max=$3 seed=$4 nr_processes=$5
memory=$t/memory
mount -t tmpfs none "$memory" && mkdir "$memory/programs" || exit 1
"$t/short_runner" make "$seed" "$memory/programs" "$nr_processes" "$t"/kind* || exit 1
echo "$pid_max" >/proc/sys/kernel/pid_max
mkfifo "$t/ready"
"$bin/oprofiled" --session-dir="$memory/session" --foreground --system --separate=lib \
	--event=cpu-clock --frequency=4999 --start --ready-fd=3 3>"$t/ready" 2>"$t/log" &
daemon=$!
read -r ready <"$t/ready"
echo "daemon: $ready"
[ "$ready" = ok ] || exit 1
"$t/short_runner" run "$memory/programs" || exit 1
kill "$daemon"
wait "$daemon" || exit 1
"$bin/opreport" -l -n --session-dir="$memory/session" >"$t/symbols" 2>"$t/coverage" || exit 1
mkdir -p "$t/session/samples/current/meta"
cp "$memory/session/samples/current/meta/stats" "$t/session/samples/current/meta/"
END
unshare --mount --pid --fork --mount-proc sh "$T/inside" "$BIN" "$T" $pid_max "$seed" \
	$nr_processes >"$T/run"
tap_ok $? "they run in a pid namespace, the daemon too, and are reported"
tap_show "$T/run"
tap_show "$T/log"
tap_show "$T/coverage"
pids=$(sed -n 's/.* had \([0-9]*\) pids/\1/p' "$T/run")
[ "${pids:-$nr_processes}" -le $pid_max ]
tap_ok $? "with pids used again and again ($nr_processes processes, ${pids:-no} pids)"

nr=$(awk '$NF ~ /^hot_/ { sum += $1 } END { print sum + 0 }' "$T/symbols")
[ "$nr" -ge 1000 ]
tap_ok $? "at least 1,000 samples in the programs' functions ($nr)"
tap_note "$(grep -c ' hot_' "$T/symbols") of $nr_processes programs have samples"

# Columns: samples % image app symbol.
awk '$3 ~ /^p_/ || $4 ~ /^p_/ || $NF ~ /^hot_/ {
		program = substr($3, 3)
		if ($3 ~ /^p_/ && $3 != $4) wrong = "a program under another one"
		else if ($NF ~ /^pad_/) wrong = "in code that never runs"
		else if ($NF ~ /^hot_/ && substr($NF, 5) != program) wrong = "a function in another program"
		else if ($3 ~ /^p_/ && NF < 5) wrong = "without a symbol"
		else next
		bad += $1; if (shown++ < 10) print "# " wrong ": " $0
	}
	END { print "# wrong samples: " bad + 0; exit bad > 0 }' "$T/symbols"
tap_ok $? "every sample is under the right program and function"
session_counters "$T/session" | grep -v ' 0$' | sed 's/^/# /'
check_conservation "$T/session"
tap_ok $? "seen = stored + idle + lost"
tap_end
