// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Task 0 runs the idle loop. Interrupts and soft interrupts of an idle CPU also run as task 0, but
 * they are work. A sample has only an address and no stack, so the function at this address
 * decides: the functions that only the idle loop calls are idle. Kernels, drivers and hypervisors
 * have hundreds of such functions, and get more every year, but the names are similar. Therefore
 * the following rules apply to the words of a name (its parts between underscores):
 *
 *  1. "safe_halt": for each hypervisor X, the kernel waits in a function X_safe_halt.
 *  2. "cpuidle": the framework of idle states and its drivers.
 *  3. "idle" together with "enter" or "exit", but without "balance": functions that begin or end
 *     the idle state. Some functions with these words have another meaning (worker_enter_idle),
 *     but run in other tasks. nohz_balance_exit_idle, however, is called by the timer's interrupt.
 *  4. Other names are in two lists: one of beginnings of names, one of whole names.
 *
 * The word "idle" alone is not sufficient: nohz_idle_balance moves work of other CPUs, in a soft
 * interrupt. Newer kernels also have most idle routines in one section, which kernel_load.c adds.
 */
#include "daemon/kernel/kernel_idle.h"

#include <stddef.h>
#include <string.h>

/*
 * A function that sets up idle states may have such a name, too. This does no harm, since it runs
 * in other tasks.
 */
static const char *const beginnings[] = {
	"__arch_cpu_idle",  "__sbi_enter",   "acpi_idle_",
	"amd_e400_idle",    "arch_cpu_idle", "acpi_processor_ffh_cstate_enter",
	"cpu_do_idle",	    "cpu_idle_poll", "check_and_cede_processor",
	"dedicated_cede",   "default_idle",  "do_idle",
	"haltpoll",	    "intel_idle",    "isa300_idle",
	"ladder_",	    "menu_",	     "mwait_idle",
	"nap_loop",	    "poll_idle",     "power9_idle",
	"psci_cpu_suspend", "s2idle_enter",  "shared_cede",
	"snooze_loop",	    "stop_loop",     "teo_",
	"tick_nohz_idle_",  "xen_idle",
};

static const char *const whole[] = {
	"__r4k_wait",
	"cpu_idle",
	"cpu_startup_entry",
	"cpu_v7_do_idle",
	"enabled_wait",
	"io_idle",
	"psw_idle",
	"r4k_wait",
	"sched_idle_set_state",
	"tdx_halt",
	"tick_nohz_get_sleep_length",
	"wait_for_interrupt",
	/*
	 * Hypercalls by which a guest waits. Newer kernels under Xen make all hypercalls in
	 * xen_hypercall_pv. Task 0 makes few other hypercalls, and these are short.
	 */
	"plpar_hcall_norets_notrace",
	"xen_hypercall_pv",
	"xen_hypercall_sched_op",
};

/* Returns whether c ends a name. Compilers add suffixes: "cpu_idle_poll.isra.0", "do_idle.cold". */
static bool ends(char c)
{
	return !c || c == '.';
}

static bool is_name(const char *name, const char *routine)
{
	size_t nr = strlen(routine);

	return !strncmp(name, routine, nr) && ends(name[nr]);
}

static bool has_word(const char *name, const char *word)
{
	size_t nr = strlen(word);

	for (const char *at = strstr(name, word); at; at = strstr(at + nr, word))
		if ((at == name || at[-1] == '_') && (at[nr] == '_' || ends(at[nr])))
			return true;
	return false;
}

static bool is_built_as_idle(const char *name)
{
	if (!strstr(name, "idle"))
		return has_word(name, "safe_halt");
	return has_word(name, "cpuidle") || has_word(name, "safe_halt") ||
	       (has_word(name, "idle") && !has_word(name, "balance") &&
		(has_word(name, "enter") || has_word(name, "exit")));
}

bool kernel_idle_is_routine(const char *name)
{
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		/*
		 * Compare the first letter first, which excludes most names, since this runs for
		 * each function of the kernel.
		 */
		if (name[0] == beginnings[i][0] &&
		    !strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (name[0] == whole[i][0] && is_name(name, whole[i]))
			return true;
	return is_built_as_idle(name);
}
