# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# The tree that a guest runs in: busybox, programs with their libraries, the
# script, modules. $root is its folder, $arch the guest's.

root_begin()
{
	for root_folder in bin proc sys dev tmp etc root var/lib run; do
		mkdir -p "$root/$root_folder"
	done
	cp "$(root_busybox)" "$root/bin/busybox"
	cp "$guests_home/init" "$root/init"
	chmod +x "$root/init"
	printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' \
		>"$root/etc/passwd"
	printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
}

root_busybox()
{
	case $arch in
	arm64) echo "$sysroot/bin/busybox" ;;
	*) command -v busybox ;;
	esac
}

# Where the loader, itself in /lib, finds a library of arm64, "" if nowhere.
root_find_library() # NAME
{
	for root_folder in lib lib/aarch64-linux-gnu usr/lib/aarch64-linux-gnu; do
		if [ -e "$sysroot/$root_folder/$1" ]; then
			echo "$root_folder/$1"
			return
		fi
	done
}

root_add_arm64_libraries() # PROGRAM
{
	readelf -d -l "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p
		s/.*program interpreter: .*\/\(.*\)\]/\1/p' |
		while read -r root_name; do
			root_path=$(root_find_library "$root_name")
			if [ -z "$root_path" ] || [ -e "$root/$root_path" ]; then
				continue
			fi
			mkdir -p "$root/${root_path%/*}"
			cp -L "$sysroot/$root_path" "$root/$root_path"
			(root_add_arm64_libraries "$sysroot/$root_path")
		done
}

root_add_x86_libraries() # PROGRAM
{
	ldd "$1" 2>/dev/null | awk '$2 == "=>" { print $3 } $1 ~ /^\// { print $1 }' |
		while read -r root_library; do
			[ -r "$root_library" ] || continue
			mkdir -p "$root/$(dirname "$root_library")"
			[ -e "$root/$root_library" ] || cp -L "$root_library" "$root/$root_library"
		done
}

# A program of the other architecture would be told as "not found" in the guest.
root_check_machine() # FILE
{
	case $(od -An -tx1 -N 20 "$1" | tr -d ' \n') in
	7f454c46*b700) root_machine=arm64 ;;
	7f454c46*3e00) root_machine=x86 ;;
	*) return 0 ;;
	esac
	[ $root_machine = "$arch" ] || {
		say "$1 is of $root_machine, the guest $name of $arch"
		exit 2
	}
}

# FILE, FILE=PATH or FOLDER=PATH
root_add() # WORD
{
	case $1 in
	*=*)
		root_from=${1%%=*}
		root_to=$root/${1#*=}
		;;
	*)
		root_from=$1
		root_to=$root/bin/${1##*/}
		;;
	esac
	[ -r "$root_from" ] || {
		say "$root_from: can't be read"
		exit 2
	}
	if [ -d "$root_from" ]; then
		mkdir -p "$root_to"
		cp -RL "$root_from/." "$root_to/"
		return
	fi
	mkdir -p "$(dirname "$root_to")"
	cp -L "$root_from" "$root_to"
	root_check_machine "$root_from"
	"root_add_${arch}_libraries" "$root_from"
}

# Modules of the guest's own kernel, in the order in which they are inserted.
root_add_module() # NAME
{
	root_file=$(find "$kernel/modules" -name "$1.ko" 2>/dev/null | head -n1)
	[ -n "$root_file" ] || root_file=$(find "$kernel/modules" \
		-name "$(echo "$1" | tr _ -).ko" 2>/dev/null | head -n1)
	[ -n "$root_file" ] || return 0 # built in; if not, insmod or mount says so
	! grep -qFx "${root_file##*/}" "$root/modules/order" 2>/dev/null || return 0
	for root_one in $(readelf -p .modinfo "$root_file" | sed -n 's/.*\] *depends=//p' | tr , ' '); do
		(root_add_module "$root_one")
	done
	mkdir -p "$root/modules"
	cp "$root_file" "$root/modules/"
	echo "${root_file##*/}" >>"$root/modules/order"
}

root_pack() # FILE
{
	(cd "$root" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) >"$1"
}
