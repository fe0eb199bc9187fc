# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# The module's control filesystem and buffer, in guests: what each file says,
# takes and refuses; who reads how, and is killed; random writes to all of it;
# loading and unloading.

kmod_control_program() # GUEST PROGRAM SOURCES
{
	kmod_control_sources=
	for kmod_control_source in "$2" $3; do
		kmod_control_sources="$kmod_control_sources $GUEST/$kmod_control_source.c"
	done
	# shellcheck disable=SC2086 # words
	guest_compile "$(guest_arch "$1")" -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -O1 -pthread \
		-I"$GUEST/../.." -I"$GUEST/../../include" -o "$T/$1/$2" $kmod_control_sources ||
		tap_bail "$2.c does not compile for $1"
}

part_kmod_control() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" || return
	kmod_control_program "$1" kmod_control "kmod_files kmod_numbers kmod_test"
	kmod_control_program "$1" kmod_buffer "kmod_files kmod_numbers kmod_test stream_check"
	kmod_control_program "$1" kmod_random "kmod_files kmod_numbers stream_check"
	kmod_control_program "$1" kmod_read "kmod_files stream_check"
	profile_run "$1" "$GUEST/inside_kmod_control.sh" "$T/$1/kmod_control" "$T/$1/kmod_buffer" \
		"$T/$1/kmod_random" "$T/$1/kmod_read"
}
