#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# optrace with the kernel module's trace channels, in guests; their folders are
# read here by babeltrace2, too.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

[ "$profile_source" = kmod ] || tap_skip_all "is about the module"

one_guest()
{
	profile_prepare "$1" || return
	profile_compile "$1" load_calls
	profile_compile "$1" load_thirds
	profile_compile "$1" load_hog -lpthread
	profile_run "$1" "$GUEST/inside_optrace_module.sh" "$profile_programs/optrace" \
		"$profile_programs/optrace-read" "$profile_programs/oprof-tracer" "$T/$1/load_calls" \
		"$T/$1/load_thirds" "$T/$1/load_hog" "$profile_programs/opimport"
	profile_read_folders "$1" whole filtered named lossy flight chunks profiled snapshot late ended wrapped
}

profile_each one_guest
tap_end
