#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A daemon on a small disk that is full, runs full, has a quota, or turns
# read-only: it lives, says it once, counts what it costs, and goes on when
# there is room. (What closing and merging do then: tests/unit/daemon/history/test_history_disk.)
if [ -z "${OPROF_TEST_INSIDE:-}" ] && [ "$(id -u)" = 0 ]; then
	# No mount of this test is seen by others, or outlives it.
	OPROF_TEST_INSIDE=1 exec unshare --mount --propagation private "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || tap_skip_all "needs root: mounts file systems, profiles the whole machine"
perf_system_works || tap_skip_all "performance events are refused here"
$CC -O1 -pthread -o "$T/storm" "$E2E/storm.c" || tap_bail "the storm does not build"
$CC -O1 -o "$T/quota_limit" "$E2E/quota_limit.c" || tap_bail "quota_limit does not build"
D="$T/disk"
S="$D/session"
mkdir "$D"

unmount()
{
	umount "$D" 2>/dev/null || umount -l "$D" 2>/dev/null
}
trap 'unmount; cleanup' EXIT

# make_disk MIB OPTIONS MKFS...: a new file system at $D
make_disk()
{
	disk_mib=$1 disk_options=$2
	shift 2
	rm -f "$T/image"
	truncate -s "${disk_mib}M" "$T/image" && mkfs.ext4 -q -F "$@" "$T/image" >/dev/null 2>&1 &&
		mount -o "loop$disk_options" "$T/image" "$D" 2>"$T/err"
}

fill()
{
	dd if=/dev/zero of="$D/ballast" bs=64k >/dev/null 2>&1
	dd if=/dev/zero of="$D/ballast2" bs=512 >/dev/null 2>&1
}

start()
{
	: >"$T/log"
	"$BIN/oprofiled" "--session-dir=$S" "--log-file=$T/log" --start --event=cpu-clock \
		--frequency=997 --separate=lib,thread "$@" 2>"$T/err"
	start_status=$?
	[ $start_status -eq 0 ] || tap_show "$T/err"
	daemon=$(cat "$S/lock" 2>/dev/null)
	[ -z "$daemon" ] || cleanup_pid "$daemon"
	return $start_status
}

control()
{
	"$BIN/opcontrol" "--session-dir=$S" "$@" >"$T/out" 2>"$T/err"
}

value()
{
	"$BIN/opcontrol" "--session-dir=$S" --status 2>/dev/null |
		awk -v key="$1" '$1 == key { print $2; exit }'
}

# balance WHEN: what is counted agrees, and files are good
balance()
{
	check_conservation "$S"
	tap_ok $? "$1: seen = stored + idle + lost"
	"$BIN/opcheck" "$S" >"$T/out" 2>&1
	check_status=$?
	[ $check_status -eq 0 ] || tap_show "$T/out"
	tap_ok $check_status "$1: every file and slice is good"
}

# The daemon has ended: end_balance WHEN
end_balance()
{
	balance "$1"
	"$BIN/opreport" "--session-dir=$S" -n -m all >"$T/flat" 2>"$T/coverage"
	tap_is "$(sum_flat "$T/flat")" \
		$(($(session_counter "$S" stored) - $(session_counter "$S" expired) + \
			$(session_counter "$S" expired_idle))) "$1: and they hold what was stored"
}

is_in_budget()
{
	budget=$(value budget_bytes)
	taken=$(du -s -B1 "$S/samples/current" 2>/dev/null | cut -f 1)
	[ "$taken" -le "$budget" ]
}

# It makes room once a second; what is in the way is written by a child.
in_budget()
{
	until_true is_in_budget
	tap_ok $? "$1: $taken bytes are on disk, within the budget of $budget"
}

# Room is made: ext4 gives blocks back when its journal is written, and a file
# that failed is tried again a second later (RETRY_NS), its samples lost till then.
room_is_seen()
{
	sync -f "$D"
	sleep 1.2
	until_true loses_nothing
}

# Nothing is lost from one dump to the next, of new files neither.
loses_nothing()
{
	lost=$(session_counter "$S" lost_disk)
	"$T/storm" threads 10 >/dev/null
	control --dump && [ "$(session_counter "$S" lost_disk)" -eq "$lost" ]
}

# ---- a disk that is full ----

# The budget, half of the disk, has room for a minute's files of everything that runs beside this test:
# each of their threads has files of its own, which may take half of the budget.
make_disk 192 "" || tap_skip_all "no file system can be mounted here: $(cat "$T/err")"
fill
! start
tap_ok $? "on a disk that is full from the start it does not start"
tap_has "$T/err" 'No space left' "and says why"
rm "$D"/ballast*
start --history-bytes=96M
tap_is $? 0 "with room it does"
"$T/storm" threads 200 >/dev/null
control --dump
tap_is "$(session_counter "$S" lost_disk)" 0 "and loses nothing"
fill
"$T/storm" threads 400 >/dev/null
sleep 1.5
"$T/storm" threads 400 >/dev/null
control --dump
kill -0 "$daemon"
tap_ok $? "it lives when the disk runs full"
lost=$(session_counter "$S" lost_disk)
[ "$lost" -gt 0 ]
tap_ok $? "what finds no room is counted ($lost samples)"
grep 'samples are being lost' "$T/log" >"$T/told"
tap_is "$(wc -l <"$T/told")" 1 "and told once"
tap_show "$T/told"
tap_has "$T/log" 'No space left' "with its reason"
balance "full"
"$BIN/oprof" status "--session-dir=$S" >"$T/out" 2>&1
tap_has "$T/out" 'disk' "oprof status tells of the loss"
rm "$D"/ballast*
room_is_seen
lost=$(session_counter "$S" lost_disk)
stored=$(session_counter "$S" stored)
"$T/storm" threads 300 >/dev/null
control --dump
tap_is "$(session_counter "$S" lost_disk)" "$lost" "with room again nothing more is lost"
[ "$(session_counter "$S" stored)" -gt "$stored" ]
tap_ok $? "and samples are stored"
in_budget "with room again"
control --shutdown
tap_is $? 0 "it ends"
end_balance "at the end"

# ---- more keys than the budget has room for ----

# The budget, half of the disk, has room for what is not dropped: the kernel's symbols (2 MB), and the
# quarter that symbols of binaries that ran beside this test may take.
unmount
make_disk 12 "" || tap_bail "no small disk"
start
tap_is $? 0 "it starts on a disk of 12 MiB"
# The dump waits until the storm's samples are stored. If the disk became full before, no slice could
# be written, and without a slice their files would stay.
for round in 1 2 3 4; do
	"$T/storm" threads 500 >/dev/null
	control --dump
	in_budget "storm $round"
done
fill
"$T/storm" threads 300 >/dev/null
in_budget "full"
rm "$D"/ballast*
"$T/storm" threads 300 >/dev/null
has_slices()
{
	control --dump
	[ "$(value slices)" -gt 0 ]
}
until_true has_slices
tap_ok $? "minutes are closed early for it ($(value slices) slices, $(session_counter "$S" expired) samples dropped)"
# All in one round, more than the minute's files may take: the slice still finds room.
nr_before=$(wc -l <"$T/log") # on a full disk it could not be, and that was told
kill -STOP "$daemon"
for round in 1 2 3 4 5 6; do
	"$T/storm" threads 500 >/dev/null
done
kill -CONT "$daemon"
control --dump
in_budget "a burst"
tail -n +$((nr_before + 1)) "$T/log" | grep 'cannot write the slice' >"$T/told"
tap_is "$(wc -l <"$T/told")" 0 "its minute is closed"
tap_show "$T/told"
control --shutdown
end_balance "a small budget"

# ---- limits on the size of files, as shells set them ----

rm -rf "$S"
(ulimit -f 2000 && start --separate=none)
tap_is $? 0 "it starts with a limit on the size of files"
daemon=$(cat "$S/lock")
cleanup_pid "$daemon"
head -c 1030000 /dev/zero >>"$T/log"
kill -HUP "$daemon"
"$T/storm" threads 100 >/dev/null
control --dump
kill -0 "$daemon"
tap_ok $? "and lives when its log has reached it"
control --shutdown
end_balance "a limit"
unmount

# ---- a quota ----

if make_disk 24 ,usrquota -O quota -E quotatype=usrquota; then
	device=$(awk -v at="$D" '$2 == at { print $1 }' /proc/self/mounts)
	start
	"$T/storm" threads 50 >/dev/null
	used=$(du -s -k "$D" | cut -f 1)
	if "$T/quota_limit" "$device" 0 $((used + 200)) 2>"$T/err"; then
		"$T/storm" threads 600 >/dev/null
		control --dump
		kill -0 "$daemon"
		tap_ok $? "it lives when its user's quota is used up"
		lost=$(session_counter "$S" lost_disk)
		[ "$lost" -gt 0 ]
		tap_ok $? "what finds no room is counted ($lost samples)"
		tap_has "$T/log" 'quota' "and told"
		balance "over quota"
		"$T/quota_limit" "$device" 0 0
		room_is_seen
		lost=$(session_counter "$S" lost_disk)
		"$T/storm" threads 100 >/dev/null
		control --dump
		tap_is "$(session_counter "$S" lost_disk)" "$lost" "with a larger one it goes on"
	else
		tap_note "no quota can be set: $(cat "$T/err")"
	fi
	control --shutdown
	end_balance "quota, at the end"
	unmount
else
	tap_note "this kernel's ext4 has no quota: $(cat "$T/err")"
fi

# ---- a disk that fails: the file system turns read-only ----

make_disk 24 "" || tap_bail "no second file system"
start
"$T/storm" threads 100 >/dev/null
control --dump
if mount -o remount,abort "$D" 2>"$T/err" || mount -o remount,ro "$D" 2>"$T/err"; then
	"$T/storm" threads 200 >/dev/null
	sleep 1.5
	"$T/storm" threads 200 >/dev/null
	control --dump
	kill -0 "$daemon"
	tap_ok $? "it lives on a file system that has turned read-only"
	# Of one answer: it samples meanwhile.
	"$BIN/opcontrol" "--session-dir=$S" --status >"$T/out" 2>/dev/null
	seen=$(awk '$1 == "seen" { print $2 }' "$T/out")
	sum=$(awk '$1 ~ /^(stored|idle|lost_.*)$/ { sum += $2 } END { print sum + 0 }' "$T/out")
	tap_is "$sum" "$seen" "and accounts for each sample"
	[ "$(grep -c . "$T/log")" -lt 30 ]
	tap_ok $? "in few words ($(grep -c . "$T/log") lines)"
	control --shutdown
	has_ended()
	{
		! kill -0 "$daemon" 2>/dev/null
	}
	until_true has_ended
	tap_ok $? "and ends when told to"
else
	tap_note "the file system cannot be made read-only: $(cat "$T/err")"
	control --shutdown
fi
unmount
tap_end
