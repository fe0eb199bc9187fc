# SPDX-License-Identifier: GPL-2.0-or-later
# Events of babeltrace2 --clock-cycles, and of ftrace's own text (clock mono), in one form:
#	CPU MICROSECONDS KIND WHAT...
# of switches, wake-ups, and begins and ends of system calls. Results are told by their low 32 bits.
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
	}
}
