// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_processes.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Returns the entry of a thread's process, and adds the entry if necessary. If thread i is the
 * first thread of a process, numbers[i] is 1 + the index of the process's entry, or 0 if the entry
 * is not yet added. The last element of `numbers` is for threads whose process is unknown.
 */
static struct trace_process *process_of(struct trace_processes *processes, uint32_t *numbers,
					const struct trace_states *states,
					const struct trace_thread *thread)
{
	const size_t nr_threads = trace_states_nr_threads(states);
	const bool is_known = thread->process < nr_threads;
	uint32_t *number = &numbers[is_known ? thread->process : nr_threads];

	if (!*number) {
		const struct trace_thread *first =
			is_known ? trace_states_thread(states, thread->process) : NULL;

		processes->processes[processes->nr++] =
			(struct trace_process){.pid = first ? first->tid : -1,
					       .name = first ? first->name : "",
					       .is_kernel = first && first->is_kernel};
		*number = (uint32_t)processes->nr;
	}
	return &processes->processes[*number - 1];
}

static int add(struct trace_process *process, const struct trace_thread *thread)
{
	process->nr_threads++;
	process->is_seen |= thread->is_seen;
	for (unsigned int i = 0; i < NR_THREAD_STATES; i++)
		process->ns[i] += thread->ns[i];
	process->nr_switches += thread->nr_switches;
	process->nr_syscalls += thread->nr_syscalls;
	process->nr_errors += thread->nr_errors;
	process->nr_wakeups += thread->nr_wakeups;
	return trace_distribution_merge(&process->wakeups, &thread->wakeups);
}

int trace_processes_init(struct trace_processes *processes, const struct trace_states *states)
{
	const size_t nr = trace_states_nr_threads(states);
	uint32_t *numbers = calloc(nr + 1, sizeof(*numbers));
	int error = 0;

	*processes = (struct trace_processes){
		.processes = calloc(nr + 1, sizeof(*processes->processes))};
	if (!numbers || !processes->processes)
		error = -ENOMEM;
	for (size_t i = 0; !error && i < nr; i++) {
		const struct trace_thread *thread = trace_states_thread(states, i);

		if (thread->is_chosen && !thread->is_before)
			error = add(process_of(processes, numbers, states, thread), thread);
	}
	free(numbers);
	if (error)
		trace_processes_deinit(processes);
	return error;
}

void trace_processes_deinit(struct trace_processes *processes)
{
	for (size_t i = 0; i < processes->nr; i++)
		trace_distribution_deinit(&processes->processes[i].wakeups);
	free(processes->processes);
	*processes = (struct trace_processes){0};
}
