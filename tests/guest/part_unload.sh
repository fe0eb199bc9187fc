# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# The module is loaded, read and unloaded, again and again, while NMIs storm
# and programs come and go; some readers are killed.

part_unload() # GUEST
{
	profile_only_module "$1" || return
	profile_prepare "$1" KMOD_STORM=1 || return
	profile_compile "$1" kmod_read "$GUEST/kmod_files.c" "$GUEST/stream_check.c"
	profile_compile "$1" load_storm -DNAMED=storm_a -DNAMED_AT=1 -pthread -ldl
	profile_compile "$1" plug -DNAMED=plug_a -DNAMED_AT=9 -shared -fPIC
	mv "$T/$1/plug" "$T/$1/plug_a.so"
	profile_compile "$1" plug -DNAMED=plug_b -DNAMED_AT=11 -shared -fPIC
	mv "$T/$1/plug" "$T/$1/plug_b.so"
	profile_run "$1" "$GUEST/inside_unload.sh" "$T/$1/kmod_read" "$T/$1/load_storm" \
		"$T/$1/plug_a.so" "$T/$1/plug_b.so"
}
