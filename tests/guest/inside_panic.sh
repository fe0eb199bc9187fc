# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the kernel dies, for want of memory.
echo before
echo 2 >/proc/sys/vm/panic_on_oom
tail /dev/zero
