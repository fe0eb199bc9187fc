#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What babeltrace2 reads in a trace folder of ours is what our reader reads:
# every record with its time and fields, in the same order, and what was lost.
show=${OPROF_TOP_BUILDDIR:-$PWD}/tests/tools/trace_show
if ! command -v babeltrace2 >/dev/null 2>&1; then
	echo "1..0 # SKIP no babeltrace2"
	exit 0
fi
tree=$(mktemp -d "${TMPDIR:-/tmp}/oprof-test.XXXXXX") || exit 99
trap 'rm -rf "$tree"' EXIT
nr=0

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
	fi
}

# Padding records are records like others to babeltrace2. Its warnings tell losses.
read_both() { # FOLDER OPTION...: into ours, theirs, summary, warnings
	folder=$1
	shift
	"$show" records "$folder" >"$tree/ours" || return 1
	"$show" summary "$folder" >"$tree/summary" || return 1
	babeltrace2 --clock-cycles --no-delta "$@" "$folder" >"$tree/all" 2>"$tree/warnings" ||
		return 1
	grep -v ' oprof_padding' "$tree/all" >"$tree/theirs"
	! grep -v '^WARNING: Tracer' "$tree/warnings"
}

of_summary() { # WORD: its number in the line "all"
	sed -n "s/^all:.* $1 \([0-9]*\).*/\1/p" "$tree/summary"
}

warned() { # event|packet: sum of what was discarded
	sed -n "s/^WARNING: Tracer discarded \([0-9]*\) $1.*/\1/p" "$tree/warnings" |
		awk '{ sum += $1 } END { print sum + 0 }'
}

echo 1..7
same=0
lost=0
overwritten=0
padding=0
for seed in 1 2 3 4 5; do
	"$show" make "$tree/$seed" "$seed" 40 || exit 99
	read_both "$tree/$seed" && [ "$(wc -l <"$tree/ours")" -gt 5000 ] || same=1
	diff "$tree/ours" "$tree/theirs" | head -n 4 | sed 's/^/# /'
	cmp -s "$tree/ours" "$tree/theirs" || same=1
	# Of what the first packet tells babeltrace2 does not know how much is new.
	[ "$(warned event)" = $(($(of_summary lost) - $(of_summary lost_before))) ] &&
		[ "$(warned event)" -gt 0 ] || lost=1
	[ "$(warned packet)" = "$(of_summary lost_overwritten)" ] &&
		[ "$(warned packet)" -gt 0 ] || overwritten=1
	[ "$(grep -c ' oprof_padding' "$tree/all")" = "$(of_summary padding)" ] || padding=1
done
result $same "every_record_and_field_is_the_same_to_babeltrace2"
result $lost "lost_records_are_its_discarded_events"
result $overwritten "overwritten_packets_are_its_discarded_packets"
result $padding "padding_records_are_as_many"

# 1700000000.123456789 and the stamp of the first record.
first=$(sed -n 's/^all:.* first \([0-9]*\),.*/\1/p' "$tree/summary")
seconds=$(echo "$first" | awk '{ printf "%d.%09d", 1700000000 + int(($1 + 123456789) / 1e9),
	($1 + 123456789) % 1000000000 }')
babeltrace2 --clock-seconds --no-delta "$tree/5" 2>/dev/null | grep -v ' oprof_padding' |
	head -n 1 >"$tree/line"
grep -q "^\[$seconds\]" "$tree/line"
result $? "stamps_are_of_the_clock_that_metadata_tells"

babeltrace2 -c sink.text.details "$tree/5" 2>/dev/null >"$tree/details"
grep -q 'domain: kernel' "$tree/details" && grep -q 'tracer_name: lttng-modules' "$tree/details" &&
	grep -q 'tracer_minor: 13' "$tree/details" && grep -q "Description: a test's clock" "$tree/details"
result $? "environment_and_clock_are_told"

# Cut within a packet: babeltrace2 stops, we read what is before it.
"$show" make "$tree/cut" 9 20 || exit 99
truncate -s -100 "$tree/cut/channel_0"
! "$show" records "$tree/cut" >"$tree/ours" 2>"$tree/errors" &&
	grep -q 'channel_0: packet 19, .*the file ends within the packet' "$tree/errors" &&
	[ "$(wc -l <"$tree/errors")" = 1 ] && grep -q 'cpu_id = 3,' "$tree/ours" &&
	grep -q 'cpu_id = 0,' "$tree/ours"
result $? "of_a_cut_file_all_before_the_last_packet_is_read"
