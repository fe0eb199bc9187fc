#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh [SECONDS [NAME...]]: search with each fuzzer for SECONDS (2; 60 under
# OPROF_CHECK_ALL=1), from its kept corpus and what earlier searches added; as
# many at once as there are CPUs.
# From the folder of a build made by configure --enable-fuzzers CC=clang. A
# fault leaves its input in faults/: put it into tests/fuzz/corpus/NAME/ with
# the fix.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}

search() { # NAME
	mkdir -p "found/$1"
	"tests/fuzz/fuzz_$1" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=2048 \
		-artifact_prefix="faults/$1-" -print_final_stats=1 -verbosity=0 \
		"found/$1" "$top/tests/fuzz/corpus/$1" >"faults/$1.log" 2>&1
	echo $? >"faults/$1.status"
}

if [ "$1" = --one ]; then
	seconds=$2
	search "$3"
	exit 0
fi
seconds=2
[ -z "${OPROF_CHECK_ALL:-}" ] || seconds=60
if [ $# -gt 0 ]; then
	seconds=$1
	shift
fi
if [ $# = 0 ]; then
	for source in "$top"/tests/fuzz/fuzz_*.c; do
		name=${source##*/fuzz_}
		set -- "$@" "${name%.c}"
	done
fi

echo "1..$#"
nr=0
failed=0
mkdir -p faults
for name in "$@"; do
	rm -f "faults/$name.status"
done
printf '%s\n' "$@" | xargs -P "$(nproc 2>/dev/null || echo 2)" -n 1 "$0" --one "$seconds"
for name in "$@"; do
	nr=$((nr + 1))
	if [ "$(cat "faults/$name.status" 2>/dev/null)" = 0 ]; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "faults/$name.log")
		echo "ok $nr - fuzz_$name found nothing in ${runs:-?} inputs"
	else
		echo "not ok $nr - fuzz_$name"
		tail -n 40 "faults/$name.log" | sed 's/^/# /'
		failed=1
	fi
done
exit $failed
