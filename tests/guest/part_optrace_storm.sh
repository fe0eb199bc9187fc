# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# optrace under a storm of NMIs, in guests: a flight recorder whose rings go round thirty times
# (OPROF_CHECK_ALL: a hundred) and its snapshot; then a trace to disk that can't keep up. The folders
# are read here by babeltrace2, too.

part_optrace_storm() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" KMOD_STORM=1 || return
	profile_compile "$1" load_laps -lpthread
	profile_compile "$1" kmod_read "$GUEST/kmod_files.c" "$GUEST/stream_check.c"
	profile_run "$1" "$GUEST/inside_optrace_storm.sh" "$GUEST/inside_optrace.sh" \
		"$profile_programs/optrace" "$profile_programs/optrace-read" \
		"$profile_programs/oprof-tracer" "$T/$1/load_laps" "$T/$1/kmod_read"
}

part_optrace_storm_after() # GUEST
{
	profile_read_folders "$1" snapshot stopped lossy exact
}
