// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/probes.h"

#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "kmod/compat.h"
#include "kmod/sampler.h"
#include "kmod/sync_worker.h"

/*
 * When the last thread of a process exits, the address space can be freed only
 * after the worker has dropped its references to the address space. Therefore
 * this probe requests a pass.
 */
static void probe_exit(COMPAT_PROCESS_EXIT_ARGUMENTS)
{
	if (compat_is_group_dead() && sampler_has_seen_process(task_tgid(task)))
		sync_worker_kick_nmi();
}

/* Interrupts are off, and the runqueue is locked. */
static void probe_switch(void *data, bool preempted, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	sampler_switch(prev, next, preempted);
}

enum { PROBE_EXIT, PROBE_SWITCH, PROBE_NR };

struct probe {
	const char *name;
	void *function;
	struct tracepoint *tracepoint; /* found by name, because the symbols are not exported */
	bool registered;
};

static struct probe probes[PROBE_NR] = {
	[PROBE_EXIT] = {.name = "sched_process_exit", .function = probe_exit},
	[PROBE_SWITCH] = {.name = "sched_switch", .function = probe_switch},
};

/*
 * Checks at compile time that the probes, which are passed as void pointers,
 * have the types that the kernel expects.
 */
static void __maybe_unused check_types(void)
{
	check_trace_callback_type_sched_process_exit(probe_exit);
	check_trace_callback_type_sched_switch(probe_switch);
}

static void find(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < PROBE_NR; i++) {
		if (!strcmp(tracepoint->name, probes[i].name))
			probes[i].tracepoint = tracepoint;
	}
}

static int probe_register(struct probe *probe)
{
	int error;

	if (!probe->tracepoint)
		return -ENOENT;
	error = tracepoint_probe_register(probe->tracepoint, probe->function, NULL);
	probe->registered = !error;
	return error;
}

int probes_enable(bool want_switches)
{
	int error;

	for_each_kernel_tracepoint(find, NULL);
	error = probe_register(&probes[PROBE_EXIT]);
	if (!error && want_switches)
		error = probe_register(&probes[PROBE_SWITCH]);
	if (error)
		probes_disable();
	return error;
}

void probes_disable(void)
{
	unsigned int i;

	for (i = 0; i < PROBE_NR; i++) {
		if (probes[i].registered)
			(void)tracepoint_probe_unregister(probes[i].tracepoint, probes[i].function,
							  NULL);
		probes[i].registered = false;
	}
	tracepoint_synchronize_unregister();
}
