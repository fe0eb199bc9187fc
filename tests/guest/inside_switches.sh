#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest of part_switches.sh.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
ms=3000

[ "$source" != kmod ] || module_load || bail "the module does not load"
daemon_start switches "$source" -e "$(event_here)" -e off-cpu --frequency=997 \
	--separate=lib,thread
off_cpu_program $ms >"$work/own"
ok $? "threads that know how long they were off CPU ran"
daemon_stop switches
daemon_balances switches
[ "$source" != kmod ] || is "$(stat_of switches_lost)" 0 "no switch was lost"

# Each thread's time by its own clocks is what its files hold: but for 3 % of
# interrupts' time and the like, a few ms for what waits to be told, and what test_off_cpu.sh allows
# for CPUs that are stopped; no hypervisor here tells of stolen time.
stopped=$(awk 'NF == 1' "$work/own")
sed -i '/ /!d' "$work/own"
while read -r name tid least most; do
	files=$(find "$work/switches/samples/current" -type f -path '*/off_cpu_program/*' \
		-name "off-cpu.1.0.*.$tid.*")
	is=0
	# shellcheck disable=SC2086 # paths
	[ -z "$files" ] || is=$(off_cpu_sum $files | awk '{ sum += $3 } END { printf "%.0f", sum }')
	awk -v is="$is" -v least="$least" -v most="$most" -v stopped="$stopped" 'BEGIN {
		slack = 0.03 * most + 40000000 + (stopped < most / 4 ? stopped : most / 4)
		exit !(is > least - slack && is < most + slack) }'
	ok $? "$name was off for $least to $most ns, and $is are told"
done <"$work/own"
is "$(grep -c . "$work/own")" 3 "there are 3 threads"
is "$(find "$work/switches/samples/current" -name 'off-cpu.*.0.0.all*' | grep -c .)" 0 \
	"the idle task is not off"
daemon_end switches
[ "$source" != kmod ] || {
	module_let_go
	module_unload
	ok $? "the module is unloaded"
}
finish
