#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of part_unload.sh.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
nr_rounds=10
[ -z "$all" ] || nr_rounds=200
# NMIs: by inter-processor interrupt (kmod/storm.h), or by the PMU.
case $guest in
arm64*) event=0:0:50000 ;;
*) event=0x53540000:0:20000 ;;
esac

# Programs that come and go all the time, on all CPUs.
load_storm "$seed" 36000000 1 /bin/load_storm /bin/plug_a.so,/bin/plug_b.so &
first=$!
load_storm $((seed + 1)) 36000000 1 /bin/load_storm /bin/plug_a.so,/bin/plug_b.so &
second=$!
state=$seed
random_below() # LIMIT: $random
{
	state=$((state * 16807 % 2147483647))
	random=$((state % $1))
}

# A reader that is killed anywhere: the module has to take itself apart.
killed_reader()
{
	kmod_read -d 8 -S -e $event -t 3600 >"$work/read" 2>&1 &
	reader=$!
	until_true grep -q '^1' "$control/enable" || return
	random_below 500000
	usleep "$random"
	kill -9 $reader
	wait $reader
	# Its load is its children, who have the buffer open, too.
	killall -9 kmod_read 2>/dev/null
	run_is_closed && reader_is_gone
}

# They die in their own time. Till then the run goes on, and what it holds comes and goes, to
# nothing at times: only where nobody has the buffer open are the counts the last.
run_is_closed()
{
	until_true umount $control && mount -t oprofilefs none $control
}

# Closing ends the run: references are let go.
reader_is_gone()
{
	[ "$(stat_of references_taken)" = "$(stat_of references_dropped)" ]
}

whole_reader()
{
	kmod_read -d 8 -S -e $event -c 1024 -t 1 >"$work/read" 2>&1
}

nr=0
nr_killed=0
while [ $nr -lt $nr_rounds ]; do
	nr=$((nr + 1))
	module_load || break
	random_below 10
	if [ "$random" -lt 4 ]; then
		nr_killed=$((nr_killed + 1))
		killed_reader || break
		module_unload || break
		continue
	fi
	whole_reader || break
	reader_is_gone || break
	seen=$(stat_of seen)
	[ "$seen" -gt 0 ] || break
	[ "$(stat_of in_nmi)" = "$seen" ] || break
	module_unload || break
done
[ $nr = $nr_rounds ] && [ ! -d /sys/module/oprof ]
ends=$?
ok $ends "loaded, read, unloaded under a storm of NMIs, $nr_rounds times ($nr_killed readers killed)"
if [ $ends != 0 ]; then
	note "round $nr:"
	show "$work/read"
	for stat_file in seen in_nmi references_taken references_dropped; do
		note "$stat_file $(stat_of $stat_file)"
	done
	# Who has not come to its end, and where it waits.
	for task in /proc/[0-9]*; do
		case $(cat "$task/comm" 2>/dev/null) in
		kmod_read | oprof*)
			note "$task: $(cat "$task/comm"), $(sed -n 's/^State:.//p' "$task/status")"
			sed 's/^/# | /' "$task/stack"
			;;
		esac
	done
fi
grep -v '^image' "$work/read" >"$work/last"
show "$work/last" 10
kill -9 $first $second
finish
