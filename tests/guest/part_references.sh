# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# What the module holds for samples to be resolved is let go of: within two
# passes, when processes end all the time, when nobody reads; and it has a bound.

part_references() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" || return
	profile_compile "$1" kmod_read "$GUEST/kmod_files.c" "$GUEST/stream_check.c"
	profile_compile "$1" load_references "$GUEST/kmod_files.c"
	profile_run "$1" "$GUEST/inside_references.sh" "$T/$1/kmod_read" "$T/$1/load_references"
}
