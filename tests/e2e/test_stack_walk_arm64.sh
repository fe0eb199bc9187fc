#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Walks on AArch64, with signed return addresses: a program that walks its own
# stack where a timer finds it, beside libgcc's unwinder, in QEMU's emulation
# of user programs, with the sysroot of the guests.
. "$(dirname "$0")/lib.sh"

sysroot=$OPROF_GUEST_CACHE/sysroot-arm64
top=$E2E/../..
command -v qemu-aarch64 >/dev/null || tap_skip_all "needs qemu-aarch64"
command -v aarch64-linux-gnu-gcc >/dev/null || tap_skip_all "needs aarch64-linux-gnu-gcc"
[ -e "$sysroot/usr/include/stdio.h" ] || tap_skip_all "needs the sysroot of the guests (scripts/guest-programs)"

# value NAME: of what the program counted
value()
{
	sed "s/.*\\b$1=\\([0-9]*\\).*/\\1/" "$T/counts"
}

# build NAME FLAG...
build()
{
	build_name=$1
	shift
	aarch64-linux-gnu-gcc --sysroot="$sysroot" -D_GNU_SOURCE -O2 -I "$top" -o "$T/$build_name" "$@" \
		"$E2E/walk_self_main.c" "$top/tests/fixture/walk_self.c" "$top/tests/fixture/process_code.c" \
		"$top"/unwind/*.c "$top/lib/array.c" "$top/lib/file.c" "$top/lib/diag.c" "$top/lib/utf8.c"
}

for kind in plain signed; do
	flags=-O2
	[ $kind = plain ] || flags=-mbranch-protection=standard
	build $kind $flags || tap_bail "does not build"
	timeout 60 qemu-aarch64 -L "$sysroot" "$T/$kind" 200 >"$T/out"
	status=$?
	tail -n 1 "$T/out" >"$T/counts"
	tap_note "$kind: $(cat "$T/counts")"
	[ $status = 0 ] && [ "$(value walks)" -ge 200 ]
	tap_ok $? "$kind: 200 places are walked"
	[ "$(value different)" = 0 ] && [ "$(value short)" = 0 ]
	tap_ok $? "$kind: callers are those that libgcc finds"
	[ "$(value whole)" -ge 198 ] && [ "$(value lost)" -le 10 ]
	tap_ok $? "$kind: walks are whole"
done
tap_end
