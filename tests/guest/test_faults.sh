#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A clean log says something only if the guest's kernel finds faults: each is
# given a module with those that it is there to find.
. "$(dirname "$0")/lib.sh"

# "FAULT PATTERN" of what a guest finds, in an order in which no report
# turns the next check off (KASAN's ends that of locks).
faults_of() # NAME
{
	echo 'warning|WARNING: .*bad_warning'
	case $1 in
	x86-kasan | x86-kcsan | arm64-nmi)
		echo 'atomic_sleep|BUG: sleeping function called from invalid context'
		;;
	esac
	case $1 in
	x86-kasan)
		echo 'lock_order|possible circular locking dependency detected'
		echo 'use_after_free|BUG: KASAN: .*use-after-free in bad_use_after_free'
		;;
	x86-kcsan)
		echo 'race|BUG: KCSAN: data-race in bad_adder'
		;;
	esac
}

# A guest that stands still does not take all of its time: it dies of it, and says where.
a_lockup_ends_the_guest()
{
	case $guest in
	x86-kasan | x86-kcsan | arm64-nmi) return ;; # their kernels don't look for it
	esac
	guest_options="-t 3600" guest_run "$guest" "$GUEST/inside_lockup.sh" "$folder/bad.ko"
	tap_is $? 125 "$guest: a CPU that stands still fails the run"
	tap_has "$T/guest.err" "did not come to its end" "$guest: which ends there"
	tap_has "$T/guest.out" "Kernel panic.*softlockup" "$guest: and says why"
	tap_has "$T/guest.out" "bad_lockup" "$guest: and where it stands"
}

for guest in $(guest_names); do
	guest_ready "$guest" || continue
	folder=$(guest_build "$guest" "$GUEST/bad" 2>"$T/err") || {
		tap_ok 1 "$guest: the module with faults builds"
		tap_show "$T/err"
		continue
	}
	faults_of "$guest" | cut -d'|' -f1 >"$T/faults"
	guest_run "$guest" "$GUEST/inside_faults.sh" "$folder/bad.ko" "$T/faults=/faults"
	tap_is $? 125 "$guest: a module with faults fails the run"
	faults_of "$guest" >"$T/patterns"
	while IFS='|' read -r fault pattern; do
		tap_has "$T/guest.out" "$pattern" "$guest: $fault is named"
	done <"$T/patterns"
	a_lockup_ends_the_guest
done
tap_end
