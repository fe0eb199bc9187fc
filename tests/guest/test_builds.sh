#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A module builds for each guest, and not with anything that the compiler
# (W=1) or sparse has to say of it.
. "$(dirname "$0")/lib.sh"

# module_with NAME TEXT: a folder with a module and this line in it
module_with()
{
	mkdir "$T/$1"
	cp "$GUEST/bad/Kbuild" "$T/$1"
	{
		cat "$GUEST/bad/bad.c"
		echo "$2"
	} >"$T/$1/bad.c"
}

refuses() # FOLDER FINDING TEXT
{
	rm -rf "$T/out"
	! "$SCRIPTS/guest-module" "$guest" "$T/$1" "$T/out" >"$T/log" 2>&1 && [ ! -e "$T/out" ]
	tap_ok $? "$guest: $3 fails the build"
	tap_has "$T/log" "$2" "$guest: and is shown, by file and line"
}

module_with clean ""
module_with prototype "int bad_loose(void) { return bad_sum; }"
module_with pointer "static __used int bad_user(int __user *p) { return *p; }"
for guest in $(guest_names); do
	guest_ready "$guest" || continue
	rm -rf "$T/built"
	"$SCRIPTS/guest-module" "$guest" "$T/clean" "$T/built" >"$T/log" 2>&1 && [ -s "$T/built/bad.ko" ]
	tap_ok $? "$guest: a module builds" || tap_show "$T/log"
	refuses prototype 'bad\.c:[0-9]+.*no previous prototype' "what only W=1 warns of"
	if command -v sparse >/dev/null; then
		refuses pointer 'bad\.c:[0-9]+.*(dereference|address space)' "what only sparse sees"
	else
		tap_skip "$guest: what only sparse sees" "sparse is missing"
	fi
done
tap_end
