#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Trace sessions of the module: records, losses, filters, snapshots under a
# storm of NMIs, sessions beside each other, owners that are killed.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

ktrace()
{
	if ! module=$(profile_build "$1" KMOD_STORM=1 2>"$T/err"); then
		profile_lacks "$1" $? "$T/err"
		return
	fi
	for program in ktrace_test ktrace_told ktrace_filters ktrace_rings; do
		guest_compile "$(guest_arch "$1")" -D_GNU_SOURCE -std=gnu11 -O1 \
			-I"$GUEST/../.." -I"$GUEST/../../include" -o "$T/$1/$program" \
			"$GUEST/$program.c" "$GUEST/ktrace_load.c" "$GUEST/ktrace_session.c" \
			"$GUEST/ktrace_folder.c" "$GUEST/kmod_test.c" "$GUEST"/../../ctf/*.c \
			"$GUEST/../../lib/array.c" "$GUEST/../../lib/diag.c" "$GUEST/../../lib/file.c" "$GUEST/../../lib/folder.c" \
			"$GUEST/../../lib/own_user.c" "$GUEST/../../lib/utf8.c" -lpthread -lzstd ||
			tap_bail "$program does not compile for $1"
	done
	printf 'guest=%s\nseed=%s\nall=%s\n' "$1" "$seed" "${OPROF_CHECK_ALL:-}" >"$T/settings"
	# Each session writes the kernel's code a hundred times: CPUs take turns (-s).
	guest_options="-s -t 600" guest_run "$1" "$GUEST/inside_ktrace.sh" "$GUEST/inside.sh" \
		"$T/settings=/settings" "$module" "$T/$1/ktrace_test" \
		"$T/$1/ktrace_told" "$T/$1/ktrace_filters" "$T/$1/ktrace_rings"
	status=$?
	profile_take_tap "$1"
	tap_show "$T/guest.err"
	[ "$status" != 1 ] || status=0 # a test of it failed, and was told
	tap_is "$status" 0 "$1: comes to its end, its kernel's log is clean"
}

profile_first ktrace
tap_end
