# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In a guest that is shared: the scripts of the parts, one after the other, each in a shell of its own
# (profile.sh, profile_parts).
status=0

# What a part that failed has left would fail those behind it: clean_up removes the module and reports it.
clean_up()
{
	[ -d /sys/module/oprof ] || return
	echo "not ok 0 - $part leaves the guest without the module"
	status=1
	killall -9 oprofiled optrace opcontrol kmod_read 2>/dev/null
	sleep 2
	umount -l /dev/oprofile
	rmmod oprof
}

read -r parts </parts/order
for part in $parts; do
	echo "# part $part"
	echo "part $part" >/dev/kmsg # where in the kernel's log it begins
	began=$(date +%s)
	sh "/parts/$part.sh"
	part_status=$?
	[ $part_status -le 1 ] || echo "not ok 0 - $part comes to its end (status $part_status)"
	[ $part_status = 0 ] || status=1
	echo "# $part took $(($(date +%s) - began)) s"
	clean_up
done
exit $status
