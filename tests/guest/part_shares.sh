# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole way from the sample's interrupt to opreport -l, in guests: the
# functions of a generated program, one of them in a library that it loads
# while running, and the kernel's work for two programs, have the shares that
# are known from what they did.

part_shares() # GUEST
{
	profile_prepare "$1" || return
	profile_compile "$1" load_apps
	files=$T/$1
	"$GUEST/make_shares.sh" "$seed" "$files" &&
		guest_compile "$(guest_arch "$1")" -O1 -shared -fPIC -o "$files/libshares$seed.so" \
			"$files/library.c" &&
		guest_compile "$(guest_arch "$1")" -D_GNU_SOURCE -I"$GUEST/../.." -O1 -o "$files/shares$seed" \
			"$files/shares.c" -ldl
	tap_ok $? "$1: a program of random functions builds"
	cp "$files/load_apps" "$files/often$seed"
	cp "$files/load_apps" "$files/seldom$seed"
	profile_run "$1" "$GUEST/inside_shares.sh" "$files/shares$seed" "$files/libshares$seed.so" \
		"$files/names" "$files/load_apps" "$files/often$seed" "$files/seldom$seed"
}
