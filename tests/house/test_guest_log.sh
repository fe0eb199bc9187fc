#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Which of a guest's kernel's races fail its run: those that a module has a part in.
# shellcheck disable=SC2034 # for what is read
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
guests_home=$top/scripts/guests
# shellcheck source=scripts/guests/log.sh
. "$guests_home/log.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
nr=0

# race TITLE LINE...: a report; the empty line stands between its stacks
race() {
	line="[   68.478364] $(printf '%066d' 0 | tr 0 =)"
	echo "$line"
	echo "[   68.481965] BUG: KCSAN: data-race in $1"
	shift
	printf '[   68.482458] %s\n' '' "$@" '' 'Reported by Kernel Concurrency Sanitizer on:'
	echo "$line"
}

fails() { # STATUS TEXT: does $work/log fail a run (0) or not (1)?
	nr=$((nr + 1))
	log_faults "$work/log" >"$work/faults"
	if [ $? = "$1" ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
	fi
}

echo 1..5
race "hrtimer_active / __hrtimer_run_queues" "read to 0x18 of 8 bytes by interrupt on cpu 1:" \
	" hrtimer_active+0x6e/0xc6" " do_idle+0xc7/0x19d" >"$work/log"
fails 1 "not a race of the kernel's"
race "a / b" "write to 0x18 of 8 bytes by task 3 on cpu 1:" " a+0x1/0x2 [oprof]" >"$work/log"
fails 0 "a race of the module's"
race "hrtimer_active / __hrtimer_run_queues" "read to 0x18 of 8 bytes by interrupt on cpu 1:" \
	" hrtimer_active+0x6e/0xc6" " sched_tick+0x80/0xcc" \
	" asm_sysvec_apic_timer_interrupt+0x1a/0x20" " ring_place+0x1d/0x51 [oprof]" '' \
	"write to 0x18 of 8 bytes by interrupt on cpu 0:" " __hrtimer_run_queues+0xc9/0x297" \
	" asm_sysvec_apic_timer_interrupt+0x1a/0x20" " do_idle+0xc7/0x19d" >"$work/log"
fails 1 "not a race of an interrupt that just came while the module ran"
race "a / b" "read to 0x18 of 8 bytes by interrupt on cpu 1:" " a+0x1/0x2" " c+0x1/0x2 [oprof]" \
	" asm_sysvec_apic_timer_interrupt+0x1a/0x20" " do_idle+0xc7/0x19d" >"$work/log"
fails 0 "but one of what the module does in an interrupt"
race "a / b" "read to 0x18 of 8 bytes by interrupt on cpu 1:" " a+0x1/0x2" \
	" asm_sysvec_apic_timer_interrupt+0x1a/0x20" " do_idle+0xc7/0x19d" '' \
	"write to 0x18 of 8 bytes by task 3 on cpu 0:" " b+0x1/0x2 [oprof]" >"$work/log"
fails 0 "and one that the module has the other part in"
