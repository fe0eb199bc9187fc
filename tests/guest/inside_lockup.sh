# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: a CPU stands still, for ever. It is found after twice watchdog_thresh.
echo before
echo 2 >/proc/sys/kernel/watchdog_thresh
insmod /bin/bad.ko fault=lockup
