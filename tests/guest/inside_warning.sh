# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: a line in the kernel's log as a fault has it, and one that is
# the emulator's.
echo "clocksource: timekeeping watchdog: WARNING: of the emulator" >/dev/kmsg
echo "WARNING: CPU: 0 PID: 1 at of_a_test.c:1" >/dev/kmsg
exit 0
