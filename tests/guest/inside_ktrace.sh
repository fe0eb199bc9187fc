# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: trace sessions by ktrace_test and ktrace_rings, of a module whose storm is one of
# their sources; CPUs that go and come meanwhile; what stays.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh

mount -t tracefs none /sys/kernel/tracing 2>/dev/null
[ -d /sys/kernel/tracing/events ] || note "no tracefs"
module_load || bail "the module does not load"
note "clock $(cat $control/clock), seed $seed"
take ktrace_test
take ktrace_told
take ktrace_filters
take ktrace_rings

# ---- CPUs ----

online=/sys/devices/system/cpu/cpu1/online
if [ -w $online ]; then
	(ktrace_rings sessions_do_not_disturb_each_other a_snapshot_is_whole_while_writers_go_on &&
		ktrace_test samples_go_beside_the_events any_tracepoint_is_recorded_by_its_number \
			calls_are_recorded_one_by_one) >"$work/lines" 2>&1 &
	tracing=$!
	turns=0
	while kill -0 $tracing 2>/dev/null; do
		echo 0 >$online && turns=$((turns + 1))
		sleep 0.1
		echo 1 >$online
		sleep 0.2
	done
	wait $tracing && [ $turns -gt 0 ]
	ok $? "cpus_go_and_come_while_sessions_trace ($turns times)"
	show "$work/lines"
else
	note "CPU 1 can't go offline here"
fi

# ---- the end ----

exec 9<>$control/trace
umount -l $control
! rmmod oprof 2>/dev/null
ok $? "it_is_not_unloaded_while_a_session_is_open"
exec 9>&-
until_true rmmod oprof 2>/dev/null
ok $? "it_is_unloaded_when_the_last_one_is_closed"
cycles=3
[ -z "$all" ] || cycles=30
cycle=0
while [ $cycle -lt $cycles ]; do
	if ! module_load || ! ktrace_rings an_owner_that_is_killed_leaves_nothing >"$work/lines" 2>&1 ||
		! module_unload; then
		show "$work/lines"
		break
	fi
	cycle=$((cycle + 1))
done
is $cycle $cycles "loads, owners that are killed, and unloads, $cycles times"
finish
