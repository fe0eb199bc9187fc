// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How it works. A CPU's state follows from its open interrupts, its running thread and the mode of
 * this thread. Before a record is handled, the time since the previous record is added to the
 * element of cpu->pending for the CPU's state. A switch names the thread that ran until now. If
 * this is the expected thread, settle() adds the pending times to the CPU and the thread.
 * Otherwise a switch record is missing, and the pending times count as unknown. Times with losses
 * count as lost. If a thread is off its CPU, its member `waits` is its state: the switch from the
 * thread sets `waits`, and a wake-up changes `waits` to THREAD_READY.
 */
#include "pp/trace/trace_states.h"

#include "pp/trace/trace_states_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_CPUS_MAX 65536u

/* System calls return errors as -1 to -ERRNO_MAX. */
#define ERRNO_MAX 4095

/* Bits of sched_switch's prev_state, as the kernel reports them. */
#define TASK_STATES	     0xffu
#define TASK_INTERRUPTIBLE   0x01u
#define TASK_UNINTERRUPTIBLE 0x02u
#define TASK_STOPPED	     (0x04u | 0x08u)
#define TASK_DEAD	     (0x10u | 0x20u)
/*
 * Before Linux 4.14 this bit means dead, in later versions parked. An ending thread is never
 * parked.
 */
#define TASK_DEAD_BEFORE_4_14 0x40u

int trace_states_create(struct trace_states **states, const struct ctf_trace *trace, uint64_t begin)
{
	struct trace_states *made = calloc(1, sizeof(*made));

	*states = NULL;
	if (!made)
		return -ENOMEM;
	made->begin = made->end = begin;
	made->events = trace->events;
	made->nr_events = trace->nr_events;
	made->rules = calloc(trace->nr_events + 1, sizeof(*made->rules));
	for (unsigned int i = 0; made->rules && i < trace->nr_events; i++) {
		made->rules[i] = trace_rule_of(&trace->events[i]);
		made->has_block_events |= made->rules[i].action == ACT_BLOCK_DONE;
	}
	if (!made->rules || threads_init(&made->threads, begin) ||
	    trace_calls_init(&made->calls, trace, made->rules)) {
		trace_states_destroy(made);
		return -ENOMEM;
	}
	*states = made;
	return 0;
}

void trace_states_destroy(struct trace_states *states)
{
	if (!states)
		return;
	trace_distribution_deinit(&states->wakeups);
	trace_interrupts_deinit(&states->interrupts);
	trace_calls_deinit(&states->calls);
	threads_deinit(&states->threads);
	free(states->rules);
	free(states->cpus);
	free(states);
}

void trace_states_choose(struct trace_states *states, trace_chooser *chooser, const void *context)
{
	states->threads.chooser = chooser;
	states->threads.chooser_context = context;
}

/* ---- CPUs ---- */

static enum cpu_state state_of(const struct trace_states *states, const struct cpu *cpu)
{
	const struct thread *thread;

	if (cpu->irqs)
		return CPU_IRQ;
	if (cpu->softirqs)
		return CPU_SOFTIRQ;
	if (!cpu->is_known)
		return CPU_UNKNOWN;
	if (cpu->is_idle)
		return CPU_IDLE;
	thread = thread_at(states, cpu->thread);
	if (thread->told.is_kernel)
		return CPU_KERNEL;
	if (thread->mode == MODE_UNKNOWN)
		return CPU_RUNNING;
	return thread->mode == MODE_USER ? CPU_USER : CPU_SYSCALL;
}

static enum thread_state thread_state_of(enum cpu_state state)
{
	switch (state) {
	case CPU_USER:
		return THREAD_USER;
	case CPU_SYSCALL:
		return THREAD_SYSCALL;
	case CPU_KERNEL:
		return THREAD_KERNEL;
	case CPU_RUNNING:
		return THREAD_RUNNING;
	case CPU_IRQ:
	case CPU_SOFTIRQ:
		return THREAD_INTERRUPTED;
	default:
		return THREAD_UNKNOWN;
	}
}

static void account(struct cpu *cpu, enum cpu_state state, uint64_t until)
{
	cpu->pending[state] += until - cpu->since;
	cpu->since = until;
}

/* Returns whether the state does not depend on the running thread. */
static bool is_of_cpu(enum cpu_state state)
{
	return state == CPU_IRQ || state == CPU_SOFTIRQ || state == CPU_LOST;
}

/*
 * Adds the pending times to the CPU and to `thread` (NONE: the CPU was idle). If is_sound is false,
 * a switch is missing, and the times that depend on the running thread become unknown.
 */
static void settle(struct trace_states *states, struct cpu *cpu, uint32_t thread, bool is_sound)
{
	for (unsigned int i = 0; i < NR_CPU_STATES; i++) {
		const enum cpu_state state =
			is_sound || is_of_cpu((enum cpu_state)i) ? (enum cpu_state)i : CPU_UNKNOWN;

		cpu->times.ns[state] += cpu->pending[i];
		if (thread != NONE)
			thread_at(states, thread)->told.ns[thread_state_of(state)] +=
				cpu->pending[i];
		cpu->pending[i] = 0;
	}
}

/*
 * Adds the time from cpu->since to `now` to the CPU's current state. The part before
 * cpu->lost_until counts as lost.
 */
static void advance(struct trace_states *states, struct cpu *cpu, uint64_t now)
{
	if (cpu->lost_until > cpu->since && now > cpu->since)
		account(cpu, CPU_LOST, now < cpu->lost_until ? now : cpu->lost_until);
	if (now > cpu->since)
		account(cpu, state_of(states, cpu), now);
}

static int need_cpus(struct trace_states *states, unsigned int nr)
{
	struct cpu *bigger;

	if (nr <= states->nr_cpus)
		return 0;
	bigger = realloc(states->cpus, nr * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	states->cpus = bigger;
	for (; states->nr_cpus < nr; states->nr_cpus++)
		bigger[states->nr_cpus] = (struct cpu){.since = states->begin, .thread = NONE};
	return 0;
}

static void forget_interrupts(struct cpu *cpu)
{
	cpu->irqs = cpu->softirqs = cpu->nr_open = 0;
}

/*
 * Finds losses before this packet and in it. A packet's header counts the ring's losses up to the
 * packet's end. If the count has grown, all time of this packet counts as lost, because it is
 * unknown when in the packet the loss occurred. If packets are missing, the time up to this packet
 * counts as lost. If the trace's first packet of a CPU is not the first packet of its ring, the
 * losses that this packet counts are assumed to precede the trace.
 */
static void look_for_losses(struct trace_states *states, struct cpu *cpu,
			    const struct oprof_packet_header *packet)
{
	if (cpu->has_seq && packet->seq == cpu->seq)
		return;
	if (!cpu->has_seq && packet->seq)
		cpu->lost = packet->lost;
	if (packet->lost > cpu->lost)
		cpu->lost_until = packet->time_end;
	else if (cpu->has_seq && packet->seq != cpu->seq + 1 &&
		 packet->time_begin > cpu->lost_until)
		cpu->lost_until = packet->time_begin;
	if (packet->lost > cpu->lost || (cpu->has_seq && packet->seq != cpu->seq + 1))
		forget_interrupts(cpu); /* the ends of open interrupts may be lost */
	if (cpu->lost_until > states->lost_until)
		states->lost_until = cpu->lost_until;
	cpu->lost = packet->lost;
	cpu->seq = packet->seq;
	cpu->has_seq = true;
}

/* ---- actions ---- */

static enum thread_state wait_of(uint64_t task_state)
{
	task_state &= TASK_STATES;
	if (!task_state)
		return THREAD_READY;
	if (task_state & TASK_UNINTERRUPTIBLE)
		return THREAD_UNINTERRUPTIBLE;
	return task_state & TASK_STOPPED ? THREAD_STOPPED : THREAD_SLEEPING;
}

/*
 * Handles the first switch of a CPU, which names the thread that ran before. If nothing was lost,
 * this thread ran since the window's beginning. It is unknown whether the thread was in a system
 * call: the state is only idle, kernel thread or program.
 */
static void settle_first(struct trace_states *states, struct cpu *cpu, uint32_t prev)
{
	const enum cpu_state state = prev == NONE			       ? CPU_IDLE
				     : thread_at(states, prev)->told.is_kernel ? CPU_KERNEL
									       : CPU_RUNNING;

	if (!cpu->lost_until) {
		cpu->pending[state] += cpu->pending[CPU_UNKNOWN];
		cpu->pending[CPU_UNKNOWN] = 0;
	}
	settle(states, cpu, prev, true);
}

/*
 * Compares the thread that should be running with the thread that the switch names as previous. If
 * they differ, a switch was lost: the times of both threads since their last known changes are then
 * counted as unknown.
 */
static void settle_switch(struct trace_states *states, struct cpu *cpu, uint32_t prev, uint64_t now)
{
	const bool is_same = cpu->is_known && cpu->thread == prev;

	if (!cpu->is_known) {
		settle_first(states, cpu, prev);
	} else {
		settle(states, cpu, cpu->thread, is_same);
		if (!is_same && cpu->thread != NONE) {
			thread_at(states, cpu->thread)->on_cpu = false;
			thread_at(states, cpu->thread)->waits = THREAD_UNKNOWN;
			thread_at(states, cpu->thread)->since = now;
		}
	}
	if (is_same || prev == NONE)
		return;
	if (cpu->is_known)
		thread_at(states, prev)->told.ns[THREAD_UNKNOWN] +=
			now - thread_at(states, prev)->since;
	thread_at(states, prev)->since = now;
}

static int switch_out(struct trace_states *states, struct cpu *cpu, const struct ctf_record *record,
		      const struct trace_rule *rule)
{
	const int32_t tid = (int32_t)trace_rule_number(record, rule, SWITCH_PREV);
	const uint32_t prev = tid ? threads_find(&states->threads, tid) : NONE;
	uint64_t task_state;
	struct thread *thread;

	if (tid && prev == NONE)
		return -ENOMEM;
	settle_switch(states, cpu, prev, record->time);
	if (!tid)
		return 0;
	thread = thread_at(states, prev);
	thread->told.is_seen = true;
	name_thread(states, prev, value(record, rule, SWITCH_PREV_COMM));
	thread->on_cpu = false;
	thread->since = record->time;
	thread->woken = 0;
	task_state = (uint64_t)trace_rule_number(record, rule, SWITCH_STATE);
	thread->waits = wait_of(task_state);
	/* An ending thread may still be preempted or wait. It has ended only when it is dead. */
	thread->told.has_ended =
		task_state & TASK_DEAD || (thread->is_ending && task_state & TASK_DEAD_BEFORE_4_14);
	return 0;
}

/*
 * Returns whether no event was lost after `since`. In this case, the first end recorded after
 * `since` is the end of what began at `since`.
 */
static bool is_sure(const struct trace_states *states, uint64_t since)
{
	return states->lost_until <= since;
}

static int come_to_run(struct trace_states *states, struct thread *thread, uint64_t now)
{
	const uint64_t woken = thread->woken;

	end_wait(thread, now);
	thread->on_cpu = true;
	thread->told.is_seen = true;
	thread->told.nr_switches++;
	thread->woken = 0;
	if (!woken || !is_sure(states, woken))
		return 0;
	if (thread->is_chosen && trace_distribution_add(&states->wakeups, now - woken))
		return -ENOMEM;
	return trace_distribution_add(&thread->told.wakeups, now - woken);
}

static int act_switch(struct trace_states *states, struct cpu *cpu, const struct ctf_record *record,
		      const struct trace_rule *rule)
{
	const int32_t next = (int32_t)trace_rule_number(record, rule, SWITCH_NEXT);
	const int error = switch_out(states, cpu, record, rule);

	if (error)
		return error;
	cpu->times.nr_switches++;
	cpu->is_known = true;
	cpu->is_idle = !next;
	cpu->thread = NONE;
	forget_interrupts(cpu);
	cpu->block_done = false;
	if (!next)
		return 0;
	cpu->thread = threads_find(&states->threads, next);
	if (cpu->thread == NONE) {
		cpu->is_known = false;
		return -ENOMEM;
	}
	name_thread(states, cpu->thread, value(record, rule, SWITCH_NEXT_COMM));
	return come_to_run(states, thread_at(states, cpu->thread), record->time);
}

/*
 * Handles a wake-up. A CPU may leave the wake-up of a thread to the CPU on which the thread will
 * run. In this case, the first CPU records sched_waking, and the second CPU records sched_wakeup.
 */
static int act_wakeup(struct trace_states *states, const struct cpu *cpu,
		      const struct ctf_record *record, const struct trace_rule *rule)
{
	const uint32_t index =
		threads_find(&states->threads, (int32_t)trace_rule_number(record, rule, 0));
	struct thread *thread;

	if (index == NONE)
		return -ENOMEM;
	thread = thread_at(states, index);
	thread->told.nr_wakeups += rule->action == ACT_WAKEUP;
	if (thread->on_cpu || thread->waits == THREAD_READY)
		return 0;
	if (thread->waits == THREAD_UNINTERRUPTIBLE && cpu->block_done)
		thread->waits = THREAD_DISK;
	if (rule->action == ACT_WAKING)
		return 0;
	end_wait(thread, record->time);
	thread->waits = THREAD_READY;
	thread->woken = record->time;
	return 0;
}

static struct thread *runner(const struct trace_states *states, const struct cpu *cpu)
{
	return cpu->is_known && !cpu->is_idle ? thread_at(states, cpu->thread) : NULL;
}

static void enter_call(struct trace_states *states, const struct cpu *cpu,
		       const struct ctf_record *record, const struct trace_rule *rule)
{
	struct thread *thread = runner(states, cpu);

	if (!thread)
		return;
	thread->mode = MODE_SYSCALL;
	thread->told.nr_syscalls++;
	thread->call = rule->call;
	thread->call_since = record->time;
	if (thread->is_chosen)
		states->calls.calls[rule->call].nr++;
}

static bool is_error(int64_t returned)
{
	return returned < 0 && returned >= -ERRNO_MAX;
}

/*
 * Ends a system call. If the trace does not contain the call's beginning, because the call began
 * before the trace or the record was lost, no time is counted for the call.
 */
static int leave_call(struct trace_states *states, const struct cpu *cpu,
		      const struct ctf_record *record, const struct trace_rule *rule)
{
	struct thread *thread = runner(states, cpu);
	struct trace_call *call = &states->calls.calls[rule->call];
	const bool failed = rule->fields[SYSCALL_RETURN] != TRACE_RULE_NONE &&
			    is_error(trace_rule_number(record, rule, SYSCALL_RETURN));
	bool is_timed;

	if (!thread)
		return 0;
	is_timed = thread->call == rule->call;
	thread->mode = MODE_USER;
	thread->call = CALL_NONE;
	thread->told.nr_errors += failed;
	if (!thread->is_chosen)
		return 0;
	call->nr_errors += failed;
	if (is_timed && is_sure(states, thread->call_since))
		return trace_distribution_add(&call->ns, record->time - thread->call_since);
	call->nr_unsure += is_timed;
	return 0;
}

/* ---- interrupts ---- */

static int enter_interrupt(struct trace_states *states, struct cpu *cpu,
			   const struct ctf_record *record, enum trace_interrupt_kind kind,
			   int64_t number, const char *name, size_t nr_name)
{
	const struct thread *thread = runner(states, cpu);
	uint32_t index;

	if (kind == INTERRUPT_SOFT) {
		cpu->times.nr_softirqs++;
		cpu->softirqs++;
	} else {
		cpu->times.nr_irqs++;
		cpu->irqs++;
	}
	if (states->threads.chooser && (!thread || !thread->is_chosen))
		return 0;
	index = trace_interrupts_find(&states->interrupts, kind, number, name, nr_name);
	if (index == INDEX_TABLE_NONE)
		return -ENOMEM;
	states->interrupts.interrupts[index].nr++;
	if (cpu->nr_open < NR_OPEN_MAX)
		cpu->open[cpu->nr_open++] = (struct open_interrupt){
			.index = index, .since = record->time, .is_soft = kind == INTERRUPT_SOFT};
	return 0;
}

/*
 * Called at the end of an interrupt. If a block request ended in this interrupt, only threads that
 * the interrupt woke had waited for the request; threads that are woken later had not.
 */
static void end_block_done(struct cpu *cpu)
{
	if (cpu->block_done_in_interrupt && !cpu->irqs && !cpu->softirqs)
		cpu->block_done = cpu->block_done_in_interrupt = false;
}

/* Ends the innermost interrupt of this kind and number. Interrupts nested in it have also ended. */
static int leave_interrupt(struct trace_states *states, struct cpu *cpu,
			   const struct ctf_record *record, enum trace_interrupt_kind kind,
			   int64_t number)
{
	unsigned int i = cpu->nr_open;

	if (kind == INTERRUPT_SOFT)
		cpu->softirqs -= cpu->softirqs > 0;
	else
		cpu->irqs -= cpu->irqs > 0;
	end_block_done(cpu);
	while (i--) {
		struct trace_interrupt *interrupt =
			&states->interrupts.interrupts[cpu->open[i].index];

		if (interrupt->kind != kind || interrupt->number != number)
			continue;
		cpu->nr_open = i;
		return trace_distribution_add(&interrupt->ns, record->time - cpu->open[i].since);
	}
	return 0;
}

static int act_interrupt(struct trace_states *states, struct cpu *cpu,
			 const struct ctf_record *record, const struct trace_rule *rule)
{
	const int64_t number = trace_rule_number(record, rule, IRQ_NUMBER);
	const char *name = NULL;
	size_t nr_name = 0;

	switch (rule->action) {
	case ACT_IRQ_ENTRY:
		if (rule->fields[IRQ_NAME] != TRACE_RULE_NONE) {
			name = (const char *)value(record, rule, IRQ_NAME)->bytes;
			nr_name = value(record, rule, IRQ_NAME)->nr;
		}
		return enter_interrupt(states, cpu, record, INTERRUPT_DEVICE, number, name,
				       nr_name);
	case ACT_IRQ_EXIT:
		return leave_interrupt(states, cpu, record, INTERRUPT_DEVICE, number);
	case ACT_SOFTIRQ_ENTRY:
		return enter_interrupt(states, cpu, record, INTERRUPT_SOFT, number, NULL, 0);
	case ACT_SOFTIRQ_EXIT:
		return leave_interrupt(states, cpu, record, INTERRUPT_SOFT, number);
	case ACT_VECTOR_ENTRY:
		name = trace_rule_name(rule, record->event, &nr_name);
		return enter_interrupt(states, cpu, record, INTERRUPT_VECTOR, number, name,
				       nr_name);
	default:
		return leave_interrupt(states, cpu, record, INTERRUPT_VECTOR, number);
	}
}

/* ---- records ---- */

static int act(struct trace_states *states, struct cpu *cpu, const struct ctf_record *record,
	       const struct trace_rule *rule)
{
	switch (rule->action) {
	case ACT_SWITCH:
		return act_switch(states, cpu, record, rule);
	case ACT_WAKING:
	case ACT_WAKEUP:
		return act_wakeup(states, cpu, record, rule);
	case ACT_FORK:
		return trace_states_fork(states, cpu, record, rule);
	case ACT_EXEC:
		return trace_states_exec(states, record, rule);
	case ACT_EXIT:
		return trace_states_exit(states, record, rule);
	case ACT_STATE:
		return trace_states_state(states, record, rule);
	case ACT_NEW_TASK:
		trace_states_new_task(cpu, record, rule);
		break;
	case ACT_IRQ_ENTRY:
	case ACT_IRQ_EXIT:
	case ACT_SOFTIRQ_ENTRY:
	case ACT_SOFTIRQ_EXIT:
	case ACT_VECTOR_ENTRY:
	case ACT_VECTOR_EXIT:
		return act_interrupt(states, cpu, record, rule);
	case ACT_SYSCALL_ENTRY:
		enter_call(states, cpu, record, rule);
		break;
	case ACT_SYSCALL_EXIT:
		return leave_call(states, cpu, record, rule);
	case ACT_BLOCK_DONE:
		cpu->block_done = true;
		cpu->block_done_in_interrupt = cpu->irqs || cpu->softirqs;
		break;
	case ACT_NOTHING:
	case ACT_TASK_BEGIN:
	case ACT_TASK_EXEC:
	case ACT_TASK_END:
		break;
	}
	return 0;
}

int trace_states_take(struct trace_states *states, const struct ctf_record *record)
{
	const size_t event = (size_t)(record->event - states->events);
	const unsigned int nr = record->packet->cpu_id;
	struct cpu *cpu;

	if (event < states->nr_events && nr == OPROF_PACKET_NO_CPU)
		return trace_states_beside(states, record, &states->rules[event]);
	if (nr >= NR_CPUS_MAX || event >= states->nr_events)
		return 0;
	if (need_cpus(states, nr + 1))
		return -ENOMEM;
	cpu = &states->cpus[nr];
	cpu->is_there = true;
	look_for_losses(states, cpu, record->packet);
	advance(states, cpu, record->time);
	return act(states, cpu, record, &states->rules[event]);
}

static void begin_cpu(struct trace_states *states, struct cpu *cpu, uint64_t begin)
{
	advance(states, cpu, begin);
	memset(cpu->pending, 0, sizeof(cpu->pending));
	cpu->times = (struct trace_cpu_times){0};
	cpu->since = begin;
}

void trace_states_begin(struct trace_states *states, uint64_t begin)
{
	states->begin = states->end = begin;
	for (unsigned int i = 0; i < states->nr_cpus; i++)
		begin_cpu(states, &states->cpus[i], begin);
	threads_begin(&states->threads, begin);
	trace_calls_clear(&states->calls);
	trace_interrupts_clear(&states->interrupts);
	trace_distribution_deinit(&states->wakeups);
}

void trace_states_end(struct trace_states *states, uint64_t end)
{
	states->end = end;
	for (unsigned int i = 0; i < states->nr_cpus; i++) {
		struct cpu *cpu = &states->cpus[i];

		advance(states, cpu, end);
		settle(states, cpu, cpu->is_known ? cpu->thread : NONE, true);
	}
	for (size_t i = 0; i < states->threads.nr; i++)
		if (!states->threads.threads[i].told.has_ended)
			end_wait(&states->threads.threads[i], end);
}

unsigned int trace_states_nr_cpus(const struct trace_states *states)
{
	return states->nr_cpus;
}

const struct trace_cpu_times *trace_states_cpu(const struct trace_states *states, unsigned int cpu)
{
	return states->cpus[cpu].is_there ? &states->cpus[cpu].times : NULL;
}

size_t trace_states_nr_threads(const struct trace_states *states)
{
	return states->threads.nr;
}

const struct trace_thread *trace_states_thread(const struct trace_states *states, size_t i)
{
	return &states->threads.threads[i].told;
}

const struct trace_calls *trace_states_calls(const struct trace_states *states)
{
	return &states->calls;
}

const struct trace_interrupts *trace_states_interrupts(const struct trace_states *states)
{
	return &states->interrupts;
}

const struct trace_distribution *trace_states_wakeups(const struct trace_states *states)
{
	return &states->wakeups;
}

bool trace_states_has_block_events(const struct trace_states *states)
{
	return states->has_block_events;
}
