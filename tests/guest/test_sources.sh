#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The module and perf at once, on one load: shares of all symbols agree, by a
# chi-square test over 20 runs.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

sources()
{
	profile_prepare "$1" || return
	profile_compile "$1" load_pair
	profile_compile "$1" compare_shares "$GUEST/../unit/chi_square.c" -lm
	profile_run "$1" "$GUEST/inside_sources.sh" "$T/$1/load_pair" "$T/$1/compare_shares"
}

profile_each sources
tap_end
