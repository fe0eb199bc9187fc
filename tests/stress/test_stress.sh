#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The ring under stress, a few seeds of it: until each round has lapped its
# ring, nested and lost what it must. make stress S=60 does it for longer.
top=${OPROF_TOP_BUILDDIR:-$(pwd)}
log=$(mktemp) || exit 99
trap 'rm -f "$log"' EXIT
nr=0

stress() { # NAME OPTION...
	name=$1
	shift
	nr=$((nr + 1))
	timeout 600 "$top/tests/stress/stress_ring" --seconds 1 "$@" >"$log" 2>&1
	status=$?
	sed 's/^/# /' "$log" | head -n 60
	if [ "$status" = 0 ] && [ "$(grep -c 'torn=0 unexplained=0$' "$log")" = 2 ]; then
		echo "ok $nr - $name"
	else
		echo "not ok $nr - $name"
	fi
}

echo "1..5"
stress "every record is read, overwritten or counted as lost" --seed 11
stress "the same with clocks and ends changed about" --seed 12
stress "more writers than CPUs, ten levels where eight are kept account of" \
	--seed 13 --writers 5 --depth 10 --sub-buffer 512
stress "one writer, two levels, the smallest ring" \
	--seed 14 --writers 1 --depth 2 --sub-buffer 256 --nr-sub-buffers 2
stress "nothing nests" --seed 15 --writers 1 --depth 1 --sub-buffer 1024
