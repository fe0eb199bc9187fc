#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each guard of ring/guards.h is needed: without it the test of the fault that
# it is for fails. A guard without a line here is a failure, too.
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT

# GUARD TEST; RELEASE orders memory, which thread sanitizers see and no
# scheduler does: tests/stress/test_tsan.sh.
table='
ENTER a_packet_with_an_open_slot_is_not_entered_nor_delivered
RECHECK a_nested_switch_costs_the_interrupted_writer_nothing
CLOCK_IN_LOOP packets_times_hold_their_records_and_do_not_overlap
LOST_IN_LOOP losses_that_packets_tell_never_shrink
CLAIM a_nested_writer_writes_to_no_memory_of_the_reader
NOREF what_a_reader_holds_is_not_written
TAG a_reader_that_is_lapped_takes_no_packet_for_another
PUT what_a_reader_holds_is_not_written
ID_FIRST nested_writers_enter_a_place_only_when_all_of_it_is_set
ADD_RETURN a_flush_beside_the_writer_corrupts_no_count
EXACT_END a_slot_at_a_sub_buffers_end_touches_nothing_behind_it
FLUSH_TIME a_stamp_read_early_is_not_before_the_flush
FLUSH_EMPTY an_empty_sub_buffer_is_not_flushed
TOO_BIG a_record_that_fits_nowhere_switches_nothing
ASKED a_packet_that_was_asked_for_is_found_wherever_writers_are
VALID a_writer_killed_two_levels_deep_leaves_what_it_acknowledged
INVALIDATE records_behind_a_dead_writers_hole_are_found
SPOILED a_writer_killed_two_levels_deep_leaves_what_it_acknowledged
OVERLAP records_behind_a_dead_writers_hole_are_found
REACHED the_open_packet_of_a_dead_writer_is_found
FLUSHED records_behind_a_dead_writers_hole_are_found
DELIVERED a_dead_writer_stalls_no_lap
FULL_ATOMICS a_flush_beside_the_writer_corrupts_no_count
'
guards=$(sed -n 's/^#ifndef RING_GUARD_\([A-Z_]*\)$/\1/p' "$top/ring/guards.h" |
	grep -v '^RELEASE$')

check_libs=$(pkg-config --cflags --libs check) || {
	echo "1..0 # SKIP no Check"
	exit 0
}

compile() { # FILE OPTION...
	path=$1
	shift
	# shellcheck disable=SC2086 # words
	"${CC:-cc}" -D_GNU_SOURCE -I"$top" -I"$top/include" \
		-DRING_PORT_H='"tests/ring/port_steps.h"' -O0 "$@" -c "$top/$path" \
		-o "$folder/$(echo "$path" | tr / _).o" $check_libs || exit 99
}

# The program without the guard; what does not see the ring was compiled once.
variant() { # GUARD
	for path in ring/ring.c ring/ring_read.c ring/ring_repair.c ring/ring_write.c \
		tests/ring/scene.c tests/ring/test_ring_faults.c; do
		compile "$path" "-DRING_GUARD_$1=0"
	done
	# shellcheck disable=SC2086 # words
	"${CC:-cc}" "$folder"/*.o -o "$folder/test_ring_faults" $check_libs || exit 99
}

runs() { # TEST: 0 if it passes; it must be there
	CK_RUN_CASE=$1 CK_DEFAULT_TIMEOUT=30 timeout 300 "$folder/test_ring_faults" \
		>"$folder/log" 2>&1
	status=$?
	grep -q '^1\.\.1$' "$folder/log" || {
		echo "# no such test: $1"
		return 0
	}
	return $status
}

# shellcheck disable=SC2086 # names are words
set -- $guards FULL_ATOMICS
echo "1..$#"
compile tests/ring/steps.c
compile tests/unit/packet_decode.c
nr=0
for guard in "$@"; do
	nr=$((nr + 1))
	test=$(echo "$table" | sed -n "s/^$guard //p")
	variant "$guard"
	if [ -z "$test" ] || runs "$test"; then
		printf 'not '
	fi
	echo "ok $nr - without guard $guard: $test fails"
	grep '^not ok' "$folder/log" | cut -c 1-300 | sed 's/^/# /'
	: >"$folder/log"
done
