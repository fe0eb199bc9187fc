// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_pids.h"

#include "lib/array.h"
#include "pp/trace/trace_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NR_CPUS_MAX 65536u
#define SLOTS_FIRST 1024u

/* One life of a thread number, which begins at time `from`. The kernel reuses thread numbers. */
struct life {
	uint64_t from;
	int32_t tid, pid;
	uint32_t before; /* index + 1 of the number's previous life; 0: none */
	bool is_told;	 /* ACT_TASK_BEGIN began this life; the task's fork event may follow */
};

/* The last task that task_newtask reported on a CPU, just before the task's fork event. */
struct coming {
	int32_t tid;
	bool is_thread;
};

struct trace_pids {
	const struct ctf_event *events;
	struct trace_rule *rules; /* of each event */
	struct life *lives;
	size_t nr, room;
	uint32_t *slots; /* by tid: index + 1 of the number's last life */
	size_t nr_slots; /* a power of two */
	struct coming *cpus;
	unsigned int nr_cpus;
};

int trace_pids_create(struct trace_pids **pids, const struct ctf_trace *trace)
{
	struct trace_pids *made = calloc(1, sizeof(*made));

	*pids = made;
	if (!made)
		return -ENOMEM;
	made->events = trace->events;
	made->rules = calloc(trace->nr_events + 1, sizeof(*made->rules));
	made->slots = calloc(SLOTS_FIRST, sizeof(*made->slots));
	made->nr_slots = SLOTS_FIRST;
	if (!made->rules || !made->slots) {
		trace_pids_destroy(made);
		*pids = NULL;
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < trace->nr_events; i++)
		made->rules[i] = trace_rule_of(&trace->events[i]);
	return 0;
}

void trace_pids_destroy(struct trace_pids *pids)
{
	if (!pids)
		return;
	free(pids->rules);
	free(pids->lives);
	free(pids->slots);
	free(pids->cpus);
	free(pids);
}

/* ---- lives ---- */

static size_t slot_of(const struct trace_pids *pids, int32_t tid)
{
	size_t slot = ((uint32_t)tid * 2654435761u) & (pids->nr_slots - 1);

	while (pids->slots[slot] && pids->lives[pids->slots[slot] - 1].tid != tid)
		slot = (slot + 1) & (pids->nr_slots - 1);
	return slot;
}

static int grow_slots(struct trace_pids *pids)
{
	const size_t nr_slots = pids->nr_slots ? 2 * pids->nr_slots : SLOTS_FIRST;
	uint32_t *bigger = calloc(nr_slots, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	free(pids->slots);
	pids->slots = bigger;
	pids->nr_slots = nr_slots;
	for (size_t i = 0; i < pids->nr; i++) /* the last life of a number comes last in `lives` */
		pids->slots[slot_of(pids, pids->lives[i].tid)] = (uint32_t)(i + 1);
	return 0;
}

static int add(struct trace_pids *pids, int32_t tid, int32_t pid, uint64_t from)
{
	size_t slot;

	if (array_reserve(&pids->lives, &pids->room, pids->nr, 1) ||
	    (2 * pids->nr >= pids->nr_slots && grow_slots(pids)))
		return -ENOMEM;
	slot = slot_of(pids, tid);
	pids->lives[pids->nr++] =
		(struct life){.from = from, .tid = tid, .pid = pid, .before = pids->slots[slot]};
	pids->slots[slot] = (uint32_t)pids->nr;
	return 0;
}

int32_t trace_pids_at(const struct trace_pids *pids, int32_t tid, uint64_t time)
{
	uint32_t i = tid > 0 ? pids->slots[slot_of(pids, tid)] : 0;

	while (i && pids->lives[i - 1].from > time)
		i = pids->lives[i - 1].before;
	return i ? pids->lives[i - 1].pid : TRACE_PID_UNKNOWN;
}

/* ---- records ---- */

/*
 * Returns the entry for the last task that task_newtask reported on a CPU. Returns NULL if out of
 * memory or if the CPU number is too high.
 */
static struct coming *coming_on(struct trace_pids *pids, unsigned int cpu)
{
	struct coming *bigger;

	if (cpu < pids->nr_cpus)
		return &pids->cpus[cpu];
	bigger = cpu < NR_CPUS_MAX ? reallocarray(pids->cpus, cpu + 1, sizeof(*bigger)) : NULL;
	if (!bigger)
		return NULL;
	memset(bigger + pids->nr_cpus, 0, (cpu + 1 - pids->nr_cpus) * sizeof(*bigger));
	pids->cpus = bigger;
	pids->nr_cpus = cpu + 1;
	return &pids->cpus[cpu];
}

static int take_new_task(struct trace_pids *pids, const struct ctf_record *record,
			 const struct trace_rule *rule)
{
	struct coming *coming;

	/*
	 * task_newtask belongs to the next fork event on the same CPU. A task_newtask in a stream
	 * without a CPU is ignored, because its fork event cannot be found.
	 */
	if (record->packet->cpu_id >= NR_CPUS_MAX)
		return 0;
	coming = coming_on(pids, record->packet->cpu_id);
	if (!coming)
		return -ENOMEM;
	coming->tid = (int32_t)trace_rule_number(record, rule, NEW_TASK_TID);
	coming->is_thread = trace_rule_number(record, rule, NEW_TASK_FLAGS) & NEW_TASK_IS_THREAD;
	return 0;
}

static int take_begin(struct trace_pids *pids, const struct ctf_record *record,
		      const struct trace_rule *rule)
{
	const int error = add(pids, (int32_t)trace_rule_number(record, rule, TASK_TID),
			      (int32_t)trace_rule_number(record, rule, TASK_PID), record->time);

	if (!error)
		pids->lives[pids->nr - 1].is_told = true;
	return error;
}

static int take_fork(struct trace_pids *pids, const struct ctf_record *record,
		     const struct trace_rule *rule)
{
	const struct coming *coming = coming_on(pids, record->packet->cpu_id);
	const int32_t parent = (int32_t)trace_rule_number(record, rule, FORK_PARENT);
	const int32_t child = (int32_t)trace_rule_number(record, rule, FORK_CHILD);
	const uint32_t last = pids->slots[slot_of(pids, child)];
	int32_t pid = TRACE_PID_UNKNOWN;

	if (last && pids->lives[last - 1].is_told) {
		pids->lives[last - 1].is_told = false;
		return 0;
	}
	if (coming && coming->tid == child)
		pid = coming->is_thread ? trace_pids_at(pids, parent, record->time) : child;
	return add(pids, child, pid, record->time);
}

/*
 * Stores the process of a thread that already exists. If no earlier record names the thread, the
 * thread is assumed to exist since the trace's beginning.
 */
static int learn(struct trace_pids *pids, int32_t tid, int32_t pid, uint64_t time)
{
	const uint32_t last = pids->slots[slot_of(pids, tid)];
	struct life *life = last ? &pids->lives[last - 1] : NULL;

	if (!life)
		return add(pids, tid, pid, 0);
	if (life->pid == TRACE_PID_UNKNOWN)
		life->pid = pid;
	return life->pid == pid ? 0 : add(pids, tid, pid, time);
}

int trace_pids_take(struct trace_pids *pids, const struct ctf_record *record)
{
	const struct trace_rule *rule = &pids->rules[record->event - pids->events];

	switch (rule->action) {
	case ACT_NEW_TASK:
		return take_new_task(pids, record, rule);
	case ACT_FORK:
		return take_fork(pids, record, rule);
	case ACT_STATE:
		return learn(pids, (int32_t)trace_rule_number(record, rule, STATE_TID),
			     (int32_t)trace_rule_number(record, rule, STATE_PID), record->time);
	case ACT_TASK_BEGIN:
		return take_begin(pids, record, rule);
	case ACT_TASK_EXEC:
	/* After an exec, the thread is its process's only thread, and has the process's number. */
	case ACT_EXEC:
		return learn(pids, (int32_t)trace_rule_number(record, rule, EXEC_TID),
			     (int32_t)trace_rule_number(record, rule, EXEC_TID), record->time);
	default:
		return 0;
	}
}
