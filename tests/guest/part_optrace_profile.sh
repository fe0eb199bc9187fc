# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# Whose events the module records, profiles of its traces, idle CPUs, and conditions, in a guest; the
# folders are read here by babeltrace2, too.

part_optrace_profile() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" || return
	profile_compile "$1" load_calls
	profile_compile "$1" load_thirds
	profile_compile "$1" load_hog -lpthread
	profile_run "$1" "$GUEST/inside_optrace_profile.sh" "$GUEST/inside_optrace.sh" \
		"$profile_programs/optrace" "$profile_programs/optrace-read" \
		"$profile_programs/oprof-tracer" "$T/$1/load_calls" "$T/$1/load_thirds" "$T/$1/load_hog" \
		"$profile_programs/opimport"
}

part_optrace_profile_after() # GUEST
{
	profile_read_folders "$1" profiled snapshot late ended wrapped
}
