/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by trace_states.c and trace_states_tasks.c: the states of CPUs and threads, and the
 * functions that begin and end threads.
 */
#ifndef PP_TRACE_STATES_INTERNAL_H
#define PP_TRACE_STATES_INTERNAL_H

#include "pp/trace/trace_rules.h"
#include "pp/trace/trace_states.h"
#include "pp/trace/trace_threads.h"

#define NR_OPEN_MAX 8u
#define NONE	    THREAD_NONE

/* An interrupt that has not ended. */
struct open_interrupt {
	uint32_t index; /* index in the trace's interrupts */
	uint64_t since;
	bool is_soft;
};

struct cpu {
	struct trace_cpu_times times;
	bool is_there;
	uint64_t since; /* the time before this moment has been counted */
	/* Times since the last switch; the next switch confirms which thread ran. */
	uint64_t pending[NR_CPU_STATES];
	uint64_t lost_until; /* records were lost before this time */
	uint64_t lost, seq;  /* values in the last packet's header */
	bool has_seq;
	bool is_known, is_idle; /* whether the running thread is known, and whether it is idle */
	uint32_t thread;	/* index of the running thread, or NONE */
	unsigned int irqs, softirqs;
	struct open_interrupt open[NR_OPEN_MAX]; /* deeper nested interrupts are not timed */
	unsigned int nr_open;
	int32_t new_tid; /* the last task that task_newtask reported */
	bool new_is_thread;
	/*
	 * block_done: a block request ended. block_done_in_interrupt: it ended in an interrupt that
	 * still runs.
	 */
	bool block_done, block_done_in_interrupt;
};

struct trace_states {
	uint64_t begin, end;
	struct trace_rule *rules; /* one rule for each event of the trace */
	const struct ctf_event *events;
	unsigned int nr_events;
	struct cpu *cpus;
	unsigned int nr_cpus;
	struct threads threads;
	struct trace_calls calls;
	struct trace_interrupts interrupts;
	struct trace_distribution wakeups;
	uint64_t lost_until; /* latest lost_until of all CPUs */
	bool has_block_events;
};

static inline struct thread *thread_at(const struct trace_states *states, uint32_t index)
{
	return &states->threads.threads[index];
}

/* Adds the time that the thread has waited up to `now`. */
static inline void end_wait(struct thread *thread, uint64_t now)
{
	if (!thread->on_cpu && now > thread->since)
		thread->told.ns[thread->waits] += now - thread->since;
	if (!thread->on_cpu)
		thread->since = now;
}

static inline const struct ctf_value *value(const struct ctf_record *record,
					    const struct trace_rule *rule, unsigned int i)
{
	return &record->values[rule->fields[i]];
}

static inline void name_thread(struct trace_states *states, uint32_t index,
			       const struct ctf_value *name)
{
	threads_name(&states->threads, index, name->bytes, name->nr);
}

/*
 * Each of these functions handles one kind of event: a task begins, execs or ends. Those with a
 * result return 0 or -ENOMEM.
 */
void trace_states_new_task(struct cpu *cpu, const struct ctf_record *record,
			   const struct trace_rule *rule);
int trace_states_fork(struct trace_states *states, const struct cpu *cpu,
		      const struct ctf_record *record, const struct trace_rule *rule);
int trace_states_exec(struct trace_states *states, const struct ctf_record *record,
		      const struct trace_rule *rule);
int trace_states_exit(struct trace_states *states, const struct ctf_record *record,
		      const struct trace_rule *rule);
/*
 * Handles a thread's record in the state dump. Because each chunk has a state dump, the thread may
 * already be known; its state is then not changed.
 */
int trace_states_state(struct trace_states *states, const struct ctf_record *record,
		       const struct trace_rule *rule);
/* Handles a record of a stream that belongs to no CPU. */
int trace_states_beside(struct trace_states *states, const struct ctf_record *record,
			const struct trace_rule *rule);

#endif
