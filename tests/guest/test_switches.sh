#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Time off CPU, from the module's records of task switches, of threads that
# know their own.
# shellcheck source-path=SCRIPTDIR source=profile.sh
. "$(dirname "$0")/profile.sh"

switches()
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

profile_each switches
tap_end
