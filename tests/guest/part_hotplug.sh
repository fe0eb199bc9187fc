# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# A CPU goes offline and comes back under load, several times: it is sampled
# whenever it is there, and every sample is accounted for.

part_hotplug() # GUEST
{
	profile_prepare "$1" || return
	profile_compile "$1" load_spin
	profile_run "$1" "$GUEST/inside_hotplug.sh" "$T/$1/load_spin"
}
