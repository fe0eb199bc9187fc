#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kills notice that the guard of their own accounting is missing; and, with OPROF_CHECK_ALL=1, each
# guard of the stack of open slots, and of repair, that is taken out of the ring: in the gate
# tests/ring/test_guards.sh does that.
if [ -n "$OPROF_NO_VARIANTS" ]; then
	echo "1..0 # SKIP what it compiles is the same in every build"
	exit 0
fi
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
nr=0

if ! flags=$(pkg-config --cflags --libs check 2>/dev/null) || ! command -v cc >/dev/null; then
	echo "1..0 # SKIP no compiler or no Check"
	exit 0
fi

build() { # the guard's macro
	# The flags are words.
	# shellcheck disable=SC2086
	cc -D_GNU_SOURCE -O1 -I"$top" -I"$top/include" "-D$1=0" \
		-DRING_PORT_H='"tests/kills/kill_port.h"' "$top"/tests/kills/kill_*.c \
		"$top"/tests/kills/test_ring_kills.c "$top"/ring/*.c -o "$folder/kills" $flags
}

guards="KILL_GUARD_ADDING"
[ -z "$OPROF_CHECK_ALL" ] || guards="$guards RING_GUARD_VALID RING_GUARD_INVALIDATE RING_GUARD_SPOILED
	RING_GUARD_OVERLAP RING_GUARD_REACHED RING_GUARD_FLUSHED RING_GUARD_DELIVERED"
for guard in $guards; do
	nr=$((nr + 1))
	build "$guard" || exit 99
	if env -u OPROF_KILLS "$folder/kills" >"$folder/log" 2>&1; then
		echo "ok $nr - kills notice that the guard $guard is missing"
	else
		echo "not ok $nr - kills notice that the guard $guard is missing"
	fi
	sed 's/^/# /' "$folder/log"
done
echo "1..$nr"
