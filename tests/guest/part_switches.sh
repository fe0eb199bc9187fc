# shellcheck shell=sh disable=SC2154 # variables are profile.sh's
# SPDX-License-Identifier: GPL-2.0-or-later
# Time off CPU, from the module's records of task switches, of threads that
# know their own.

part_switches() # GUEST
{
	profile_prepare "$1" || return
	guest_compile "$(guest_arch "$1")" -O1 -pthread -o "$T/$1/off_cpu_program" \
		"$GUEST/../e2e/off_cpu_program.c" || tap_bail "the workload does not compile"
	guest_compile "$(guest_arch "$1")" -O1 -I"$GUEST/../.." -I"$GUEST/../../include" \
		-o "$T/$1/off_cpu_sum" "$GUEST/../e2e/off_cpu_sum.c" \
		"$profile_programs/libdb/libsdb.a" "$profile_programs/lib/libbase.a" ||
		tap_bail "the reader does not compile"
	profile_run "$1" "$GUEST/inside_switches.sh" "$T/$1/off_cpu_program" "$T/$1/off_cpu_sum"
}
