# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# Storms of NMIs in guests: into the ring, nested in writers of all contexts;
# and through the module's sampler, nested in its timer's samples. On x86-64
# by inter-processor interrupts, on arm64 by a PMU that overflows all the time.

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

part_storm() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" KMOD_STORM=1 || return
	if ! ring=$(storm_build "$1" 2>"$T/err") ||
		! faulty=$(storm_build "$1" "TORN := 1" 2>"$T/err"); then
		profile_lacks "$1" 1 "$T/err"
		return
	fi
	profile_compile "$1" kmod_read "$GUEST/kmod_files.c" "$GUEST/stream_check.c"
	profile_run "$1" "$GUEST/inside_storm.sh" "$ring" "$faulty=/bin/ring_storm_faulty.ko" \
		"$T/$1/kmod_read"
}
