# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# Devices as the module traces them, in guests: reads of a slow disk, packets, interrupts; what is
# waited for; and all that is recorded beside ftrace's own record of the same run, record by record.
# shellcheck source-path=SCRIPTDIR source=../e2e/beside.sh
. "$GUEST/../e2e/beside.sh"

# To same what both told in the windows of a CPU, to differs what only one did, or elsewhere.
devices_compare_cpu() # CPU
{
	beside_cut all.ours all.ftrace "$1" || return 0 # it did not switch
	grep ' switch ' "$1.ours" >switches.ours
	grep ' switch ' "$1.other" | cmp -s switches.ours - ||
		echo "CPU $1: other switches, or in another order" >>differs
	sort "$1.ours" >sorted.ours
	sort "$1.other" >sorted.other
	comm -3 sorted.ours sorted.other >>differs
	comm -12 sorted.ours sorted.other >>same
}

devices_compare() # NAME
{
	command -v babeltrace2 >/dev/null || {
		tap_skip "$1: beside ftrace's record" "babeltrace2 is not installed"
		return
	}
	mkdir "$T/$1/beside" && cd "$T/$1/beside" || return
	gzip -dc ../out/ftrace.gz | awk -f "$GUEST/../e2e/trace_normal.awk" >all.ftrace
	babeltrace2 --clock-cycles ../folders/devices 2>/dev/null |
		awk -f "$GUEST/../e2e/trace_normal.awk" >all.ours
	: >differs
	: >same
	cut -d' ' -f1 all.ours | sort -u >cpus
	while read -r cpu; do
		devices_compare_cpu "$cpu"
	done <cpus
	[ -s same ] && [ ! -s differs ]
	tap_ok $? "$1: the module tells what ftrace does, record by record ($(wc -l <same) records)"
	tap_show differs 20
	for kind in switch wakeup waking entry exit irq irqend softirq softirqend raise issue complete queue xmit \
		receive; do
		nr=$(awk -v kind="$kind" '$2 == kind' same | wc -l)
		[ "$nr" -gt 0 ]
		tap_ok $? "$1: $kind: $nr"
	done
	cd "$T" || exit
}

part_optrace_devices() # GUEST
{
	case $1 in
	x86-kasan | x86-kcsan)
		tap_skip "guest $1" "its kernel has no block device"
		return
		;;
	esac
	profile_only_module "$1" || return
	profile_prepare "$1" || return
	profile_compile "$1" load_calls
	profile_compile "$1" load_devices -lpthread
	profile_run "$1" "$GUEST/inside_optrace_devices.sh" "$profile_programs/optrace" \
		"$profile_programs/optrace-read" "$profile_programs/oprof-tracer" "$T/$1/load_calls" \
		"$T/$1/load_devices"
}

part_optrace_devices_after() # GUEST
{
	profile_read_folders "$1" devices moved
	devices_compare "$1"
}
