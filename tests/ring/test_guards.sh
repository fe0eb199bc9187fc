#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each guard of ring/guards.h is needed: without it the test of the fault that
# it is for fails, and each fault has such a guard. A guard without a line here
# is a failure, too.
if [ -n "$OPROF_NO_VARIANTS" ]; then
	echo "1..0 # SKIP what it compiles is the same in every build"
	exit 0
fi
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT

# GUARD FAULT TEST: the number that test_ring_*.c gives to the fault. RELEASE
# orders memory, which thread sanitizers see and no scheduler does:
# tests/stress/test_tsan.sh. WRAP is for positions of 16 bits.
table='
RECHECK 1 a_nested_switch_costs_the_interrupted_writer_nothing
RECHECK 1 a_record_is_refused_only_where_there_was_no_room
FULL_ATOMICS 2 a_flush_beside_the_writer_corrupts_no_count
FLUSH_EMPTY 3 an_empty_sub_buffer_is_not_flushed
ASKED 4 a_packet_that_was_asked_for_is_found_wherever_writers_are
EXACT_END 5 a_slot_at_a_sub_buffers_end_touches_nothing_behind_it
CLOCK_IN_LOOP 6 packets_times_hold_their_records_and_do_not_overlap
LOST_IN_LOOP 7 losses_that_packets_tell_never_shrink
REACHED 8 the_open_packet_of_a_dead_writer_is_found
SIZES 9 sizes_that_cannot_work_are_refused
TOLD 10 nothing_follows_the_end
TOLD 10 no_empty_packet_follows_the_end
COVER 11 a_copy_that_fails_ends_its_slot_all_the_same
COVER 11 interrupts_that_cancel_harm_nothing
DELIVERED 12 a_dead_writer_stalls_no_lap
SPARE 13 a_reader_may_die_at_any_step_and_another_goes_on
UNREAD 14 the_end_is_told_only_when_all_is_read
WRAP 15 a_ring_goes_on_where_its_positions_wrap
ENTER 16 a_packet_with_an_open_slot_is_not_entered_nor_delivered
CLAIM - a_nested_writer_writes_to_no_memory_of_the_reader
NOREF - what_a_reader_holds_is_not_written
TAG - a_reader_that_is_lapped_takes_no_packet_for_another
PUT - what_a_reader_holds_is_not_written
ID_FIRST - nested_writers_enter_a_place_only_when_all_of_it_is_set
ADD_RETURN - a_flush_beside_the_writer_corrupts_no_count
FLUSH_TIME - a_stamp_read_early_is_not_before_the_flush
TOO_BIG - a_record_that_fits_nowhere_switches_nothing
VALID - a_writer_killed_two_levels_deep_leaves_what_it_acknowledged
INVALIDATE - records_behind_a_dead_writers_hole_are_found
SPOILED - a_writer_killed_two_levels_deep_leaves_what_it_acknowledged
OVERLAP - records_behind_a_dead_writers_hole_are_found
ENDED - a_slot_is_counted_as_killed_only_if_a_padding_record_covers_it
FLUSHED - records_behind_a_dead_writers_hole_are_found
SPOILED - a_writer_killed_under_its_interrupts_leaves_what_it_acknowledged
'
guards=$(sed -n 's/^#ifndef RING_GUARD_\([A-Z_]*\)$/\1/p' "$top/ring/guards.h" |
	grep -v '^RELEASE$')

check_libs=$(pkg-config --cflags --libs check) || {
	echo "1..0 # SKIP no Check"
	exit 0
}

compile() { # FOLDER FILE OPTION...
	object=$folder/$1/$(echo "$2" | tr / _).o
	source=$top/$2
	shift 2
	# shellcheck disable=SC2086 # words
	"${CC:-cc}" -D_GNU_SOURCE -I"$top" -I"$top/include" -O1 $word \
		-DRING_PORT_H='"tests/ring/port_steps.h"' "$@" -c "$source" -o "$object" \
		$check_libs || exit 99
}

# What does not see the guards: once for each word.
compile_common() { # FOLDER
	[ ! -d "$folder/$1" ] || return 0
	mkdir "$folder/$1"
	compile "$1" tests/ring/steps.c
	compile "$1" tests/ring/packet_check.c
	compile "$1" tests/ring/world.c
	compile "$1" tests/fixture/packet_decode.c
	compile "$1" tests/ring/test_ring_orders.c
}

# The ring without the guard.
compile_ring() { # GUARD
	rm -rf "$folder/ring"
	mkdir "$folder/ring"
	for path in ring/ring.c ring/ring_read.c ring/ring_repair.c ring/ring_write.c; do
		compile ring "$path" "-DRING_GUARD_$1=0"
	done
}

# The program that has the test: orders see the ring through ring_calls.c alone.
link() { # GUARD TEST
	if grep -q "^START_TEST($2)" "$top/tests/ring/test_ring_orders.c"; then
		own=tests/ring/ring_calls.c
		others="steps packet_check world test_ring_orders"
	else
		own="tests/ring/scene.c tests/ring/test_ring_faults.c"
		others="steps packet_decode"
	fi
	rm -rf "$folder/own"
	mkdir "$folder/own"
	for path in $own; do
		compile own "$path" "-DRING_GUARD_$1=0"
	done
	for name in $others; do
		cp "$folder/$common"/*_"$name".c.o "$folder/own" || exit 99
	done
	# shellcheck disable=SC2086 # words
	"${CC:-cc}" "$folder"/own/*.o "$folder"/ring/*.o -o "$folder/program" $check_libs || exit 99
}

fails() { # TEST: it must be there, and say so
	CK_RUN_CASE=$1 CK_DEFAULT_TIMEOUT=60 timeout 300 "$folder/program" >"$folder/log" 2>&1 &&
		return 1
	grep '^not ok' "$folder/log" | head -n 1 | cut -c 1-300 | sed 's/^not ok [0-9]* - /# /'
	grep -q '^not ok' "$folder/log"
}

tell() { # STATUS WHAT
	nr=$((nr + 1))
	[ "$1" = 0 ] || printf 'not '
	echo "ok $nr - $2"
}

nr=0
for guard in $guards FULL_ATOMICS; do
	word=
	common=words_of_64
	[ "$guard" != WRAP ] || {
		word=-DRING_WORD=uint16_t
		common=words_of_16
	}
	compile_common "$common"
	compile_ring "$guard"
	tests=$(echo "$table" | sed -n "s/^$guard [0-9-]* //p")
	[ -n "$tests" ] || tell 1 "guard $guard has a test"
	for test in $tests; do
		link "$guard" "$test"
		fails "$test"
		tell $? "without guard $guard: $test fails"
	done
done
for fault in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	echo "$table" | grep -q "^[A-Z_]* $fault "
	tell $? "fault $fault has a guard and a test"
done
echo "1..$nr"
