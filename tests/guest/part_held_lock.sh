# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# A process whose mmap lock is held for long costs its own samples: the sync
# worker goes on, and the buffer can be closed.

part_held_lock() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" || return
	folder=$(guest_build "$1" "$GUEST/hold" 2>"$T/err") || {
		profile_lacks "$1" $? "$T/err"
		return
	}
	profile_run "$1" "$GUEST/inside_held_lock.sh" "$folder/hold.ko"
}
