#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Trace folders of stressed rings, by another reader: babeltrace2 finds no
# error, and as many records, discarded events and packets as were counted.
top=${OPROF_TOP_BUILDDIR:-$(pwd)}
command -v babeltrace2 >/dev/null || {
	echo "1..0 # SKIP babeltrace2 is not installed"
	exit 0
}
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
nr=0

result() { # STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
	fi
}

ours() { # MODE WORD
	sed -n "s/^folder $1:.* $2 \([0-9]*\).*/\1/p" "$folder/ours"
}

# The sum of "Tracer discarded N events between ..." lines.
discarded() { # WORD
	sed -n "s/^WARNING: Tracer discarded \([0-9]*\) $1s* .*/\1/p" "$folder/warnings" |
		awk '{ sum += $1 } END { print sum + 0 }'
}

same() { # MODE OURS THEIRS NAME
	echo "# $1: $2, babeltrace2 $3"
	[ -n "$2" ] && [ "$2" -gt 0 ] && [ "$2" = "$3" ]
	result $? "$4 of a run in $1 mode"
}

compare() { # MODE
	timeout 300 babeltrace2 "$folder/traces/$1" >"$folder/records" 2>"$folder/warnings"
	status=$?
	grep -vE '^WARNING: Tracer (may have )?discarded ' "$folder/warnings" | head -n 20 |
		sed 's/^/# /'
	[ "$status" = 0 ] && ! grep -qvE '^WARNING: Tracer (may have )?discarded ' "$folder/warnings"
	result $? "no error reading a run in $1 mode"
	theirs=$(grep -cE '\) (full|short)_[0-9]+: ' "$folder/records")
	same "$1" "$(ours "$1" records)" "$theirs" "as many records"
	theirs=$(grep -cvE '\) (full|short)_[0-9]+: ' "$folder/records")
	same "$1" "$(ours "$1" padding)" "$theirs" "as many padding records"
	same "$1" "$(ours "$1" lost)" "$(discarded event)" "as many discarded events"
}

echo "1..10"
mkdir "$folder/traces" || exit 99
timeout 600 "$top/tests/stress/stress_ring" --seconds 1 --seed 31 --sub-buffer 512 \
	--folder "$folder/traces" >"$folder/ours"
result $? "the runs lap their rings, lose records and extend headers"
sed 's/^/# /' "$folder/ours"
compare discard
compare overwrite
same overwrite "$(ours overwrite missing_packets)" "$(discarded packet)" "as many discarded packets"
