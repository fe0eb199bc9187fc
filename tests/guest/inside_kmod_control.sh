# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest: the control filesystem and the buffer, by programs that print
# "ok - NAME" lines (kmod_test.h); what the module refuses; loads and unloads.
# shellcheck source-path=SCRIPTDIR source=inside.sh
. /bin/inside.sh

refused() # TEXT COMMAND...
{
	refused_text=$1
	shift
	! "$@" 2>/dev/null
	ok $? "$refused_text"
}

# ---- loading ----

tr '\000' '\n' </bin/oprof.ko >"$work/words"
grep -q '^license=GPL' "$work/words" && grep -q '^alias=fs-oprofilefs$' "$work/words"
ok $? "it_has_a_licence_and_is_loaded_by_a_mount"
refused "a_clock_that_there_is_not_keeps_it_from_loading" insmod /bin/oprof.ko clock=sundial
refused "nothing_is_left_of_a_load_that_failed" grep -q '^oprof ' /proc/modules
insmod /bin/oprof.ko clock=monotonic && mkdir -p $control && mount -t oprofilefs none $control
ok $? "it_is_loaded_and_mounted"
is "$(cat $control/clock)" monotonic "the_clock_is_what_the_parameter_says"
note "cpu_type $(cat $control/cpu_type), unmappings $(cat $control/unmappings)"
refused "it_is_not_unloaded_while_mounted" rmmod oprof
exec 9<$control/version
umount -l $control
refused "it_is_not_unloaded_while_a_file_is_open" rmmod oprof
exec 9<&-
until_true rmmod oprof 2>/dev/null
ok $? "it_is_unloaded_when_the_last_file_is_closed"
refused "the_mount_point_goes_with_it" test -e /sys/fs/oprofile

# ---- files, buffer ----

period=200000
case $guest in
*kasan | *kcsan) # each sample takes so long that the CPU would do nothing else
	period=2000000
	export KMOD_PERIOD_NS=$period
	;;
esac
module_load
note "clock $(cat $control/clock)"
take kmod_control
take kmod_buffer
for turn in 1 ${all:+2 3 4 5 6 7 8 9 10}; do
	take kmod_random $((seed + turn)) 4000
done
module_unload
ok $? "it_is_unloaded_after_all_that"

# ---- again and again ----

cycles=3
[ -z "$all" ] || cycles=200
cycle=0
while [ $cycle -lt $cycles ]; do
	cycle=$((cycle + 1))
	if ! module_load || ! kmod_read -t 1 -n $period -d 8 -S >"$work/lines" 2>&1 || ! module_unload; then
		show "$work/lines"
		break
	fi
done
is $cycle $cycles "load_profile_and_unload_$cycles times"
refused "it_is_not_there_in_the_end" grep -q '^oprof ' /proc/modules
finish
