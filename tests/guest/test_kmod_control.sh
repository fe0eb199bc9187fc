#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The module's control filesystem and buffer, in guests: what each file says,
# takes and refuses; who reads how, and is killed; random writes to all of it;
# loading and unloading.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

compile() # GUEST PROGRAM SOURCES
{
	compile_sources=
	for compile_source in "$2" $3; do
		compile_sources="$compile_sources $GUEST/$compile_source.c"
	done
	# shellcheck disable=SC2086 # words
	guest_compile "$(guest_arch "$1")" -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -O1 -pthread \
		-I"$GUEST/../.." -I"$GUEST/../../include" -o "$T/$1/$2" $compile_sources ||
		tap_bail "$2.c does not compile for $1"
}

control()
{
	module=$(guest_module "$1" 2>"$T/err") || {
		profile_lacks "$1" $? "$T/err"
		return
	}
	compile "$1" kmod_control "kmod_files kmod_numbers kmod_test"
	compile "$1" kmod_buffer "kmod_files kmod_numbers kmod_test stream_check"
	compile "$1" kmod_random "kmod_files kmod_numbers stream_check"
	compile "$1" kmod_read "kmod_files stream_check"
	printf 'guest=%s\nseed=%s\nall=%s\n' "$1" "$seed" "${OPROF_CHECK_ALL:-}" >"$T/settings"
	guest_options="-t 900" guest_run "$1" "$GUEST/inside_kmod_control.sh" "$GUEST/inside.sh" \
		"$T/settings=/settings" "$module" "$T/$1/kmod_control" "$T/$1/kmod_buffer" \
		"$T/$1/kmod_random" "$T/$1/kmod_read"
	status=$?
	profile_take_tap "$1"
	tap_show "$T/guest.err"
	[ "$status" != 1 ] || status=0 # a test of it failed, and was told
	tap_is "$status" 0 "$1: comes to its end, its kernel's log is clean"
}

profile_each control
tap_end
