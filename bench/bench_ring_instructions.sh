#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Number of instructions that write a record, counted by valgrind; the same in
# every run. The number includes the loop, and opening and closing packets.
. "$(dirname "$0")/bench.sh"
bench_init "$@"

bench_wanted ring_instructions || exit 0
command -v valgrind >/dev/null || {
	echo "bench: valgrind is missing: no ring_instructions" >&2
	exit 0
}
nr_records=8000
# callgrind prints the number of collected instructions on stderr.
collected=$(timeout 120 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
	--collect-atstart=no --toggle-collect=write_records \
	"$OPROF_TOP_BUILDDIR/bench/bench_ring" --write $nr_records 2>&1 |
	sed -n 's/.*Collected : \([0-9]*\).*/\1/p')
[ -n "$collected" ] || {
	echo "bench: valgrind counted nothing" >&2
	exit 1
}
bench_print ring_instructions "$(echo "$collected $nr_records" |
	awk '{ printf "%.1f", $1 / $2 }')" ""
