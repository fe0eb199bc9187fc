# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# The module and perf at once, on one load: shares of all symbols agree, by a
# chi-square test over 20 runs.

part_sources() # GUEST
{
	profile_prepare "$1" || return
	profile_compile "$1" load_pair
	profile_compile "$1" compare_shares "$GUEST/../fixture/chi_square.c" -lm
	profile_run "$1" "$GUEST/inside_sources.sh" "$T/$1/load_pair" "$T/$1/compare_shares"
}
