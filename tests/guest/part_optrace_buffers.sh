# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# optrace with the kernel module's trace channels, in guests: chunks, losses, flight recorders, which
# depend little on the architecture; their folders are read here by babeltrace2, too.

part_optrace_buffers() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" || return
	profile_compile "$1" load_calls
	profile_run "$1" "$GUEST/inside_optrace_buffers.sh" "$GUEST/inside_optrace.sh" \
		"$profile_programs/optrace" "$profile_programs/optrace-read" \
		"$profile_programs/oprof-tracer" "$T/$1/load_calls"
}

part_optrace_buffers_after() # GUEST
{
	profile_read_folders "$1" lossy flight chunks
}
