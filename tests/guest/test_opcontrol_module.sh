#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# opcontrol --init, --start, --dump, opreport, --status, --deinit with the
# module in guests; and without it: of another kernel, and on kernels that take
# only signed modules (OPROF_CHECK_ALL).
. "$(dirname "$0")/profile.sh"

# A module whose kernel has another name, of the same length or less.
other_module() # OUT
{
	perl -0777 -pe 's/(\0vermagic=)(\S+)/$1 . substr("other-kernel" . "-" x 99, 0, length $2)/e' \
		<"$profile_module" >"$1"
	grep -aq 'vermagic=other-kernel' "$1"
}

one_guest()
{
	profile_prepare "$1" || return
	profile_compile "$1" load_a_while
	other_module "$T/other.ko" || tap_bail "no module of another kernel can be made"
	for boot in plain ${OPROF_CHECK_ALL:+sig_enforce lockdown}; do
		case $boot in
		plain) guest_options= ;;
		sig_enforce)
			case $1 in
			arm64-nmi | x86-kasan | x86-kcsan) continue ;; # built without signatures
			esac
			guest_options="-k module.sig_enforce=1"
			;;
		lockdown)
			case $1 in
			x86-6* | x86-7*) guest_options="-k lockdown=integrity" ;;
			*) continue ;; # built without lockdown
			esac
			;;
		esac
		profile_settings="boot=$boot"
		tap_note "booted: $boot"
		profile_run "$1" "$GUEST/inside_opcontrol_module.sh" \
			"$profile_programs/oprof-module" "$T/other.ko" "$T/$1/load_a_while"
	done
}

[ "$profile_source" = kmod ] || tap_skip_all "is about the module"
profile_first one_guest
tap_end
