#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions of a record, loop and packets' begins and ends included, as
# valgrind counts them: the same in every run.
. "$(dirname "$0")/bench.sh"
bench_init "$@"

bench_wanted ring_instructions || exit 0
command -v valgrind >/dev/null || {
	echo "bench: valgrind is missing: no ring_instructions" >&2
	exit 0
}
nr_records=8000
# callgrind tells what it collected on stderr.
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
