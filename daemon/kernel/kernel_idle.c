// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kernel/kernel_idle.h"

#include <stddef.h>
#include <string.h>

/*
 * Prefixes of names. Only samples of task 0 are checked, so a set-up routine with such a prefix,
 * which other tasks run, does no harm. Newer kernels keep most idle routines in one section, which
 * begins at __cpuidle_text_start.
 */
static const char *const beginnings[] = {
	"acpi_idle_",	      "acpi_safe_halt",	    "acpi_processor_ffh_cstate_enter",
	"arch_cpu_idle",      "call_cpuidle",	    "cpu_idle_poll",
	"cpu_do_idle",	      "cpuidle_enter",	    "cpuidle_poll",
	"default_enter_idle", "default_idle",	    "do_idle",
	"haltpoll",	      "intel_idle",	    "mwait_idle",
	"poll_idle",	      "psci_enter_idle",    "psci_cpu_suspend",
	"snooze_loop",	      "sbi_cpuidle",	    "amd_e400_idle",
	"__sbi_enter",	      "arch_cpuidle_enter", "s2idle_enter",
	"nap_loop",	      "stop_loop",	    "xen_idle",
};

static const char *const whole[] = {
	"io_idle",	 "native_safe_halt",   "pv_native_safe_halt", "xen_safe_halt",
	"tdx_safe_halt", "tdx_halt",	       "kvm_safe_halt",	      "cpu_startup_entry",
	"cpu_idle",	 "wait_for_interrupt", "arch_safe_halt",      "cpu_v7_do_idle",
};

/* Compilers add suffixes: "cpu_idle_poll.isra.0", "do_idle.cold". */
static bool is_name(const char *name, const char *routine)
{
	size_t nr = strlen(routine);

	return !strncmp(name, routine, nr) && (!name[nr] || name[nr] == '.');
}

bool kernel_idle_is_routine(const char *name)
{
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		/*
		 * This runs for each function of the kernel: the first letter excludes most of
		 * them.
		 */
		if (name[0] == beginnings[i][0] &&
		    !strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (name[0] == whole[i][0] && is_name(name, whole[i]))
			return true;
	return false;
}
