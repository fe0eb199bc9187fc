# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# What a guest wrote to its console, taken apart; and the verdict on its
# kernel's log. log-faults has what fails a run, one extended expression per
# line; log-emulator has what looks like a fault but is the emulator's:
# - handlers and interrupts that "took too long", and clocks that differ from
#   each other: time of the host passes while a virtual CPU stands still;
# - a stall seen by RCU: the same. A real one ends as a soft lockup, which is
#   a fault, or by the limit (124).

# What stands between two lines "guest: ..." of the console's text.
log_part() # SERIAL FIRST LAST
{
	tr -d '\r' <"$1" | awk -v first="guest: $2" -v last="guest: $3" '
		!inside { inside = index($0, first) && $0 ~ first "$"; next }
		$0 ~ "^" last { exit }
		{ print }'
}

# KCSAN reports races of the kernel's own, which it has: only those count that
# a module has a part in, as "[name]" in its stacks shows, unless an interrupt
# of the kernel's just came while the module ran; and not that of a timer's end
# with its sleeper's, whoever called usleep_range().
log_without_foreign_races()
{
	awk -v line="$(printf '%066d' 0 | tr 0 =)" '
	# Behind an interrupt stands, to the end of the stack, what it came into.
	function has_part(block, lines, nr, i, interrupted) {
		nr = split(block, lines, "\n")
		for (i = 1; i <= nr; i++) {
			if (lines[i] ~ /\] *$/ && lines[i] !~ / \[[a-z0-9_]+\]/)
				interrupted = 0
			if (lines[i] ~ / asm_(sysvec_|common_interrupt|exc_nmi)/)
				interrupted = 1
			if (lines[i] ~ / \[[a-z0-9_]+\]/ && !interrupted)
				return 1
		}
		return 0
	}
	index($0, line) {
		if (!inside) { inside = 1; block = $0; next }
		block = block "\n" $0
		if (block !~ /BUG: KCSAN/ ||
		    (has_part(block) &&
		     block !~ /data-race in hrtimer_wakeup \/ schedule_hrtimeout_range/))
			print block
		inside = 0
		next
	}
	inside { block = block "\n" $0; next }
	{ print }
	END { if (inside) print block }'
}

# Print the faults of a kernel's log; true if there are any.
log_faults() # LOG
{
	log_without_foreign_races <"$1" | grep -vEf "$guests_home/log-emulator" |
		grep -Ef "$guests_home/log-faults"
}
