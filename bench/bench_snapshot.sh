#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Time of a snapshot of a full flight recorder with 16 MB for each CPU: the user
# who requests the snapshot waits until it is on disk. The snapshot includes the
# state of the machine. For comparison, the time that the disk takes to write
# the same number of bytes.
. "$(dirname "$0")/bench.sh"
bench_init "$@"
bench_wanted snapshot_16mb || exit 0
build=${OPROF_TOP_BUILDDIR:-$PWD}
T=$(mktemp -d "${TMPDIR:-/tmp}/oprof-bench.XXXXXX") || exit 1
optrace()
{
	optrace_verb=$1
	shift
	"$build/optrace" "$optrace_verb" --session-dir="$T/sessions" "$@"
}
end()
{
	optrace stop >/dev/null 2>&1
	rm -rf "$T"
}
trap end EXIT
trap 'exit 130' INT TERM

now_ns()
{
	date +%s%N
}

if ! optrace start -m overwrite:16x1M 2>"$T/err"; then
	cat "$T/err" >&2
	exit 1
fi
# Load all CPUs until the snapshot has 16 MB for each CPU: then all rings are full, and overwrite
# their first packets.
nr_cpus=$(getconf _NPROCESSORS_ONLN)
held=0
rounds=0
until [ "$held" -ge $((nr_cpus * 16000000)) ]; do
	rounds=$((rounds + 1))
	[ $rounds -le 60 ] || { echo "bench: the rings are not full after $rounds rounds" >&2; exit 1; }
	for _ in $(seq "$nr_cpus"); do
		find /usr /etc /proc/self -xdev >/dev/null 2>&1 &
	done
	wait
	optrace snapshot -o "$T/full" 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
	held=$(sed -n 's/.* in \([0-9]*\)\.\([0-9]\) MB;.*/\1\200000/p' "$T/err")
	rm -rf "$T/full"
done

best=
floor=
for round in 1 2 3 4 5 6 7; do
	find /usr -xdev >/dev/null 2>&1
	sync -f "$T"
	begin=$(now_ns)
	optrace snapshot -o "$T/snapshot" 2>"$T/err" || { cat "$T/err" >&2; exit 1; }
	took=$(($(now_ns) - begin))
	[ -n "$best" ] && [ "$best" -le $took ] || best=$took
	cat "$T/snapshot"/* >"$T/bytes"
	begin=$(now_ns)
	dd if="$T/bytes" of="$T/floor.$round" bs=1M conv=fsync 2>/dev/null
	took=$(($(now_ns) - begin))
	[ -n "$floor" ] && [ "$floor" -le $took ] || floor=$took
	rm -rf "$T/snapshot" "$T/bytes" "$T/floor.$round"
done
bench_print snapshot_16mb "$(awk -v ns="$best" 'BEGIN { printf "%.1f", ns / 1e6 }')" ms
bench_print floor_snapshot_16mb "$(awk -v ns="$floor" 'BEGIN { printf "%.1f", ns / 1e6 }')" ms
