# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: ring_storm.ko in both modes and at small sizes, one that is
# faulty, and the module of a build with KMOD_STORM=1, whose counters of type
# 0x53540000 are storms.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
storm_type=0x53540000

log_lines() # what ring_storm said last
{
	dmesg | sed -n 's/^.*ring_storm: \(cpu\|PASS\|FAIL\)/\1/p' | tail -n "$((4 * cpus + 1))"
}

ring_storm() # TEXT PARAMETER...
{
	storm_text=$1
	shift
	insmod /bin/ring_storm.ko "$@" && rmmod ring_storm
	ok $? "$storm_text"
	log_lines | sed 's/^/# /'
}

cpus=$(grep -c ^processor /proc/cpuinfo)
seconds=2
[ -z "$all" ] || seconds=20
ring_storm "under NMIs nothing is torn or unexplained" seconds=$seconds
ring_storm "nor where the oldest is overwritten" seconds=$seconds overwrite=1
ring_storm "nor in the smallest ring" seconds=$seconds sub_buffer_bytes=256 nr_sub_buffers=2

# Positive control: its writers take their slots in two steps.
! insmod /bin/ring_storm_faulty.ko seconds=1 2>/dev/null
ok $? "a ring that interrupts tear is found out"
log_lines | sed 's/^/# /'

# ---- through the sampler ----

# The storm is counter 0, the timer counter 1: NMIs come while it writes.
sampled_storm() # TEXT INTERVAL OPTION...
{
	storm_text=$1
	storm_interval=$2
	shift 2
	kmod_read -e "$storm_type:0:$storm_interval" -T 200000 -t "$seconds" "$@" >"$work/lines" 2>&1
	ok $? "$storm_text: the stream is right, seen = stored + lost, address spaces are let go"
	show "$work/lines"
}

interval=100000 # ns, or cycles
insmod /bin/oprof.ko && mkdir -p $control && mount -t oprofilefs none $control
ok $? "the module with a storm loads"
sampled_storm "samples by NMI and timer" $interval
nr_nmi=$(awk '$1 == "seen" { print $4 }' "$work/lines")
nr_interrupt=$(awk '$1 == "seen" { print $6 }' "$work/lines")
if [ "$guest" = arm64-6.1 ]; then
	# Its PMU interrupts as all else does.
	[ "$nr_nmi" -eq 0 ] && [ "$nr_interrupt" -gt 100 ]
	ok $? "they come in interrupt context ($nr_interrupt)"
else
	[ "$nr_nmi" -gt 100 ] && [ "$nr_interrupt" -gt 0 ]
	ok $? "they come in NMI and interrupt context ($nr_nmi, $nr_interrupt)"
fi
sampled_storm "with chains and switches" $interval -d 32 -S
sampled_storm "with chains of any depth in the smallest buffers" $interval -d 127 -S -c 128 \
	-b 1024 -w 16
module_unload
ok $? "it is unloaded"
finish
