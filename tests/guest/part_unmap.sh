# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# Code of two files at one address, unmapped, closed or mapped over between a
# sample and its resolving: each sample is the right one's, or counted by reason.

part_unmap() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" || return
	profile_compile "$1" kmod_read "$GUEST/kmod_files.c" "$GUEST/stream_check.c"
	profile_compile "$1" load_unmap -pthread -ldl
	for object in a:0 b:1; do
		guest_compile "$(guest_arch "$1")" -shared -fPIC -nostdlib -DOBJECT_PAGE="${object#*:}" \
			-o "$T/$1/object_${object%:*}" "$GUEST/load_unmap_object.c" ||
			tap_bail "load_unmap_object.c does not compile"
	done
	profile_run "$1" "$GUEST/inside_unmap.sh" "$T/$1/kmod_read" "$T/$1/load_unmap" \
		"$T/$1/object_a" "$T/$1/object_b"
}
