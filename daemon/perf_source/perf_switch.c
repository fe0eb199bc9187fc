// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes SWITCH records for perf's switches. A record of a whole CPU names both tasks. A record of
 * a single task's events names only that task, which leaves or gets the CPU.
 */
#include "daemon/perf_source/perf_state_internal.h"

#include <linux/perf_event.h>

void perf_state_lose_switches(struct perf_state *state, uint64_t from_ns, uint64_t until_ns,
			      uint64_t nr_records)
{
	struct switch_gap *gap = &state->gap;

	if (!state->want_switches)
		return;
	if (!gap->until_ns || from_ns < gap->from_ns)
		gap->from_ns = from_ns;
	if (until_ns > gap->until_ns)
		gap->until_ns = until_ns;
	gap->nr_records += nr_records;
	gap->told = false;
}

void perf_state_tell_switches_lost(struct perf_state *state, uint64_t time_ns)
{
	struct switch_gap *gap = &state->gap;

	if (!gap->until_ns || gap->told || time_ns < gap->from_ns)
		return;
	record_writer_switches_lost(&state->places.writer, gap->from_ns, gap->nr_records);
	gap->nr_records = 0;
	gap->told = true;
}

/*
 * Returns whether time_ns is in a gap of switches. Also reports a gap when time_ns reaches the
 * gap's beginning, and removes the gap when time_ns reaches its end.
 */
static bool is_in_gap(struct perf_state *state, uint64_t time_ns)
{
	struct switch_gap *gap = &state->gap;

	if (!gap->until_ns || time_ns < gap->from_ns)
		return false;
	perf_state_tell_switches_lost(state, time_ns);
	if (time_ns < gap->until_ns)
		return true;
	*gap = (struct switch_gap){.until_ns = 0};
	return false;
}

/* Returns the cgroup of process. Records of switches do not contain the cgroup. */
static uint64_t cgroup_of(struct perf_state *state, struct process *process, uint64_t time_ns)
{
	uint64_t cgroup;

	if (!state->want_cgroup || time_ns < process->cgroup_due_ns)
		return process->cgroup;
	cgroup = cgroup_names_of_process(&state->places.cgroups, state->places.proc_path,
					 process->tgid);
	process_in_cgroup(process, cgroup ? cgroup : process->cgroup, time_ns);
	return process->cgroup;
}

/*
 * Sets *task to the task with these ids. Sets it to the idle task, with tgid 0, if the task's data
 * is unknown or in doubt, or if the thread's exit record has been applied.
 */
static void task_of(struct perf_state *state, const struct perf_item *item, int32_t pid,
		    int32_t tid, struct oprof_task *task)
{
	struct process *process;

	*task = (struct oprof_task){.generation = TASK_IDLE_GENERATION};
	if (pid <= 0 || tid <= 0)
		return;
	process = task_table_find(&state->tasks, pid, item->time_ns);
	if (!process || process_is_newer(process, item->time_ns) ||
	    perf_sample_is_doubtful(state, process, item->time_ns)) {
		state->counters.unknown_switches++;
		return;
	}
	if (!task_table_lives(&state->tasks, process, tid))
		return;
	task->tgid = pid;
	task->tid = tid;
	task->generation = process->generation;
	task->app_image = process->app ? image_tell(process->app) : OPROF_IMAGE_NONE;
	task->cgroup = cgroup_of(state, process, item->time_ns);
	perf_sample_note_task(state, item->cpu, process, tid);
}

void perf_switch_apply(struct perf_state *state, const struct perf_item *item)
{
	bool out = item->u.cpu_switch.out;
	struct oprof_task self, other;

	state->counters.switch_records++;
	if (!state->want_switches || item->cpu >= state->nr_cpus || is_in_gap(state, item->time_ns))
		return;
	task_of(state, item, item->pid, item->tid, &self);
	task_of(state, item, item->u.cpu_switch.next_pid, item->u.cpu_switch.next_tid, &other);
	if (!self.tgid && !other.tgid)
		return;
	record_writer_switch(&state->places.writer, item->time_ns, item->cpu, out ? &self : &other,
			     item->u.cpu_switch.preempted ? OPROF_OFF_CPU_PREEMPTED
							  : OPROF_OFF_CPU_WAITING,
			     out ? &other : &self);
}
