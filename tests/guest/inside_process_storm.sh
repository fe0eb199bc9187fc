#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of part_process_storm.sh.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
ms=6000
[ -z "$all" ] || ms=30000
programs=/bin/storm_a,/bin/storm_b,/bin/storm_c,/bin/storm_d
plugs=/bin/plug_a.so,/bin/plug_b.so,/bin/plug_c.so

[ "$source" != kmod ] || module_load || bail "the module does not load"
daemon_start storm "$source" -e "$(event_here)" --frequency=1999 --separate=lib,kernel
storm_a "$seed" $ms 3 $programs $plugs &
first=$!
storm_b $((seed + 1)) $ms 3 $programs $plugs && wait $first
ok $? "a storm of forks, programs, threads, libraries and mappings passed"
daemon_stop storm
daemon_balances storm
[ "$source" != kmod ] || module_balances
daemon_end storm
opreport -l -n "--session-dir=$work/storm" >"$work/symbols" 2>"$work/coverage"
ok $? "opreport -l shows it"
show "$work/symbols" 10
show "$work/coverage"
if [ "$source" = kmod ]; then
	for stat_file in unmaps unmaps_lost unmaps_used processes processes_ended images references_taken; do
		note "module: $stat_file $(stat_of $stat_file)"
	done
	module_let_go
	module_unload
	ok $? "the module is unloaded"
fi

# Of programs and libraries that name themselves in their functions: a program
# runs in no other's name, no function is another file's, none is one that never runs.
awk '{ nr = $1; image = $3; app = $4; symbol = $5; own = image; sub(/\.so$/, "", own) }
	image ~ /^(storm|plug)_/ {
		is_wrong = image ~ /^storm_/ && image != app
		is_wrong = is_wrong || symbol ~ /_never/
		is_wrong = is_wrong || (symbol ~ /^(storm|plug)_/ && index(symbol, own "_") != 1)
		is_wrong = is_wrong || $0 ~ /\(no symbols\)/ || app !~ /^storm_/
		if (is_wrong) { wrong += nr; print "# wrong:", $0 } else right[own] += nr
		next
	}
	symbol ~ /^(storm|plug)_._/ { wrong += nr; print "# wrong:", $0 }
	END {
		print "wrong", wrong + 0
		for (own in right) print "right", own, right[own]
	}' "$work/symbols" >"$work/verdict"
show "$work/verdict"
is "$(awk '$1 == "wrong" { print $2 }' "$work/verdict")" 0 "no sample has another's program or function"
is "$(grep -c '^right' "$work/verdict")" 7 "all programs and libraries are there"
finish
