#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module under storms of NMIs, in guests: a boot of each for all of these parts.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

# Neither rings nor probes depend on the architecture; --all storms all guests.
profile_once="storm unload optrace_storm"
profile_parts "storm unload optrace_storm"
tap_end
