#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of part_hotplug.sh.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
nr_rounds=2
[ -z "$all" ] || nr_rounds=20
online=/sys/devices/system/cpu/cpu1/online

[ -w $online ] || bail "CPU 1 can't go offline here"
module_load || bail "the module does not load"
daemon_start hotplug kmod -e "$(event_here)" --frequency=997 --separate=cpu

seen_there()
{
	opcontrol "--session-dir=$work/hotplug" --dump || bail "no dump"
	stat_of cpu1/seen
}

# sampled_since NUMBER: CPU 1 is, soon: on a busy machine its first load may hardly run there
sampled_since()
{
	tries=10
	while [ $tries -gt 0 ]; do
		load_spin 300 1
		[ "$(seen_there)" -le "$1" ] || return 0
		tries=$((tries - 1))
	done
	return 1
}

# All the time, on both, wherever they are let.
load_spin 3600000 &
first=$!
load_spin 3600000 &
second=$!
nr=0
went=0
silent=0
came_back=0
while [ $nr -lt $nr_rounds ]; do
	nr=$((nr + 1))
	before=$(seen_there)
	load_spin 300 1
	after=$(seen_there)
	[ "$after" -gt "$before" ] || note "round $nr: no samples of CPU 1: $before, $after"
	echo 0 >$online && went=$((went + 1))
	offline=$(seen_there)
	load_spin 300 0
	[ "$(seen_there)" = "$offline" ] && silent=$((silent + 1))
	echo 1 >$online || note "round $nr: CPU 1 does not come back"
	sampled_since "$offline" && came_back=$((came_back + 1))
done
# And offline when all ends, with what it wrote before.
load_spin 300 1
echo 0 >$online
is $went $nr_rounds "CPU 1 went offline and came back $nr_rounds times, under load"
is $silent $nr_rounds "while it was offline it had no samples"
is $came_back $nr_rounds "each time it came back it was sampled again"
kill $first $second
daemon_stop hotplug
daemon_balances hotplug
module_balances
note "counters_failed $(stat_of counters_failed), counters_remade $(stat_of counters_remade)"
daemon_end hotplug
echo 1 >$online
module_let_go
opreport -l -n --by=cpu "--session-dir=$work/hotplug" >"$work/symbols" 2>"$work/coverage"
ok $? "opreport tells CPUs apart"
show "$work/symbols" 8
for cpu in 0 1; do
	grep -q "cpu:$cpu  *load_spin$" "$work/symbols"
	ok $? "the load was seen on CPU $cpu"
done
module_unload
ok $? "the module is unloaded"
finish
