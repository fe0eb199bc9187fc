# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels built here, of linux-source-6.12 as Debian has it, to a tiny
# configuration: made of what stands in config/.

source_package=linux-source-6.12

# The tree that all of them are built from: cache/PACKAGE.
source_tree()
{
	if [ -r "$cache/$source_package/recipe" ] && [ -z "$fresh" ]; then
		return
	fi
	source_version=$(version_of $source_package)
	[ -n "$source_version" ] || lacking "apt does not know $source_package: run apt-get update"
	! is_made_of $source_package "$source_version" || return 0
	rm -rf "${cache:?}/$source_package.new"
	mkdir -p "$cache/$source_package.new"
	unpack_packages "$cache/$source_package.new/deb" $source_package
	say "unpacking $source_package $source_version"
	tar -C "$cache/$source_package.new" --strip-components=1 --no-same-owner \
		--exclude='*/drivers/gpu/drm/*.[ch]' --exclude='*/Documentation/devicetree' \
		-xf "$cache/$source_package.new"/deb/usr/src/linux-source-*.tar.xz
	rm -r "$cache/$source_package.new/deb"
	put_in_place $source_package "$source_version"
}

source_fragments() # WHAT: their paths
{
	echo "$1" | tr + '\n' | sed "s,^,$guests_home/config/,"
}

source_recipe() # WHAT
{
	# shellcheck disable=SC2046 # paths of ours, no blanks in their names
	(cd "$guests_home/config" && cat $(echo "$1" | tr + ' ')) | sha256sum | cut -c1-16
}

source_make() # ARCH ARGUMENT...
{
	case $1 in
	arm64) source_words="ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-" ;;
	*) source_words="ARCH=x86" ;;
	esac
	shift
	# shellcheck disable=SC2086 # words
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL nice make -C "$cache/$source_package" \
		O="$source_build" KBUILD_BUILD_TIMESTAMP='' KBUILD_BUILD_USER=oprof KBUILD_BUILD_HOST=guest \
		$source_words "$@"
}

# olddefconfig drops what it does not know or allow, without a word.
source_check_config() # CONFIG FRAGMENT...
{
	source_config=$1
	shift
	cat "$@" | grep -E '^(CONFIG_|# CONFIG_)' | while read -r source_line; do
		case $source_line in
		'# CONFIG_'*) # may be left out where something else forbids it
			source_name=${source_line#\# }
			! grep -q "^${source_name%% *}=" "$source_config" || echo "$source_line"
			;;
		*) grep -qFx "$source_line" "$source_config" || echo "$source_line" ;;
		esac
	done
}

# A build that was broken off goes on where it stopped, if it is of this source.
source_guest() # NAME
{
	need gcc make flex bison bc xz
	[ "$(guest_arch "$1")" != arm64 ] || need aarch64-linux-gnu-gcc
	source_arch=$(guest_arch "$1")
	lock 8 kernel-build
	source_tree
	source_new=$cache/$1.new
	source_build=$source_new/build
	cmp -s "$cache/$source_package/recipe" "$source_new/source" || rm -rf "$source_new"
	mkdir -p "$source_build"
	cp "$cache/$source_package/recipe" "$source_new/source"
	source_make "$source_arch" -s tinyconfig >/dev/null || exit 1
	# shellcheck disable=SC2046 # paths
	cat $(source_fragments "$(guest_what "$1")") >>"$source_build/.config"
	source_make "$source_arch" -s olddefconfig >/dev/null 2>&1 || exit 1
	# shellcheck disable=SC2046 # paths
	source_missing=$(source_check_config "$source_build/.config" $(source_fragments "$(guest_what "$1")"))
	[ -z "$source_missing" ] || {
		say "$1: the kernel's configuration did not take: $source_missing"
		exit 1
	}
	say "building the kernel of $1, $(cat "$source_new/source"): minutes, once (log: $source_new/log)"
	case $source_arch in
	arm64) source_image=arch/arm64/boot/Image ;;
	*) source_image=arch/x86/boot/bzImage ;;
	esac
	quietly "$source_new/log" source_make "$source_arch" -j"$(nproc)" "${source_image##*/}" modules || exit 1
	cp "$source_build/$source_image" "$source_new/image"
	cp "$source_build/include/config/kernel.release" "$source_new/release"
}
