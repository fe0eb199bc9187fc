#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Storms of NMIs in guests: into the ring, nested in writers of all contexts;
# and through the module's sampler, nested in its timer's samples. On x86-64
# by inter-processor interrupts, on arm64 by a PMU that overflows all the time.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

# storm_build NAME [LINE]...: ring_storm.ko, of a Kbuild that begins with these
# lines; prints its path.
storm_build()
{
	storm_for=$1
	shift
	storm_tree=$(mktemp -d "$T/storm-XXXXXX")
	"$SCRIPTS/kmod-tree" "$storm_tree" || return
	mkdir -p "$storm_tree/tests/guest/storm"
	cp "$GUEST"/storm/*.[ch] "$storm_tree/tests/guest/storm"
	mv "$storm_tree/Kbuild" "$storm_tree/Kbuild.module"
	{
		printf '%s\n' "$@"
		cat "$GUEST/storm/Kbuild"
	} >"$storm_tree/Kbuild"
	storm_folder=$(guest_build "$storm_for" "$storm_tree") || return
	echo "$storm_folder/ring_storm.ko"
}

storm()
{
	if ! ring=$(storm_build "$1" 2>"$T/err") ||
		! faulty=$(storm_build "$1" "TORN := 1" 2>"$T/err") ||
		! module=$(profile_build "$1" KMOD_STORM=1 2>"$T/err"); then
		profile_lacks "$1" 1 "$T/err"
		return
	fi
	guest_compile "$(guest_arch "$1")" -D_GNU_SOURCE -std=gnu11 -O1 -I"$GUEST/../.." \
		-I"$GUEST/../../include" -o "$T/$1/kmod_read" "$GUEST/kmod_read.c" \
		"$GUEST/kmod_files.c" "$GUEST/stream_check.c" ||
		tap_bail "kmod_read.c does not compile for $1"
	printf 'guest=%s\nseed=%s\nall=%s\n' "$1" "$seed" "${OPROF_CHECK_ALL:-}" >"$T/settings"
	guest_options="-t 600" guest_run "$1" "$GUEST/inside_storm.sh" "$GUEST/inside.sh" \
		"$T/settings=/settings" "$ring" "$faulty=/bin/ring_storm_faulty.ko" "$module" \
		"$T/$1/kmod_read"
	status=$?
	profile_take_tap "$1"
	tap_show "$T/guest.err"
	[ "$status" != 1 ] || status=0 # a test of it failed, and was told
	tap_is "$status" 0 "$1: comes to its end, its kernel's log is clean"
}

profile_each storm
tap_end
