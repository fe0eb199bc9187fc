#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A CPU goes offline and comes back under load, several times: it is sampled
# whenever it is there, and every sample is accounted for.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

hotplug()
{
	profile_prepare "$1" || return
	profile_compile "$1" load_spin
	profile_run "$1" "$GUEST/inside_hotplug.sh" "$T/$1/load_spin"
}

profile_each hotplug
tap_end
