# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels as Debian's packages have them, of the machine's architecture and
# of arm64: the newest that apt knows by its meta-package.

# Without apt's lists what was fetched before goes on serving.
package_recipe() # META
{
	package_now=$(package_of "$1")
	package_version=$(version_of "$package_now")
	echo "$package_now ${package_version:--}"
}

# Of the modules those that a test may want (scripts/guest -M): file systems,
# what they stand on, and what talks to the emulator.
package_keep_modules() # TREE FOLDER
{
	mkdir -p "$2"
	(cd "$1"/lib/modules/*/kernel 2>/dev/null || cd "$1"/usr/lib/modules/*/kernel &&
		find fs net/9p net/core drivers/virtio drivers/block drivers/char lib crypto \
			arch/*/crypto -name '*.ko*' 2>/dev/null | cpio -pdm --quiet "$2")
	find "$2" -name '*.ko.xz' -exec xz -dq {} +
}

# The absolute names in the headers' makefiles are those of an installed
# package; links between the packages are relative and hold as they are.
package_move_headers() # TREE FINAL_PLACE
{
	for package_makefile in "$1"/usr/src/linux-headers-*/Makefile; do
		[ -e "$package_makefile" ] || continue
		sed -i "s,^include /usr/src/,include $2/usr/src/," "$package_makefile"
	done
}

package_fill() # NAME TREE IMAGE_PACKAGE HEADERS_PACKAGE
{
	package_new=$cache/$1.new
	cp "$(find "$2/boot" "$2/usr/lib/modules" -name "vmlinuz*" 2>/dev/null | head -n1)" "$package_new/image"
	package_release=${3#linux-image-}
	echo "$package_release" >"$package_new/release"
	package_keep_modules "$2" "$package_new/modules"
	package_move_headers "$package_new/headers" "$cache/$1/headers"
	ln -s "headers/usr/src/$4" "$package_new/build"
}

# What the headers' package needs of its own: the common half, kbuild.
package_parts() # HEADERS_PACKAGE [APT_OPTION...]
{
	package_one=$1
	shift
	apt-cache "$@" depends "$package_one" 2>/dev/null |
		awk '/^ *Depends: linux-(headers|kbuild)-/ { print $2 }'
}

# The kernel's package, and from 7.x on those that hold it.
package_image_parts() # IMAGE_PACKAGE [APT_OPTION...]
{
	package_one=$1
	shift
	echo "$package_one"
	apt-cache "$@" depends "$package_one" 2>/dev/null |
		awk '/^ *Depends: linux-(binary|modules)-[0-9]/ { print $2 }'
}

package_guest() # NAME
{
	need dpkg-deb apt-get cpio xz make gcc
	package_image=$(package_of "$(guest_what "$1")")
	package_headers=linux-headers-${package_image#linux-image-}
	[ -n "$(version_of "$package_image")" ] ||
		lacking "apt does not know $(guest_what "$1"): run apt-get update"
	rm -rf "${cache:?}/$1.new"
	# shellcheck disable=SC2046 # words
	unpack_packages "$cache/$1.new/deb" $(package_image_parts "$package_image")
	# shellcheck disable=SC2046 # words
	unpack_packages "$cache/$1.new/headers" "$package_headers" $(package_parts "$package_headers")
	package_fill "$1" "$cache/$1.new/deb" "$package_image" "$package_headers"
	rm -r "$cache/$1.new/deb"
}

# arm64: kbuild holds programs that run while building; they are the ones of
# this machine's architecture.
arm64_guest() # NAME
{
	need dpkg-deb apt-get cpio xz make aarch64-linux-gnu-gcc
	lock 8 apt-arm64
	elsewhere_begin arm64 arm64
	# shellcheck disable=SC2086 # words
	package_image=$(package_of "$(guest_what "$1")" $elsewhere)
	package_headers=linux-headers-${package_image#linux-image-}
	rm -rf "${cache:?}/$1.new"
	# shellcheck disable=SC2046,SC2086 # words
	unpack_packages "$cache/$1.new/deb" $(package_image_parts "$package_image" $elsewhere) -- $elsewhere
	# shellcheck disable=SC2086 # words
	package_all=$(package_parts "$package_headers" $elsewhere)
	# shellcheck disable=SC2046,SC2086 # words
	unpack_packages "$cache/$1.new/headers" "$package_headers" \
		$(echo "$package_all" | grep -v kbuild) -- $elsewhere
	# shellcheck disable=SC2046 # words
	unpack_packages "$cache/$1.new/headers" $(echo "$package_all" | grep kbuild)
	package_fill "$1" "$cache/$1.new/deb" "$package_image" "$package_headers"
	rm -r "$cache/$1.new/deb"
}
