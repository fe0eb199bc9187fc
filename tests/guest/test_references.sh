#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the module holds for samples to be resolved is let go of: within two
# passes, when processes end all the time, when nobody reads; and it has a bound.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

references()
{
	module=$(guest_module "$1" 2>"$T/err") || {
		profile_lacks "$1" $? "$T/err"
		return
	}
	profile_compile "$1" kmod_read "$GUEST/kmod_files.c" "$GUEST/stream_check.c"
	profile_compile "$1" load_references "$GUEST/kmod_files.c"
	printf 'guest=%s\nall=%s\n' "$1" "${OPROF_CHECK_ALL:-}" >"$T/settings"
	guest_options="-t 600" guest_run "$1" "$GUEST/inside_references.sh" "$GUEST/inside.sh" \
		"$T/settings=/settings" "$module" "$T/$1/kmod_read" "$T/$1/load_references"
	status=$?
	profile_take_tap "$1"
	tap_show "$T/guest.err"
	[ "$status" != 1 ] || status=0 # a test of it failed, and was told
	tap_is "$status" 0 "$1: comes to its end, its kernel's log is clean"
}

profile_each references
tap_end
