// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace_states.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NR_CPUS_MAX 65536u
#define NR_ARGS	    7u
#define NONE	    UINT32_MAX

/* What events do to states. */
enum action {
	ACT_NOTHING,
	ACT_SWITCH,
	ACT_WAKEUP,
	ACT_FORK,
	ACT_EXEC,
	ACT_EXIT,
	ACT_IRQ_ENTRY,
	ACT_IRQ_EXIT,
	ACT_SOFTIRQ_ENTRY,
	ACT_SOFTIRQ_EXIT,
	ACT_SYSCALL_ENTRY,
	ACT_SYSCALL_EXIT,
	ACT_BLOCK_DONE,
	ACT_STATE,
};

/* An event's action, and where among its fields are those that it takes. */
struct rule {
	enum action action;
	uint32_t fields[NR_ARGS];
};

/* Fields by name, in the order of struct rule. */
static const struct known {
	const char *name; /* or its beginning, where it ends in _ */
	enum action action;
	const char *fields[NR_ARGS];
} known[] = {
	{"sched_switch",
	 ACT_SWITCH,
	 {"prev_tid", "prev_state", "next_tid", "next_comm", "prev_comm"}},
	{"sched_wakeup", ACT_WAKEUP, {"tid"}},
	{"sched_wakeup_new", ACT_WAKEUP, {"tid"}},
	{"sched_process_fork", ACT_FORK, {"parent_tid", "child_tid", "child_comm"}},
	{"sched_process_exec", ACT_EXEC, {"tid", "filename"}},
	{"sched_process_exit", ACT_EXIT, {"tid"}},
	{"irq_handler_entry", ACT_IRQ_ENTRY, {NULL}},
	{"irq_handler_exit", ACT_IRQ_EXIT, {NULL}},
	{"irq_softirq_entry", ACT_SOFTIRQ_ENTRY, {NULL}},
	{"irq_softirq_exit", ACT_SOFTIRQ_EXIT, {NULL}},
	{"block_rq_complete", ACT_BLOCK_DONE, {NULL}},
	{"syscall_entry_", ACT_SYSCALL_ENTRY, {NULL}},
	{"syscall_exit_", ACT_SYSCALL_EXIT, {NULL}},
	{"lttng_statedump_process_state",
	 ACT_STATE,
	 {"tid", "pid", "name", "type", "status", "syscall"}},
};
#define NR_KNOWN (sizeof(known) / sizeof(known[0]))

/* In the order of known[].fields. */
enum { SWITCH_PREV, SWITCH_STATE, SWITCH_NEXT, SWITCH_NEXT_COMM, SWITCH_PREV_COMM };
enum { FORK_PARENT, FORK_CHILD, FORK_COMM };
enum { EXEC_TID, EXEC_FILE };
enum { STATE_TID, STATE_PID, STATE_NAME, STATE_TYPE, STATE_STATUS, STATE_SYSCALL };

/* Of lttng_statedump_process_state. */
#define STATUS_ZOMBIE 4
#define STATUS_WAIT   5
#define TYPE_KERNEL   1

/* Of sched_switch's prev_state: as the kernel reports them. */
#define TASK_STATES	     0xffu
#define TASK_INTERRUPTIBLE   0x01u
#define TASK_UNINTERRUPTIBLE 0x02u
#define TASK_STOPPED	     (0x04u | 0x08u)

enum mode { MODE_UNKNOWN, MODE_USER, MODE_SYSCALL };

struct thread {
	struct trace_thread told;
	enum mode mode;
	bool on_cpu, is_ending;
	enum thread_state waits; /* off its CPU: since when, how */
	uint64_t since;
	uint64_t woken; /* 0: it was not since it ran last */
};

struct cpu {
	struct trace_cpu_times times;
	bool is_there;
	uint64_t since; /* accounted up to here */
	/* Since the last switch: whose it is, the next one confirms. */
	uint64_t pending[NR_CPU_STATES];
	uint64_t lost_until; /* what happens before is not known for sure */
	uint64_t lost, seq;  /* of the last packet */
	bool has_seq;
	bool is_known, is_idle; /* who runs */
	uint32_t thread;	/* index; NONE */
	unsigned int irqs, softirqs;
	/* A block request ended: in the interrupt that still goes on, or by the thread that runs.
	 */
	bool block_done, block_done_in_interrupt;
};

struct trace_states {
	uint64_t begin, end;
	struct rule *rules; /* by index of the event in the trace */
	const struct ctf_event *events;
	unsigned int nr_events;
	struct cpu *cpus;
	unsigned int nr_cpus;
	struct thread *threads;
	size_t nr_threads, room_threads;
	uint32_t *slots; /* by tid: index + 1 of the last thread of that number */
	size_t nr_slots; /* a power of two */
};

/* ---- rules ---- */

static bool is_named(const struct known *of, const char *name)
{
	const size_t nr_bytes = strlen(of->name);

	return of->name[nr_bytes - 1] == '_' ? !strncmp(of->name, name, nr_bytes)
					     : !strcmp(of->name, name);
}

static uint32_t field_of(const struct ctf_event *event, const char *name)
{
	for (unsigned int i = 0; i < event->nr_fields; i++)
		if (!strcmp(event->fields[i].name, name))
			return i;
	return NONE;
}

/* An event that lacks a field that its rule takes is another's: passed over. */
static struct rule rule_of(const struct ctf_event *event)
{
	for (size_t i = 0; i < NR_KNOWN; i++) {
		struct rule rule = {.action = known[i].action};

		if (!is_named(&known[i], event->name))
			continue;
		for (unsigned int nr = 0; nr < NR_ARGS && known[i].fields[nr]; nr++) {
			rule.fields[nr] = field_of(event, known[i].fields[nr]);
			if (rule.fields[nr] == NONE)
				return (struct rule){.action = ACT_NOTHING};
		}
		return rule;
	}
	return (struct rule){.action = ACT_NOTHING};
}

int trace_states_create(struct trace_states **states, const struct ctf_trace *trace, uint64_t begin)
{
	struct trace_states *made = calloc(1, sizeof(*made));

	*states = NULL;
	if (!made)
		return -ENOMEM;
	made->begin = made->end = begin;
	made->events = trace->events;
	made->nr_events = trace->nr_events;
	made->nr_slots = 1024;
	made->rules = calloc(trace->nr_events + 1, sizeof(*made->rules));
	made->slots = calloc(made->nr_slots, sizeof(*made->slots));
	if (!made->rules || !made->slots) {
		trace_states_destroy(made);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < trace->nr_events; i++)
		made->rules[i] = rule_of(&trace->events[i]);
	*states = made;
	return 0;
}

void trace_states_destroy(struct trace_states *states)
{
	if (!states)
		return;
	free(states->rules);
	free(states->cpus);
	free(states->threads);
	free(states->slots);
	free(states);
}

/* ---- threads ---- */

static size_t slot_of(const struct trace_states *states, int32_t tid)
{
	size_t slot = ((uint32_t)tid * 2654435761u) & (states->nr_slots - 1);

	while (states->slots[slot] && states->threads[states->slots[slot] - 1].told.tid != tid)
		slot = (slot + 1) & (states->nr_slots - 1);
	return slot;
}

static int grow_slots(struct trace_states *states)
{
	uint32_t *before = states->slots;
	const size_t nr_before = states->nr_slots;
	uint32_t *bigger = calloc(2 * nr_before, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	states->slots = bigger;
	states->nr_slots = 2 * nr_before;
	for (size_t i = 0; i < nr_before; i++)
		if (before[i])
			bigger[slot_of(states, states->threads[before[i] - 1].told.tid)] =
				before[i];
	free(before);
	return 0;
}

static int grow_threads(struct trace_states *states)
{
	const size_t room = states->room_threads ? 2 * states->room_threads : 256;
	struct thread *bigger = realloc(states->threads, room * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	states->threads = bigger;
	states->room_threads = room;
	return 0;
}

/* A new life of tid, that was in this state since then. Its index, or NONE: no memory. */
static uint32_t add_thread(struct trace_states *states, int32_t tid, enum thread_state state,
			   uint64_t since)
{
	struct thread *thread;

	if ((states->nr_threads == states->room_threads && grow_threads(states)) ||
	    (2 * states->nr_threads >= states->nr_slots && grow_slots(states)))
		return NONE;
	thread = &states->threads[states->nr_threads];
	*thread = (struct thread){.told = {.tid = tid, .pid = -1}, .waits = state, .since = since};
	states->slots[slot_of(states, tid)] = (uint32_t)++states->nr_threads;
	return (uint32_t)(states->nr_threads - 1);
}

/* The one that lives. Who was not named before was there from the begin on, doing nobody knows
 * what. */
static uint32_t find_thread(struct trace_states *states, int32_t tid)
{
	const uint32_t found = states->slots[slot_of(states, tid)];

	if (found && !states->threads[found - 1].told.has_ended)
		return found - 1;
	return add_thread(states, tid, THREAD_UNKNOWN,
			  found ? states->threads[found - 1].since : states->begin);
}

static void name_thread(struct thread *thread, const struct ctf_value *value)
{
	const size_t room = sizeof(thread->told.name) - 1;
	const size_t nr_bytes = value->nr < room ? value->nr : room;

	memcpy(thread->told.name, value->bytes, nr_bytes);
	thread->told.name[nr_bytes] = '\0';
}

/* What it waited for up to now. */
static void end_wait(struct thread *thread, uint64_t now)
{
	if (!thread->on_cpu && now > thread->since)
		thread->told.ns[thread->waits] += now - thread->since;
	if (!thread->on_cpu)
		thread->since = now;
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
	thread = &states->threads[cpu->thread];
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

/* Whoever ran: these are the CPU's own. */
static bool is_of_cpu(enum cpu_state state)
{
	return state == CPU_IRQ || state == CPU_SOFTIRQ || state == CPU_LOST;
}

/*
 * What is pending was spent as was thought, by thread (NONE: idle), or (not sound) in ways that
 * nobody told of: a switch is missing.
 */
static void settle(struct trace_states *states, struct cpu *cpu, uint32_t thread, bool is_sound)
{
	for (unsigned int i = 0; i < NR_CPU_STATES; i++) {
		const enum cpu_state state =
			is_sound || is_of_cpu((enum cpu_state)i) ? (enum cpu_state)i : CPU_UNKNOWN;

		cpu->times.ns[state] += cpu->pending[i];
		if (thread != NONE)
			states->threads[thread].told.ns[thread_state_of(state)] += cpu->pending[i];
		cpu->pending[i] = 0;
	}
}

/* All up to now, in what states it was in. */
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

/*
 * A packet tells of losses at its end; where in it they were is not known, so all of it is lost
 * time; of packets that are missing, the time up to it.
 */
static void look_for_losses(struct cpu *cpu, const struct oprof_packet_header *packet)
{
	if (cpu->has_seq && packet->seq == cpu->seq)
		return;
	if (packet->lost > cpu->lost)
		cpu->lost_until = packet->time_end;
	else if (cpu->has_seq && packet->seq != cpu->seq + 1 &&
		 packet->time_begin > cpu->lost_until)
		cpu->lost_until = packet->time_begin;
	if (packet->lost > cpu->lost || (cpu->has_seq && packet->seq != cpu->seq + 1))
		cpu->irqs = cpu->softirqs = 0; /* their ends may be among what is lost */
	cpu->lost = packet->lost;
	cpu->seq = packet->seq;
	cpu->has_seq = true;
}

/* ---- actions ---- */

static int64_t number(const struct ctf_record *record, const struct rule *rule, unsigned int i)
{
	return (int64_t)record->values[rule->fields[i]].number;
}

static const struct ctf_value *value(const struct ctf_record *record, const struct rule *rule,
				     unsigned int i)
{
	return &record->values[rule->fields[i]];
}

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
 * The first switch of a CPU tells who ran before, and that there was no other, if nothing was lost:
 * the idle task, or a thread of which only its kind is known.
 */
static void settle_first(struct trace_states *states, struct cpu *cpu, uint32_t prev)
{
	const enum cpu_state state = prev == NONE			    ? CPU_IDLE
				     : states->threads[prev].told.is_kernel ? CPU_KERNEL
									    : CPU_RUNNING;

	if (!cpu->lost_until) {
		cpu->pending[state] += cpu->pending[CPU_UNKNOWN];
		cpu->pending[CPU_UNKNOWN] = 0;
	}
	settle(states, cpu, prev, true);
}

/* Who runs by what was told, and who did as the switch says: the same, if no switch is missing. */
static void settle_switch(struct trace_states *states, struct cpu *cpu, uint32_t prev, uint64_t now)
{
	const bool is_same = cpu->is_known && cpu->thread == prev;

	if (!cpu->is_known) {
		settle_first(states, cpu, prev);
	} else {
		settle(states, cpu, cpu->thread, is_same);
		if (!is_same && cpu->thread != NONE) {
			states->threads[cpu->thread].on_cpu = false;
			states->threads[cpu->thread].waits = THREAD_UNKNOWN;
			states->threads[cpu->thread].since = now;
		}
	}
	if (is_same || prev == NONE)
		return;
	if (cpu->is_known)
		states->threads[prev].told.ns[THREAD_UNKNOWN] += now - states->threads[prev].since;
	states->threads[prev].since = now;
}

static int switch_out(struct trace_states *states, struct cpu *cpu, const struct ctf_record *record,
		      const struct rule *rule)
{
	const int32_t tid = (int32_t)number(record, rule, SWITCH_PREV);
	const uint32_t prev = tid ? find_thread(states, tid) : NONE;
	struct thread *thread;

	if (tid && prev == NONE)
		return -ENOMEM;
	settle_switch(states, cpu, prev, record->time);
	if (!tid)
		return 0;
	thread = &states->threads[prev];
	name_thread(thread, value(record, rule, SWITCH_PREV_COMM));
	thread->on_cpu = false;
	thread->since = record->time;
	thread->woken = 0;
	thread->waits = wait_of((uint64_t)number(record, rule, SWITCH_STATE));
	/* Preempted, it comes once more. */
	thread->told.has_ended = thread->is_ending && thread->waits != THREAD_READY;
	return 0;
}

static void come_to_run(struct thread *thread, uint64_t now)
{
	end_wait(thread, now);
	thread->on_cpu = true;
	thread->told.nr_switches++;
	if (!thread->woken)
		return;
	thread->told.nr_wakeups_run++;
	thread->told.wakeup_ns_sum += now - thread->woken;
	if (now - thread->woken > thread->told.wakeup_ns_max)
		thread->told.wakeup_ns_max = now - thread->woken;
	thread->woken = 0;
}

static int act_switch(struct trace_states *states, struct cpu *cpu, const struct ctf_record *record,
		      const struct rule *rule)
{
	const int32_t next = (int32_t)number(record, rule, SWITCH_NEXT);
	const int error = switch_out(states, cpu, record, rule);

	if (error)
		return error;
	cpu->times.nr_switches++;
	cpu->is_known = true;
	cpu->is_idle = !next;
	cpu->thread = NONE;
	cpu->irqs = cpu->softirqs = 0;
	cpu->block_done = false;
	if (!next)
		return 0;
	cpu->thread = find_thread(states, next);
	if (cpu->thread == NONE) {
		cpu->is_known = false;
		return -ENOMEM;
	}
	name_thread(&states->threads[cpu->thread], value(record, rule, SWITCH_NEXT_COMM));
	come_to_run(&states->threads[cpu->thread], record->time);
	return 0;
}

static int act_wakeup(struct trace_states *states, const struct cpu *cpu,
		      const struct ctf_record *record, const struct rule *rule)
{
	const uint32_t index = find_thread(states, (int32_t)number(record, rule, 0));
	struct thread *thread;

	if (index == NONE)
		return -ENOMEM;
	thread = &states->threads[index];
	thread->told.nr_wakeups++;
	if (thread->on_cpu || thread->waits == THREAD_READY)
		return 0;
	if (thread->waits == THREAD_UNINTERRUPTIBLE && cpu->block_done)
		thread->waits = THREAD_DISK;
	end_wait(thread, record->time);
	thread->waits = THREAD_READY;
	thread->woken = record->time;
	return 0;
}

static int act_fork(struct trace_states *states, const struct ctf_record *record,
		    const struct rule *rule)
{
	const uint32_t parent = find_thread(states, (int32_t)number(record, rule, FORK_PARENT));
	uint32_t child;

	if (parent == NONE)
		return -ENOMEM;
	child = add_thread(states, (int32_t)number(record, rule, FORK_CHILD), THREAD_READY,
			   record->time);
	if (child == NONE)
		return -ENOMEM;
	states->threads[child].told.is_kernel = states->threads[parent].told.is_kernel;
	states->threads[child].mode = MODE_SYSCALL; /* it comes out of the call that made it */
	name_thread(&states->threads[child], value(record, rule, FORK_COMM));
	return 0;
}

static int act_exec(struct trace_states *states, const struct ctf_record *record,
		    const struct rule *rule)
{
	const uint32_t index = find_thread(states, (int32_t)number(record, rule, EXEC_TID));
	struct ctf_value file = *value(record, rule, EXEC_FILE);

	if (index == NONE)
		return -ENOMEM;
	for (uint32_t i = file.nr; i; i--)
		if (file.bytes[i - 1] == '/') {
			file.bytes += i;
			file.nr -= i;
			break;
		}
	if (file.nr > 15)
		file.nr = 15; /* as the kernel cuts it */
	name_thread(&states->threads[index], &file);
	return 0;
}

/* It still runs to its last switch, whose state says that it is dead. */
static int act_exit(struct trace_states *states, const struct ctf_record *record,
		    const struct rule *rule)
{
	const uint32_t index = find_thread(states, (int32_t)number(record, rule, 0));

	if (index == NONE)
		return -ENOMEM;
	states->threads[index].mode = MODE_SYSCALL;
	states->threads[index].is_ending = true;
	return 0;
}

static int act_state(struct trace_states *states, const struct ctf_record *record,
		     const struct rule *rule)
{
	const uint32_t index = find_thread(states, (int32_t)number(record, rule, STATE_TID));
	const int64_t call = number(record, rule, STATE_SYSCALL);
	struct thread *thread;

	if (index == NONE)
		return -ENOMEM;
	thread = &states->threads[index];
	thread->told.pid = (int32_t)number(record, rule, STATE_PID);
	thread->told.is_kernel = number(record, rule, STATE_TYPE) == TYPE_KERNEL;
	name_thread(thread, value(record, rule, STATE_NAME));
	if (number(record, rule, STATE_STATUS) == STATUS_WAIT)
		thread->waits = THREAD_SLEEPING;
	if (call >= 0)
		thread->mode = MODE_SYSCALL;
	return 0;
}

static void act_syscall(struct trace_states *states, const struct cpu *cpu, enum mode mode)
{
	struct thread *thread;

	if (!cpu->is_known || cpu->is_idle)
		return;
	thread = &states->threads[cpu->thread];
	thread->mode = mode;
	thread->told.nr_syscalls += mode == MODE_SYSCALL;
}

/* Whom it wakes from now on does not wait for a disk. */
static void end_interrupt(struct cpu *cpu)
{
	if (cpu->block_done_in_interrupt && !cpu->irqs && !cpu->softirqs)
		cpu->block_done = cpu->block_done_in_interrupt = false;
}

static int act(struct trace_states *states, struct cpu *cpu, const struct ctf_record *record,
	       const struct rule *rule)
{
	switch (rule->action) {
	case ACT_SWITCH:
		return act_switch(states, cpu, record, rule);
	case ACT_WAKEUP:
		return act_wakeup(states, cpu, record, rule);
	case ACT_FORK:
		return act_fork(states, record, rule);
	case ACT_EXEC:
		return act_exec(states, record, rule);
	case ACT_EXIT:
		return act_exit(states, record, rule);
	case ACT_STATE:
		return act_state(states, record, rule);
	case ACT_IRQ_ENTRY:
		cpu->times.nr_irqs++;
		cpu->irqs++;
		break;
	case ACT_IRQ_EXIT:
		cpu->irqs -= cpu->irqs > 0;
		end_interrupt(cpu);
		break;
	case ACT_SOFTIRQ_ENTRY:
		cpu->times.nr_softirqs++;
		cpu->softirqs++;
		break;
	case ACT_SOFTIRQ_EXIT:
		cpu->softirqs -= cpu->softirqs > 0;
		end_interrupt(cpu);
		break;
	case ACT_SYSCALL_ENTRY:
		act_syscall(states, cpu, MODE_SYSCALL);
		break;
	case ACT_SYSCALL_EXIT:
		act_syscall(states, cpu, MODE_USER);
		break;
	case ACT_BLOCK_DONE:
		cpu->block_done = true;
		cpu->block_done_in_interrupt = cpu->irqs || cpu->softirqs;
		break;
	case ACT_NOTHING:
		break;
	}
	return 0;
}

int trace_states_take(struct trace_states *states, const struct ctf_record *record)
{
	const size_t event = (size_t)(record->event - states->events);
	const unsigned int nr = record->packet->cpu_id;
	struct cpu *cpu;

	if (nr >= NR_CPUS_MAX || event >= states->nr_events)
		return 0;
	if (need_cpus(states, nr + 1))
		return -ENOMEM;
	cpu = &states->cpus[nr];
	cpu->is_there = true;
	look_for_losses(cpu, record->packet);
	advance(states, cpu, record->time);
	return act(states, cpu, record, &states->rules[event]);
}

void trace_states_end(struct trace_states *states, uint64_t end)
{
	states->end = end;
	for (unsigned int i = 0; i < states->nr_cpus; i++) {
		struct cpu *cpu = &states->cpus[i];

		advance(states, cpu, end);
		settle(states, cpu, cpu->is_known ? cpu->thread : NONE, true);
	}
	for (size_t i = 0; i < states->nr_threads; i++)
		if (!states->threads[i].told.has_ended)
			end_wait(&states->threads[i], end);
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
	return states->nr_threads;
}

const struct trace_thread *trace_states_thread(const struct trace_states *states, size_t i)
{
	return &states->threads[i].told;
}
