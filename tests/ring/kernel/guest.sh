#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: load the module, show what it said; reports of the kernel's
# own checks fail the run (scripts/guest).
insmod /bin/ring_smoke_module.ko || status=1
dmesg | grep ' ring: '
rmmod ring_smoke_module || status=1
exit "${status:-0}"
