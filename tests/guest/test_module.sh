#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module, its profiles and its traces, in guests: a boot of each for all of these parts.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

# Call chains, stacks, what samples and what traces depend on the architecture; the others do so little.
profile_once="sources switches hotplug process_storm references unmap held_lock"
profile_once="$profile_once optrace_buffers optrace_profile optrace_devices kmod_control"
profile_parts "chains stacks shares sources switches hotplug process_storm references unmap held_lock
	optrace_module optrace_buffers optrace_profile optrace_devices kmod_control" -M null_blk
tap_end
