#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module compiles and links against the headers of this machine's
# kernel, or any that are here, without a word by the compiler (W=1) or
# sparse; and a build whose headers compile nothing says so.
# What it does when loaded: tests/guest/, which build it too, with W=1 and sparse: OPROF_NO_MODULE_BUILD
# leaves that out here.
if [ -n "$OPROF_NO_VARIANTS" ]; then
	echo "1..0 # SKIP what it compiles is the same in every build"
	exit 0
fi
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d) || exit 99
trap 'rm -rf "$tree"' EXIT
trap 'exit 130' INT TERM

skip_all() # as the driver of TAP wants it
{
	echo "1..0 # SKIP $1"
	exit 0
}

headers=
for folder in "/lib/modules/$(uname -r)/build" /lib/modules/*/build; do
	[ ! -r "$folder/Module.symvers" ] || { headers=$folder; break; }
done
[ -n "$headers" ] || skip_all "no headers of a kernel: scripts/setup --all"
command -v make >/dev/null || skip_all "make is missing"
checker=
command -v sparse >/dev/null && checker="C=1"

nr=0
result() # STATUS NAME
{
	nr=$((nr + 1))
	[ "$1" -eq 0 ] || printf 'not '
	echo "ok $nr - $2"
}

# Of the first faults, what they are.
show()
{
	grep -E 'error|warning|WARNING|undefined|No rule' "$tree/out" | sed 's/^/# /' | head -40
}

echo "1..4"
# A compiler that refuses everything must not pass for a kernel that has nothing.
! sh "$top/kmod/probe.sh" "$top/kmod/probes" "$tree/probed.h" false >"$tree/out" 2>&1 &&
	grep -q 'nothing compiles' "$tree/out" && [ ! -e "$tree/probed.h" ]
result $? "probing_with_headers_that_compile_nothing_fails"
if [ -n "$OPROF_NO_MODULE_BUILD" ]; then
	for nr in 2 3 4; do
		echo "ok $nr # SKIP it is built for guests in this run"
	done
	exit
fi

"$top/scripts/kmod-tree" "$tree/src" || exit 99
# shellcheck disable=SC2086 # a word or none
timeout 500 env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$headers" M="$tree/src" W=1 $checker \
	CONFIG_DEBUG_INFO_BTF_MODULES= modules >"$tree/out" 2>&1
status=$?
[ $status -eq 0 ] && [ -r "$tree/src/oprof.ko" ]
result $? "the_module_compiles_and_links"
[ $status -eq 0 ] || show

# Sparse's findings do not end the build; modpost's name no file.
if [ -z "$checker" ]; then
	nr=$((nr + 1))
	echo "ok $nr # SKIP sparse is missing"
else
	! grep -Eq '^[^ ]+:[0-9]+(:[0-9]+)?: (warning|error)|^WARNING: modpost' "$tree/out"
	status=$?
	result $status "nothing_to_say_about_it_by_the_compiler_or_sparse"
	[ $status -eq 0 ] || show
fi

modinfo=$(PATH=$PATH:/sbin:/usr/sbin modinfo "$tree/src/oprof.ko" 2>/dev/null) ||
	modinfo=$(strings "$tree/src/oprof.ko" 2>/dev/null)
echo "$modinfo" | grep -q 'license[:=] *GPL$' && echo "$modinfo" | grep -q 'alias[:=] *fs-oprofilefs$'
result $? "it_has_a_licence_and_is_loaded_by_a_mount"
