# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: commit the faults of /faults, one after the other.
while read -r fault; do
	insmod /bin/bad.ko fault="$fault" && rmmod bad || exit 1
done </faults
exit 0
