# SPDX-License-Identifier: GPL-2.0-or-later
# Events of babeltrace2 --clock-cycles, and of ftrace's own text (clock mono), in one form:
#	CPU MICROSECONDS KIND WHAT...
# of switches, wake-ups, begins and ends of system calls, interrupts, soft interrupts, block requests
# and packets. Results are told by their low 32 bits.
# waked: threads, " N N ", whose wake-ups are left out; unseen: those during which ftrace's wake-ups are.
function number(name, place, rest)
{
	place = index($0, name)
	if (!place)
		return "?"
	rest = substr($0, place + length(name))
	sub(/[^0-9-].*/, "", rest)
	return rest
}

# A text in quotation marks.
function quoted(name, place, rest)
{
	place = index($0, name "\"")
	if (!place)
		return "?"
	rest = substr($0, place + length(name) + 1)
	sub(/".*/, "", rest)
	return rest
}

# A word of ftrace's.
function word(name, place, rest)
{
	place = index($0, name)
	if (!place)
		return "?"
	rest = substr($0, place + length(name))
	sub(/ .*/, "", rest)
	return rest
}

function low(decimal)
{
	return decimal < 0 ? decimal + 4294967296 : decimal % 4294967296
}

function low_hex(text, i, value)
{
	sub(/^0x/, "", text)
	if (length(text) > 8)
		text = substr(text, length(text) - 7)
	for (i = 1; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value
}

function tell(cpu, us, what)
{
	printf "%d %.0f %s\n", cpu, us, what
}

# Of others than the scheduler and system calls, ours: "" is none.
function device(dev)
{
	if (/ irq_handler_entry: /)
		return "irq " number(" irq = ") " " quoted(" name = ")
	if (/ irq_handler_exit: /)
		return "irqend " number(" irq = ") " " number(" ret = ")
	if (/ irq_softirq_raise: /)
		return "raise " number(" vec = ")
	if (/ sched_waking: /)
		return "waking " number(" tid = ") " " number(" target_cpu = ")
	if (/ irq_softirq_(entry|exit): /)
		return (/_entry: / ? "softirq " : "softirqend ") number(" vec = ")
	if (/ net_dev_queue: /)
		return "queue " quoted(" name = ") " " number(" len = ")
	if (/ net_if_receive_skb: /)
		return "receive " quoted(" name = ") " " number(" len = ")
	if (/ net_dev_xmit: /)
		return "xmit " quoted(" name = ") " " number(" len = ") " " number(" rc = ")
	if (!/ block_rq_(issue|complete): /)
		return ""
	dev = number(" dev = ")
	dev = int(dev / 1048576) "," dev % 1048576 " " quoted(" rwbs = ") " " number(" sector = ") \
		" + " number(" nr_sector = ") " "
	if (/ block_rq_issue: /)
		return "issue " dev number(" bytes = ") " " quoted(" comm = ")
	return "complete " dev number(" error = ")
}

# ftrace's: of a request, "MAJOR,MINOR RWBS [BYTES] () SECTOR + NUMBER [PRIORITY] [COMM or ERROR]".
function its_device(is_issue, last)
{
	if (/ irq_handler_entry: /)
		return "irq " number(" irq=") " " substr($0, index($0, " name=") + 6)
	if (/ irq_handler_exit: /)
		return "irqend " number(" irq=") " " (/ ret=handled/ ? 1 : 0)
	if (/ softirq_raise: /)
		return "raise " number(" vec=")
	if (/ sched_waking: /)
		return "waking " number(" pid=") " " number(" target_cpu=") + 0
	if (/ softirq_(entry|exit): /)
		return (/_entry: / ? "softirq " : "softirqend ") number(" vec=")
	if (/ net_dev_queue: /)
		return "queue " word(" dev=") " " number(" len=")
	if (/ netif_receive_skb: /)
		return "receive " word(" dev=") " " number(" len=")
	if (/ net_dev_xmit: /)
		return "xmit " word(" dev=") " " number(" len=") " " number(" rc=")
	if (!match($0, / block_rq_(issue|complete): /))
		return ""
	is_issue = / block_rq_issue: /
	$0 = substr($0, RSTART + RLENGTH)
	last = $0
	sub(/.*\[/, "", last)
	sub(/\].*/, "", last)
	if (is_issue)
		return "issue " $1 " " $2 " " $5 " + " $7 " " $3 " " last
	return "complete " $1 " " $2 " " $4 " + " $6 " " last
}

/^#/ { next }

/^\[0/ {
	us = substr($1, 2) / 1000
	cpu = number("cpu_id = ")
	if (/ sched_switch: /)
		tell(cpu, us, "switch " number("prev_tid = ") " " number("prev_prio = ") " " \
			number("next_tid = ") " " number("next_prio = "))
	else if (/ sched_wakeup: /) {
		if (!index(waked, " " number(" tid = ") " "))
			tell(cpu, us, "wakeup " number(" tid = ") " " number("target_cpu = "))
	} else if (/ syscall_(entry|exit)_unknown: /)
		next
	else if (match($0, / syscall_entry_[a-z0-9_]*: /))
		tell(cpu, us, "entry " substr($0, RSTART + 15, RLENGTH - 17))
	else if (match($0, / syscall_exit_[a-z0-9_]*: /))
		tell(cpu, us, sprintf("exit %s %.0f", substr($0, RSTART + 14, RLENGTH - 16), \
			low(number(" ret = "))))
	else if ((what = device()) != "")
		tell(cpu, us, what)
	next
}

# comm-pid [cpu] flags seconds.microseconds: what
match($0, / +\[[0-9][0-9][0-9]\] /) {
	task = substr($0, 1, RSTART - 1)
	sub(/.*-/, "", task)
	cpu = substr($0, RSTART + RLENGTH - 5, 3)
	$0 = substr($0, RSTART + RLENGTH)
	split($2, time, /[.:]/)
	us = time[1] * 1000000 + time[2]
	if (/ sched_switch: /)
		tell(cpu, us, "switch " number("prev_pid=") " " number("prev_prio=") " " \
			number("next_pid=") " " number("next_prio="))
	else if (/ sched_wakeup: /) {
		if (!index(unseen, " " task " ") && !index(waked, " " number(" pid=") " "))
			tell(cpu, us, "wakeup " number(" pid=") " " number("target_cpu=") + 0)
	} else if (match($0, / sys_[a-z0-9_]*\(/))
		tell(cpu, us, "entry " substr($0, RSTART + 5, RLENGTH - 6))
	else if (match($0, / sys_[a-z0-9_]* -> 0x[0-9a-f]*/)) {
		split(substr($0, RSTART + 5, RLENGTH - 5), exit_of, " -> ")
		tell(cpu, us, sprintf("exit %s %.0f", exit_of[1], low_hex(exit_of[2])))
	} else if ((what = its_device()) != "")
		tell(cpu, us, what)
}
