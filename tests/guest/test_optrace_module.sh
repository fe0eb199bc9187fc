#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# optrace with the kernel module's trace channels, in guests; their folders are
# read here by babeltrace2, too.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

[ "$profile_source" = kmod ] || tap_skip_all "is about the module"

# What the guest sent, into $T/NAME/folders
unpack()
{
	mkdir -p "$T/$1/folders"
	sed -n 's/^# @//p' "$T/guest.out" | base64 -d 2>/dev/null | gzip -dc 2>/dev/null |
		tar -C "$T/$1/folders" -xf - 2>/dev/null
	sed -i '/^# @/d' "$T/guest.out"
}

one_guest()
{
	profile_prepare "$1" || return
	profile_compile "$1" load_calls
	profile_run "$1" "$GUEST/inside_optrace_module.sh" "$profile_programs/optrace" \
		"$profile_programs/optrace-read" "$profile_programs/oprof-tracer" "$T/$1/load_calls"
	command -v babeltrace2 >/dev/null || return
	unpack "$1"
	for folder in whole filtered named lossy flight chunks counter; do
		[ -d "$T/$1/folders/$folder" ] || continue
		babeltrace2 "$T/$1/folders/$folder" >"$T/text" 2>"$T/reader"
		tap_ok $? "$1: babeltrace2 reads $folder"
		grep -v '^WARNING: Tracer .*discarded .*events between\|^$' "$T/reader" >"$T/wrong"
		[ ! -s "$T/wrong" ]
		tap_ok $? "$1: and finds nothing wrong"
		[ ! -s "$T/wrong" ] || tap_show "$T/wrong" 5
		tap_is "$(wc -l <"$T/text")" "$("$BIN/optrace" events "$T/$1/folders/$folder" 2>/dev/null | wc -l)" \
			"$1: as many events as we read"
	done
}

profile_each one_guest
tap_end
