#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A process whose mmap lock is held for long costs its own samples: the sync
# worker goes on, and the buffer can be closed.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

held_lock()
{
	module=$(guest_module "$1" 2>"$T/err") || {
		profile_lacks "$1" $? "$T/err"
		return
	}
	folder=$(guest_build "$1" "$GUEST/hold" 2>"$T/err") || {
		profile_lacks "$1" $? "$T/err"
		return
	}
	printf 'guest=%s\n' "$1" >"$T/settings"
	guest_options="-t 600" guest_run "$1" "$GUEST/inside_held_lock.sh" "$GUEST/inside.sh" \
		"$T/settings=/settings" "$module" "$folder/hold.ko"
	status=$?
	profile_take_tap "$1"
	tap_show "$T/guest.err"
	[ "$status" != 1 ] || status=0 # a test of it failed, and was told
	tap_is "$status" 0 "$1: comes to its end, its kernel's log is clean"
}

profile_each held_lock
tap_end
