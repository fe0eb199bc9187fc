#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of part_sources.sh.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
nr_pairs=20
ms=600
[ -z "$all" ] || ms=2000

[ "$source" != kmod ] || module_load || bail "the module does not load"

# measure ROUND: both profile the same runs; the comparison to $work/comparison
measure()
{
	# Not the same frequency: timers that expire together would see the same places.
	daemon_start ours "$source" -e "$(event_here)" --frequency=997 --separate=lib,kernel
	daemon_start theirs perf -e "$(event_here)" --frequency=1009 --separate=lib,kernel
	nr=0
	while [ $nr -lt $nr_pairs ]; do
		nr=$((nr + 1))
		cp /bin/load_pair "/tmp/pair$nr"
		"/tmp/pair$nr" $((seed + 1000 * $1 + nr)) $ms || break
	done
	is $nr $nr_pairs "$nr_pairs runs, each of both sources"
	for one in ours theirs; do
		daemon_stop $one
		daemon_balances $one
		daemon_end $one
		opreport -l -n "--session-dir=$work/$one" >"$work/$one.symbols" 2>"$work/$one.coverage"
		ok $? "$one: opreport -l shows it"
		show "$work/$one.symbols" 5
	done
	[ "$source" != kmod ] || module_let_go

	# "APPLICATION IMAGE:SYMBOL OURS THEIRS", grouped by application
	awk '{ name = $4 " " $3 ":" $5 } $4 !~ /^pair/ { next }
		FNR == NR { ours[name] = $1; all[name]; next }
		{ theirs[name] = $1; all[name] }
		END { for (name in all) print name, ours[name] + 0, theirs[name] + 0 }' \
		"$work/ours.symbols" "$work/theirs.symbols" | sort >"$work/cells"
	is "$(awk '{ print $1 }' "$work/cells" | sort -u | grep -c .)" $nr_pairs \
		"all runs are in both profiles"
	compare_shares <"$work/cells" >"$work/comparison"
	ok $? "the shares of all symbols are compared"
	show "$work/comparison"
}

is_alike()
{
	awk -v nr=$nr_pairs '$1 == "freedom" { freedom = $2 } $1 == "p" { p = $2 }
		END { exit !(freedom >= nr && p > 0.001) }' "$work/comparison"
}

# Sources that are alike fail that once in a thousand times, and hardly ever twice in a row;
# those that differ do always.
measure 0
is_alike || {
	note "p is at most 0.001: once more, with other runs"
	measure 1
}
is_alike
ok $? "both sources found the same shares (p > 0.001)"
[ "$source" != kmod ] || {
	module_unload
	ok $? "the module is unloaded"
}
finish
