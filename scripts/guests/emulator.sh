# shellcheck shell=sh disable=SC2154,SC2034 # variables are shared with the scripts that read this
# SPDX-License-Identifier: GPL-2.0-or-later
# The emulator, and a fault of it that looks like the guest's.
#
# QEMU before 8.1 translates code while another CPU may be writing it, and then
# keeps what it read. A kernel writes its code wherever a probe or a tracepoint
# comes or goes: a breakpoint first, which is in memory for a moment only. A CPU
# that gets it kept runs into it for ever: the kernel finds none there and tries
# again (a soft lockup), or takes it for a probe's and jumps to address 0.
# Seen once in some twenty loads and unloads of the module under load.
#
# So an older one is not used where one of a later Debian can be had; else its
# CPUs take turns in one thread, and never run at the same time.
#
# In later ones a moment is left, between the end of the translation and the write: a guest that
# writes its code hundreds of times a second on a busy machine meets it now and then (oops, int3).
# It is run with CPUs that take turns (scripts/guest -s).

emulator_suite=trixie
emulator_packages="qemu-system-x86 qemu-system-arm"

emulator_is_sound() # PROGRAM
{
	"$1" --version 2>/dev/null | awk '/^QEMU emulator version/ {
			split($4, part, ".")
			sound = part[1] + 0 > 8 || (part[1] + 0 == 8 && part[2] + 0 >= 1)
		}
		END { exit !sound }'
}

# Of what was unpacked, what an emulator needs: 230 MB otherwise. Its libraries are not
# the machine's: their own loader finds them.
emulator_keep() # TREE FOLDER
{
	mkdir -p "$2/bin" "$2/share"
	mv "$1/usr/lib/x86_64-linux-gnu" "$2/lib" &&
		mv "$1/usr/share/qemu" "$1/usr/share/seabios" "$2/share" || return
	for emulator_one in qemu-system-x86_64 qemu-system-aarch64; do
		mv "$1/usr/bin/$emulator_one" "$2/bin" || return
		cat >"$2/$emulator_one" <<-'END'
			#!/bin/sh
			here=$(cd "$(dirname "$0")" && pwd)
			exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib" \
				"$here/bin/${0##*/}" -L "$here/share/qemu" -L "$here/share/seabios" "$@"
		END
		chmod +x "$2/$emulator_one"
		emulator_is_sound "$2/$emulator_one" || return
	done
	rm -rf "$1"
}

emulator_make() # RECIPE
{
	lock 8 "apt-$emulator_suite"
	! is_made_of emulator "$1" || return 0
	rm -rf "${cache:?}/emulator.new"
	elsewhere_begin $emulator_suite amd64 $emulator_suite
	# shellcheck disable=SC2086 # words
	elsewhere_install "$cache/emulator.new/tree" $emulator_packages
	emulator_keep "$cache/emulator.new/tree" "$cache/emulator.new" || return
	put_in_place emulator "$1"
}

# Is cache/emulator there, or can it be made? What failed is not tried by each guest anew.
emulator_is_had()
{
	emulator_recipe="$emulator_suite $emulator_packages"
	! is_made_of emulator "$emulator_recipe" || return 0
	[ -z "$(find "$cache/emulator.lacking" -mmin -60 2>/dev/null)" ] || return 1
	(emulator_make "$emulator_recipe") >&2 && return 0
	touch "$cache/emulator.lacking"
	return 1
}

# PROGRAM is one that can be used, from now on, with CPUs in as many threads as
# $emulator_threads says: multi or single.
emulator_begin() # PROGRAM
{
	emulator_threads=multi
	! emulator_is_sound "$1" || return 0
	if emulator_is_had; then
		PATH=$cache/emulator:$PATH
	else
		emulator_threads=single
		say "$1 is older than 8.1: the guest's CPUs take turns"
	fi
}
