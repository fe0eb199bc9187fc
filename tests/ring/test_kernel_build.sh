#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel compiles the ring's files unchanged, without a warning, and in a
# guest the module does what the ring does in user space (OPROF_CHECK_ALL).
if [ -n "$OPROF_NO_VARIANTS" ]; then
	echo "1..0 # SKIP what it compiles is the same in every build"
	exit 0
fi
here=$(cd "$(dirname "$0")" && pwd)
top=$here/../..
tree=$(mktemp -d) || exit 99
trap 'rm -rf "$tree"' EXIT
trap 'exit 130' INT TERM

skip_all() # as the driver of TAP wants it
{
	echo "1..0 # SKIP $1"
	exit 0
}

# Of the machine's kernel, else of any; scripts/setup --all installs Debian's.
headers=
for folder in "/lib/modules/$(uname -r)/build" /lib/modules/*/build; do
	[ ! -r "$folder/Module.symvers" ] || { headers=$folder; break; }
done
[ -n "$headers" ] || skip_all "no headers of a kernel: scripts/setup --all"
command -v make >/dev/null || skip_all "make is missing"

cp "$here/kernel/Kbuild" "$here/kernel/ring_smoke.c" "$tree"
mkdir -p "$tree/ring" "$tree/include/oprof"
cp "$top"/ring/*.[ch] "$tree/ring"
cp "$top"/include/oprof/*.h "$tree/include/oprof"
chmod -R u+w "$tree" # a tree to be distributed is read-only
checker=
command -v sparse >/dev/null && checker="C=1"

echo "1..3"
# shellcheck disable=SC2086 # a word or none
timeout 170 env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$headers" M="$tree" W=1 $checker modules >"$tree/out" 2>&1
status=$?
sed 's/^/# /' "$tree/out"
[ $status -eq 0 ] && [ -r "$tree/ring_smoke_module.ko" ] || printf 'not '
echo "ok 1 - the_kernel_compiles_the_ring_unchanged"

# Sparse's findings do not end the build.
if [ -z "$checker" ]; then
	echo "ok 2 # SKIP sparse is missing"
else
	! grep -q "^$tree/.*\(warning\|error\):" "$tree/out" || printf 'not '
	echo "ok 2 - nothing_to_say_about_it_by_the_compiler_or_sparse"
fi

name="the_module_writes_and_reads_rings_in_a_kernel"
release=$(sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' "$headers/include/generated/utsrelease.h")
if [ -z "${OPROF_CHECK_ALL:-}" ]; then
	echo "ok 3 # SKIP boots a guest: scripts/check --all"
	exit 0
fi
"$top/scripts/guest" -t 300 -a "$tree/ring_smoke_module.ko" "$here/kernel/guest.sh" \
	>"$tree/guest" 2>&1
status=$?
sed 's/^/# /' "$tree/guest"
if [ $status -eq 77 ]; then
	echo "ok 3 # SKIP $(tail -n1 "$tree/guest")"
elif grep -q 'invalid module format' "$tree/guest"; then
	echo "ok 3 # SKIP the headers ($release) are not those of the guest's kernel"
else
	[ $status -eq 0 ] && grep -q 'ring: ok' "$tree/guest" || printf 'not '
	echo "ok 3 - $name"
fi
