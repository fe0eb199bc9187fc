#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest, run by part_optrace_devices.sh: reads of a disk that take a known time, packets,
# interrupts, and what the module records of them, while ftrace records the same beside it. The
# folders go to standard output, ftrace's text to /out.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh
READS=20
READ_MS=20
MOVES=10
PACKETS=50
events=default,net:net_dev_queue,net:net_dev_xmit,net:netif_receive_skb
cd "$work" || exit 1

kept() # NAME: a number of the trace's
{
	sed -n "s/^ *\"$1\": *\([0-9]*\),*$/\1/p" "$work/stats" | head -n 1
}

of_load() # KEY...: of its process, their sum
{
	for key in "$@"; do
		grep '"name":"load_devices"' "$work/stats" | grep '"threads":' |
			sed -n "s/.*\"$key\":\([0-9]*\).*/\1/p"
	done | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

said_of() # WHAT FIELD: what the load says of it: 1: ns that passed, 2: on a CPU
{
	awk -v what="$1" -v field="$2" '$2 == what { print $(3 + field) }' "$work/out"
}

between() # TEXT LEAST NUMBER MOST
{
	note "$1: $2 <= $3 <= $4"
	awk -v least="$2" -v is="$3" -v most="$4" 'BEGIN { exit !(is != "" && is >= least && is <= most) }'
}

# A reader that the host does not run for a while goes late to its wait: then once more.
in_five_tries() # FUNCTION TEXT
{
	for tried in 1 2 3 4 5; do
		if "$1"; then
			break
		fi
		[ "$tried" != 5 ]
	done
	ok $? "$2"
}

events() # NAME
{
	optrace events -e "$1" trace 2>>"$work/reader"
}

mount -t tracefs none /sys/kernel/tracing 2>/dev/null # or it is mounted already
[ -d /sys/kernel/tracing/events ] || bail "no tracefs"
# By the clock that ftrace has, too.
insmod /bin/oprof.ko clock=monotonic || bail "the module does not load"
mkdir -p $control && mount -t oprofilefs none $control

# ---- a disk ----

mount -t configfs none /sys/kernel/config 2>/dev/null
mkdir /sys/kernel/config/nullb/slow || bail "no disk"
# Its requests end in a timer's interrupt.
for word in size=64 blocksize=4096 queue_mode=2 irqmode=2 completion_nsec=${READ_MS}000000 power=1; do
	echo "${word#*=}" >"/sys/kernel/config/nullb/slow/${word%=*}" || bail "the disk: $word"
done
name=slow # or by its number, as older kernels have it
[ -d /sys/block/slow ] || name=nullb$(cat /sys/kernel/config/nullb/slow/index)
[ -b "/dev/$name" ] || bail "no /dev/$name among $(ls /sys/block)"
export DISK="/dev/$name"
dev=$(awk -F: '{ print $1 * 1048576 + $2 }' "/sys/block/$name/dev")
note "$name is $dev"

# ---- ftrace ----

ftrace() # FILE WORD
{
	echo "$2" >"/sys/kernel/tracing/$1"
}

ftrace trace_clock mono
ftrace buffer_size_kb 8192
for event in sched/sched_switch sched/sched_wakeup sched/sched_waking syscalls irq/irq_handler_entry \
	irq/irq_handler_exit irq/softirq_entry irq/softirq_exit irq/softirq_raise block/block_rq_issue \
	block/block_rq_complete net/net_dev_queue net/net_dev_xmit net/netif_receive_skb; do
	ftrace "events/$event/enable" 1 || bail "ftrace has no $event"
done

beside() # COMMAND...: recorded by both
{
	rm -rf trace
	ftrace trace ""
	ftrace tracing_on 1
	optrace record -o trace --source=module -m discard:64x256K -e "$events" -- "$@" >"$work/out" 2>"$work/err"
	beside_status=$?
	ftrace tracing_on 0
	[ "$beside_status" = 0 ] || {
		show "$work/err"
		return 1
	}
	grep '^#' "$work/out"
	optrace stats --json trace >"$work/stats" 2>>"$work/reader" && [ "$(kept lost_events)" = 0 ]
}

# ---- what is waited for ----

ln -s /bin/load_devices load_packets
waits_are_told()
{
	# The console is a device, too. A socket of packets waits for others when it is closed.
	beside sh -c "load_devices reads:$READS sleep:300 spin:300
		./load_packets packets:$PACKETS; load_calls 500
		echo '# to the console' >/dev/console; sleep 0.2" || return
	running=$(said_of all 2 | head -n 1)
	between disk $((READS * READ_MS * 900000)) "$(of_load disk_ns)" "$(said_of reads 1)" &&
		between sleeping 300000000 "$(of_load sleeping_ns)" "$(said_of sleep 1)" &&
		between uninterruptible 0 "$(of_load uninterruptible_ns)" 20000000 &&
		between running $((running * 9 / 10)) "$(of_load user_ns syscall_ns program_ns interrupted_ns)" \
			$((running * 11 / 10 + 50000000))
}
in_five_tries waits_are_told "a program that reads a disk, sleeps and computes is told so"

# Each read, where and how much; of other disks there is none.
requests() # NAME TEXT
{
	events "$1" | grep " $2" >"$work/requests"
	sed -n "s/.* dev = $dev, sector = \([0-9]*\), nr_sector = 8, .*/\1/p" "$work/requests" >"$work/sectors"
	seq 0 16 $(((READS - 1) * 16)) | cmp -s - "$work/sectors"
	ok $? "$1: each read, of its sectors"
	is "$(events "$1" | wc -l)" "$READS" "$1: and no other"
}
requests block_rq_issue 'block_rq_issue: .* bytes = 4096, rwbs = "R[A-Z]*", comm = "load_devices"'
requests block_rq_complete 'block_rq_complete: .* error = 0, rwbs = "R[A-Z]*"'
events 'block_rq_*' | awk -v least=$READ_MS '
	/ block_rq_issue: / { issued = $1 }
	/ block_rq_complete: / && ($1 - issued) * 1000 < least - 0.1 { bad++ }
	END { exit bad > 0 }'
ok $? "each takes $READ_MS ms"
for packet in net_dev_queue=1014 net_dev_xmit=1014 net_if_receive_skb=1000; do
	nr=$(events "${packet%=*}" | grep 'name = "lo"' | grep -c " len = ${packet#*=}\>")
	is "$nr" $PACKETS "${packet%=*}: each packet"
done
events irq_handler_entry | sed -n 's/.* name = \("[^"]*"\).*/\1/p' | sort | uniq -c >"$work/irqs"
note "interrupts: $(tr -s ' \n' ' ' <"$work/irqs")"
[ -s "$work/irqs" ]
ok $? "interrupts of devices"
gzip -c /sys/kernel/tracing/trace >/out/ftrace.gz
! cat /sys/kernel/tracing/per_cpu/cpu*/stats |
	grep -E '^(overrun|commit overrun|dropped events): *[1-9]'
ok $? "ftrace lost nothing"
mv trace devices
ftrace events/enable 0

# ---- woken by the other CPU ----

moves_are_told()
{
	beside load_devices "moves:$MOVES" || return
	# Of each read: the CPU whose request ends, and the one that wakes the thread.
	events 'block_rq_complete,sched_wakeup' | awk '/ block_rq_complete: / { ended = $2 }
		/ sched_wakeup: .*comm = "load_devices"/ && ended != "" { others += $2 != ended; ended = "" }
		END { print "# " others + 0 " times woken by another CPU"; exit !others }' &&
		between disk $((MOVES * READ_MS * 900000)) "$(of_load disk_ns)" "$(said_of moves 1)"
}
in_five_tries moves_are_told "so it is where another CPU wakes it than that whose request ends"
mv trace moved
show "$work/reader"

# ---- the end ----

send_folders devices moved
module_unload
ok $? "the module goes"
finish
