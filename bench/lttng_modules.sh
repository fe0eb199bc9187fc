#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# lttng_modules.sh GUEST: builds LTTng's kernel modules, from the package that apt knows, for a
# guest (scripts/guest-kernel). Prints the folder to use as /lib/modules in the guest. The folder is
# built once and kept in the guests' cache. Exits with 77 if something needed for it is not
# available.
set -u
top=${OPROF_TOP_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}

lacking()
{
	echo "bench: $1: no peer" >&2
	exit 77
}

depmod=$(PATH=$PATH:/sbin:/usr/sbin command -v depmod) || lacking "depmod is missing (package kmod)"
kernel=$("$top/scripts/guest-kernel" "$1" 2>/dev/null) || lacking "no guest $1"
release=$(cat "$kernel/release") || exit 1
version=$(apt-cache policy lttng-modules-dkms 2>/dev/null | awk '/Candidate:/ { print $2 }')
case $version in
"" | "(none)") lacking "apt does not know lttng-modules-dkms" ;;
esac
made=$(dirname "$kernel")/lttng-modules-$version-$release
if [ -d "$made" ]; then
	echo "$made"
	exit 0
fi

work=$(mktemp -d) || exit 1
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
(cd "$work" && apt-get -q download lttng-modules-dkms && dpkg-deb -x ./*.deb source) >"$work/log" 2>&1 ||
	lacking "apt can't download lttng-modules-dkms"
source=$(echo "$work"/source/usr/src/*/src)
# Leave out probes that do not compile, because a stable release of the kernel changed the arguments
# of their tracepoints.
sed -i '/lttng-probe-timer/d' "$source/probes/Kbuild"
nice make -j2 -C "$kernel/build" M="$source" CONFIG_LTTNG=m CONFIG_DEBUG_INFO_BTF_MODULES= modules \
	>"$work/log" 2>&1 || {
	tail -n 20 "$work/log" >&2
	lacking "LTTng's modules do not build for $release"
}
tree=$work/tree/lib/modules/$release
mkdir -p "$tree/extra"
find "$source" -name '*.ko' -exec cp {} "$tree/extra/" \;
# depmod makes the index of built-in modules, which LTTng needs, only if these files exist and are
# not empty.
echo kernel/none/none.ko >"$tree/modules.builtin"
printf 'none.alias=none\0none.file=none/none\0' >"$tree/modules.builtin.modinfo"
: >"$tree/modules.order"
"$depmod" -b "$work/tree" "$release" || exit 1
rm -rf "$made.new"
mv "$work/tree/lib/modules" "$made.new" && mv "$made.new" "$made" && echo "$made"
