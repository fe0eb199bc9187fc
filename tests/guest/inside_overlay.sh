# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: a file system that is a module.
mkdir /tmp/below /tmp/above /tmp/work /tmp/both
echo content >/tmp/below/file
mount -t overlay overlay -o lowerdir=/tmp/below,upperdir=/tmp/above,workdir=/tmp/work /tmp/both &&
	[ "$(cat /tmp/both/file)" = content ]
