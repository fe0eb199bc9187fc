# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# What arm64 programs are linked with and run with: Debian's packages,
# unpacked into cache/sysroot-arm64.

sysroot_packages="libc6-dev linux-libc-dev libpopt-dev zlib1g-dev libzstd-dev libelf-dev
	libdw-dev binutils-dev libiberty-dev libncurses-dev libarchive-dev liblzma-dev check
	busybox-static"

# Links of a root would lead to the machine's own files.
sysroot_relative_links() # FOLDER
{
	find "$1" -type l -lname '/*' | while read -r sysroot_link; do
		ln -sfnr "$1$(readlink "$sysroot_link")" "$sysroot_link"
	done
}

# Print its path; make it first if it is not there.
sysroot() # [--fresh]
{
	sysroot_recipe=$(echo "$sysroot_packages" | tr -s ' \n\t' ' ')
	if ! is_made_of sysroot-arm64 "$sysroot_recipe"; then
		need dpkg-deb apt-get
		lock 9 sysroot-arm64
		is_made_of sysroot-arm64 "$sysroot_recipe" || sysroot_make
	fi
	echo "$cache/sysroot-arm64"
}

sysroot_make()
{
	lock 8 apt-arm64
	elsewhere_begin arm64 arm64 >&2
	rm -rf "$cache/sysroot-arm64.new"
	# shellcheck disable=SC2086 # words
	elsewhere_install "$cache/sysroot-arm64.new" $sysroot_packages >&2
	sysroot_relative_links "$cache/sysroot-arm64.new"
	put_in_place sysroot-arm64 "$sysroot_recipe"
}
