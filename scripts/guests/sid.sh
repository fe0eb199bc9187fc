# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel of Debian's sid. Its headers want the compiler and the libraries
# of sid: modules for it are built in a root that holds just these
# (sid-run enters it).

sid_packages="base-files libc-bin dash coreutils sed grep mawk findutils diffutils make sparse
	linux-headers-amd64"

# The makefile asks this script whether sparse can be used, and Debian's
# package has forgotten it: without it sparse is left out, with no error.
sid_checker() # ROOT
{
	for sid_scripts in "$1"/usr/lib/linux-kbuild-*/scripts; do
		[ -e "$sid_scripts/checker-valid.sh" ] || {
			printf '#!/bin/sh\necho 1\n' >"$sid_scripts/checker-valid.sh"
			chmod +x "$sid_scripts/checker-valid.sh"
		}
	done
}

sid_guest() # NAME
{
	need dpkg-deb apt-get cpio xz unshare
	lock 8 apt-sid
	elsewhere_begin sid amd64 sid
	# shellcheck disable=SC2086 # words
	package_image=$(package_of "$(guest_what "$1")" $elsewhere)
	rm -rf "${cache:?}/$1.new"
	# shellcheck disable=SC2046,SC2086 # words
	unpack_packages "$cache/$1.new/deb" $(package_image_parts "$package_image" $elsewhere) -- $elsewhere
	# shellcheck disable=SC2086 # words
	elsewhere_install "$cache/$1.new/root" $sid_packages
	# What installing would do, and unpacking does not.
	for sid_link in awk=mawk sh=dash; do
		[ -e "$cache/$1.new/root/usr/bin/${sid_link%=*}" ] ||
			ln -s "${sid_link#*=}" "$cache/$1.new/root/usr/bin/${sid_link%=*}"
	done
	mkdir -p "$cache/$1.new/root/mnt"
	sid_checker "$cache/$1.new/root"
	mkdir -p "$cache/$1.new/headers"
	package_fill "$1" "$cache/$1.new/deb" "$package_image" "linux-headers-${package_image#linux-image-}"
	rm -r "$cache/$1.new/deb" "$cache/$1.new/headers"
	ln -sfn "root/usr/src/linux-headers-${package_image#linux-image-}" "$cache/$1.new/build"
}
