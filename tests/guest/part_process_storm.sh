# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# Storms of forks, executed programs, threads, loaded libraries and mappings
# at one address: every sample has its own program and function, or is counted
# as lost by its reason.

part_process_storm() # GUEST
{
	profile_prepare "$1" || return
	process_storm_program "$1" storm_a 1 load_storm.c -pthread -ldl
	process_storm_program "$1" storm_b 3 load_storm.c -pthread -ldl
	process_storm_program "$1" storm_c 5 load_storm.c -pthread -ldl
	process_storm_program "$1" storm_d 7 load_storm.c -pthread -ldl
	process_storm_program "$1" plug_a 9 plug.c -shared -fPIC
	process_storm_program "$1" plug_b 11 plug.c -shared -fPIC
	process_storm_program "$1" plug_c 13 plug.c -shared -fPIC
	for letter in a b c; do
		mv "$T/$1/plug_$letter" "$T/$1/plug_$letter.so"
	done
	profile_run "$1" "$GUEST/inside_process_storm.sh" "$T/$1/storm_a" "$T/$1/storm_b" \
		"$T/$1/storm_c" "$T/$1/storm_d" "$T/$1/plug_a.so" "$T/$1/plug_b.so" "$T/$1/plug_c.so"
}

process_storm_program() # GUEST NAME AT SOURCE OPTION...
{
	named_for=$1
	named_name=$2
	named_at=$3
	named_source=$4
	shift 4
	guest_compile "$(guest_arch "$named_for")" -D_GNU_SOURCE -I"$GUEST/../.." -O1 \
		"-DNAMED=$named_name" "-DNAMED_AT=$named_at" -o "$T/$named_for/$named_name" \
		"$GUEST/$named_source" "$@" || tap_bail "$named_name does not compile"
}
