#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Code of two files at one address, unmapped, closed or mapped over between a
# sample and its resolving: each sample is the right one's, or counted by reason.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

unmap()
{
	module=$(guest_module "$1" 2>"$T/err") || {
		profile_lacks "$1" $? "$T/err"
		return
	}
	profile_compile "$1" kmod_read "$GUEST/kmod_files.c" "$GUEST/stream_check.c"
	profile_compile "$1" load_unmap -pthread -ldl
	for object in a:0 b:1; do
		guest_compile "$(guest_arch "$1")" -shared -fPIC -nostdlib -DOBJECT_PAGE="${object#*:}" \
			-o "$T/$1/object_${object%:*}" "$GUEST/load_unmap_object.c" ||
			tap_bail "load_unmap_object.c does not compile"
	done
	printf 'guest=%s\nall=%s\n' "$1" "${OPROF_CHECK_ALL:-}" >"$T/settings"
	guest_options="-t 600" guest_run "$1" "$GUEST/inside_unmap.sh" "$GUEST/inside.sh" \
		"$T/settings=/settings" "$module" "$T/$1/kmod_read" "$T/$1/load_unmap" \
		"$T/$1/object_a" "$T/$1/object_b"
	status=$?
	profile_take_tap "$1"
	tap_show "$T/guest.err"
	[ "$status" != 1 ] || status=0 # a test of it failed, and was told
	tap_is "$status" 0 "$1: comes to its end, its kernel's log is clean"
}

profile_each unmap
tap_end
