// SPDX-License-Identifier: GPL-2.0-only
/* The sample path, which writes contexts, samples and switches into the ring of the current CPU. */
#include "kmod/sampler.h"

#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "kmod/chain.h"
#include "kmod/compat.h"
#include "kmod/stamp.h"
#include "kmod/stats.h"
#include "kmod/sync_worker.h"
#include "ring/ring_write.h"

#define NR_SUB_BUFFERS_WANTED 8u

/* ---- Bloom filters of sampled address spaces and processes; each has two pages of bits ---- */

#define SEEN_ORDER 14u
#define SEEN_WORDS ((1u << SEEN_ORDER) / BITS_PER_LONG)
#define SEEN_PAGES 2u

/*
 * A set of sampled address spaces or processes. Each of them sets two bits,
 * selected by a hash. All CPUs set bits in the page that is in use, also in
 * NMIs. The worker clears the other page.
 */
struct seen {
	unsigned long words[SEEN_PAGES][SEEN_WORDS];
};

static struct seen seen_mms, seen_processes;
static unsigned int seen_page; /* index of the page where bits are set */

static void seen_hash(const void *pointer, unsigned int bits[2])
{
	u64 hash = hash_64((u64)(unsigned long)pointer, 2 * SEEN_ORDER);

	bits[0] = hash & ((1u << SEEN_ORDER) - 1);
	bits[1] = hash >> SEEN_ORDER;
}

static void seen_mark(struct seen *seen, const void *pointer)
{
	unsigned long *words = seen->words[READ_ONCE(seen_page)];
	unsigned int bits[2], i;

	if (!pointer)
		return;
	seen_hash(pointer, bits);
	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		if (!test_bit(bits[i], words))
			set_bit(bits[i], words);
	}
}

static bool seen_has(const struct seen *seen, const void *pointer)
{
	unsigned int bits[2], page;

	seen_hash(pointer, bits);
	for (page = 0; page < SEEN_PAGES; page++) {
		if (test_bit(bits[0], seen->words[page]) && test_bit(bits[1], seen->words[page]))
			return true;
	}
	return false;
}

static void seen_clear(struct seen *seen, unsigned int page)
{
	unsigned int i;

	for (i = 0; i < SEEN_WORDS; i++)
		WRITE_ONCE(seen->words[page][i], 0);
}

bool sampler_has_seen_mm(const struct mm_struct *mm)
{
	return seen_has(&seen_mms, mm);
}

bool sampler_has_seen_process(const struct pid *process)
{
	return seen_has(&seen_processes, process);
}

/*
 * A CPU that is in seen_mark() during this function may set bits in the old
 * page. seen_has() still checks the old page, until the next call of this
 * function clears it. Between the two calls, a flush waits for the CPU, so no
 * writer uses the old page any more when it is cleared.
 */
void sampler_turn_seen(void)
{
	unsigned int next = !READ_ONCE(seen_page);

	seen_clear(&seen_mms, next);
	seen_clear(&seen_processes, next);
	/*
	 * The page is cleared before any CPU sets bits in it. Pairs with the
	 * address dependency in seen_mark().
	 */
	smp_store_release(&seen_page, next);
}

/* ---- each CPU's state ---- */

/* The identity of a context: two contexts are the same if all these members are equal. */
struct identity {
	struct mm_struct *mm;
	struct pid *process;
	u64 cgroup;
	s32 tid;
	u32 epoch;
};

/*
 * The state of the writers of one level. A writer that interrupts one of these
 * writers usually has another level. `busy` detects the exception: a
 * tracepoint's event in a softirq that interrupted a task.
 */
struct sampler_level {
	bool busy;
	u32 id; /* id of the last context */
	/* The last context; its references are held while its epoch is the current one. */
	struct identity last;
	struct chain chain; /* too large for the NMI's stack */
};

struct sampler_cpu {
	struct ring ring;
	struct ring_reader reader; /* for the worker */
	void *memory;
	local_t references_taken; /* number of contexts written; only this CPU increments it */
	unsigned long nr_dropped; /* number of contexts dropped; only the worker increments it */
	u32 kicked_epoch;	  /* the last epoch in which this CPU kicked the worker */
	struct sampler_level levels[ENTRY_NR_LEVELS];
};

static DEFINE_PER_CPU(struct sampler_cpu *, sampler_cpus); /* NULL: no run is open */
static u32 sampler_epoch;
/* Settings of this run. */
static unsigned int chain_depth;
static bool want_cgroups;

/* ---- open, close ---- */

static void set_sizes(const struct settings *settings, struct ring_config *config)
{
	u64 all = roundup_pow_of_two(settings->cpu_buffer_size * SETTINGS_CPU_SAMPLE_BYTES);
	/* A packet must have room for one sample with the longest chain, aligned to 8 bytes. */
	u64 least = sizeof(struct oprof_packet_header) + OPROF_RECORD_EXTENDED_BYTES + 8 +
		    sizeof(struct entry_sample) + settings->backtrace_depth * sizeof(u64);
	u64 sub_buffer = max_t(u64, all / NR_SUB_BUFFERS_WANTED, roundup_pow_of_two(least));

	sub_buffer = max_t(u64, sub_buffer, RING_SUB_BUFFER_MIN);
	config->sub_buffer_bytes = (u32)sub_buffer;
	config->nr_sub_buffers = (u32)max_t(u64, all / sub_buffer, 2);
}

static void destroy_cpu(struct sampler_cpu *state)
{
	if (!state)
		return;
	kvfree(state->memory);
	vfree(state);
}

static int create_cpu(const struct ring_config *config, int cpu, struct sampler_cpu **created)
{
	struct sampler_cpu *state = vzalloc_node(sizeof(*state), cpu_to_node(cpu));
	size_t bytes;
	int error;

	if (!state)
		return -ENOMEM;
	error = ring_memory_bytes(config, &bytes);
	if (error)
		goto destroy;
	error = -ENOMEM;
	/*
	 * With these flags the allocation fails if memory is short. Without
	 * the flags, the kernel might kill processes to get memory.
	 */
	state->memory = kvmalloc_node(bytes, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN,
				      cpu_to_node(cpu));
	if (!state->memory)
		goto destroy;
	error = ring_init(&state->ring, config, (u32)cpu, state->memory);
	if (!error)
		error = ring_reader_init(&state->reader, &state->ring);
	if (error)
		goto destroy;
	*created = state;
	return 0;
destroy:
	destroy_cpu(state);
	return error;
}

int sampler_open(const struct settings *settings)
{
	struct ring_config config = {.mode = RING_DISCARD, .clock = stamp_clock()};
	struct sampler_cpu *state;
	int cpu, error;

	set_sizes(settings, &config);
	chain_depth = min_t(u64, settings->backtrace_depth, OPROF_KMOD_CHAIN_MAX);
	want_cgroups = settings->cgroups;
	sampler_renew();
	for_each_possible_cpu(cpu)
	{
		error = create_cpu(&config, cpu, &state);
		if (error) {
			sampler_close();
			return error;
		}
		per_cpu(sampler_cpus, cpu) = state;
	}
	return 0;
}

void sampler_close(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
	{
		destroy_cpu(per_cpu(sampler_cpus, cpu));
		per_cpu(sampler_cpus, cpu) = NULL;
	}
	/* Clear both pages for the next run. */
	sampler_turn_seen();
	sampler_turn_seen();
}

/* ---- contexts ---- */

static void count_lost_nmi(int error)
{
	if (error == -ENOSPC)
		stats_inc_nmi(STATS_lost_full);
	else if (error == -EBUSY)
		stats_inc_nmi(STATS_lost_nested);
	else if (error == -EMSGSIZE)
		stats_inc_nmi(STATS_lost_too_big);
	else if (error == -EMFILE)
		stats_inc_nmi(STATS_lost_references);
	else
		stats_inc_nmi(STATS_lost_stopped);
}

static unsigned long nr_references(const struct sampler_cpu *state)
{
	return (unsigned long)local_read(&state->references_taken) - READ_ONCE(state->nr_dropped);
}

/* Kicks the worker at most once per epoch. Each pass of the worker begins a new epoch. */
static void kick_nmi(struct sampler_cpu *state)
{
	u32 epoch = READ_ONCE(sampler_epoch);

	if (READ_ONCE(state->kicked_epoch) == epoch)
		return;
	WRITE_ONCE(state->kicked_epoch, epoch);
	sync_worker_kick_nmi();
}

static u64 cgroup_of(struct task_struct *task)
{
	u64 id = 0;

#ifdef CONFIG_CGROUPS
	if (want_cgroups) {
		rcu_read_lock();
		id = cgroup_id(data_race(task_dfl_cgroup(task)));
		rcu_read_unlock();
	}
#endif
	return id;
}

/*
 * `task` is the current task, or is about to run on this CPU. Therefore its mm
 * remains until the task itself exits or execs. A parent that reaps the task
 * may remove the pid of the thread group at any time, but the pid's memory
 * remains valid for an RCU grace period, because the kernel drops its reference
 * to the pid only after the grace period. The kernel writes these fields as
 * whole words by plain accesses; therefore the race is allowed (data_race()).
 */
static void identify(struct task_struct *task, struct identity *identity)
{
	identity->mm = data_race(READ_ONCE(task->mm));
	identity->tid = data_race(READ_ONCE(task->pid));
	identity->process = identity->tid /* 0: the idle task, without a process */
				    ? data_race(READ_ONCE(task->signal->pids[PIDTYPE_TGID]))
				    : NULL;
	identity->cgroup = cgroup_of(task);
	identity->epoch = READ_ONCE(sampler_epoch);
}

static bool is_same(const struct identity *one, const struct identity *other)
{
	return one->mm == other->mm && one->process == other->process && one->tid == other->tid &&
	       one->cgroup == other->cgroup && one->epoch == other->epoch;
}

/*
 * Takes references for an entry whose slot is reserved; the worker drops them.
 * An mm that a kernel thread uses may have no other user left; therefore
 * mmget_not_zero() is needed.
 */
static void take_references(const struct identity *identity, struct entry_context *entry)
{
	entry->mm = identity->mm;
	if (entry->mm && !mmget_not_zero(entry->mm))
		entry->mm = NULL;
	entry->process = get_pid(identity->process);
	seen_mark(&seen_mms, entry->mm);
	seen_mark(&seen_processes, entry->process);
}

static int write_context(struct sampler_cpu *state, enum entry_level level,
			 const struct task_struct *task, const struct identity *identity)
{
	struct sampler_level *at = &state->levels[level];
	struct entry_context *entry;
	struct ring_slot slot;
	int error;

	if (nr_references(state) >= SAMPLER_REFERENCES_MAX)
		return -EMFILE;
	error = ring_reserve(&state->ring, ENTRY_CONTEXT, sizeof(*entry), 8, &slot);
	if (error)
		return error;
	local_inc(&state->references_taken);
	entry = (struct entry_context *)slot.payload;
	take_references(identity, entry);
	entry->cgroup = identity->cgroup;
	entry->tgid = data_race(READ_ONCE(task->tgid));
	entry->tid = identity->tid;
	entry->id = (at->id + 1) & ENTRY_ID_MASK;
	entry->level = level;
	at->id = entry->id;
	at->last = *identity;
	ring_commit(&state->ring, &slot);
	stats_inc_nmi(STATS_contexts);
	if (nr_references(state) >= SAMPLER_REFERENCES_MAX / 2)
		kick_nmi(state);
	return 0;
}

/*
 * Makes the context of `task` the current context of the level. Returns 0, an
 * error of ring_reserve(), or -EMFILE: too many contexts are held.
 */
static int enter_context(struct sampler_cpu *state, enum entry_level level,
			 struct task_struct *task)
{
	struct identity identity;

	identify(task, &identity);
	if (is_same(&identity, &state->levels[level].last))
		return 0;
	return write_context(state, level, task, &identity);
}

/* ---- samples ---- */

static enum entry_level level_now(void)
{
	if (in_nmi())
		return ENTRY_LEVEL_NMI;
	return in_hardirq() ? ENTRY_LEVEL_INTERRUPT : ENTRY_LEVEL_TASK;
}

static void count_seen_nmi(enum entry_level level, bool user)
{
	static const enum stats_counter by_level[ENTRY_NR_LEVELS] = {
		[ENTRY_LEVEL_TASK] = STATS_in_task,
		[ENTRY_LEVEL_INTERRUPT] = STATS_in_interrupt,
		[ENTRY_LEVEL_NMI] = STATS_in_nmi,
	};

	stats_inc_nmi(STATS_seen);
	stats_inc_nmi(by_level[level]);
	stats_inc_nmi(user ? STATS_user : STATS_kernel);
}

/* Fills in the members of *entry before the chain, except event and period. */
static void fill_sample(struct entry_sample *entry, const struct sampler_level *at,
			enum entry_level level, struct pt_regs *regs)
{
	entry->address = regs ? instruction_pointer(regs) : 0;
	entry->id = at->id;
	entry->level = level;
	entry->user = regs && user_mode(regs);
	entry->flags = (at->chain.truncated ? ENTRY_SAMPLE_TRUNCATED : 0) |
		       (at->chain.broken ? ENTRY_SAMPLE_BROKEN : 0) |
		       (at->chain.linked ? ENTRY_SAMPLE_LINK : 0);
	entry->nr_kernel = at->chain.nr_kernel;
	entry->nr_user = at->chain.nr_user;
	entry->reserved = 0;
}

static int write_sample(struct sampler_cpu *state, enum entry_level level, unsigned int event,
			u64 period, struct pt_regs *regs)
{
	struct sampler_level *at = &state->levels[level];
	unsigned int nr_callers = at->chain.nr_kernel + at->chain.nr_user;
	struct entry_sample *entry;
	struct ring_slot slot;
	int error;

	error = ring_reserve(&state->ring, ENTRY_SAMPLE, (u32)struct_size(entry, chain, nr_callers),
			     8, &slot);
	if (error)
		return error;
	entry = (struct entry_sample *)slot.payload;
	fill_sample(entry, at, level, regs);
	entry->event = (u8)event;
	entry->period = period;
	memcpy(entry->chain, at->chain.addresses, nr_callers * sizeof(entry->chain[0]));
	ring_commit(&state->ring, &slot);
	return 0;
}

/*
 * Kicks the worker if half of the ring is unread: otherwise the ring might be
 * full before the next pass.
 */
static void kick_if_filling_nmi(struct sampler_cpu *state)
{
	const struct ring_shared *shared = state->ring.shared;

	if (ring_load(&shared->reserved) - ring_load(&shared->consumed) >=
	    ring_lap_bytes(&state->ring) / 2)
		kick_nmi(state);
}

static int sample_at_level(struct sampler_cpu *state, enum entry_level level, unsigned int event,
			   u64 period, struct pt_regs *regs)
{
	struct chain *chain = &state->levels[level].chain;
	int error = enter_context(state, level, current);

	if (error)
		return error;
	chain->nr_kernel = chain->nr_user = 0;
	chain->truncated = chain->broken = chain->linked = false;
	if (chain_depth && regs)
		chain_walk_nmi(chain, chain_depth, regs);
	return write_sample(state, level, event, period, regs);
}

/* regs should not be NULL. If it is NULL, the sample is recorded as kernel code at address 0. */
void sampler_sample_nmi(unsigned int event, u64 period, struct pt_regs *regs)
{
	struct sampler_cpu *state = this_cpu_read(sampler_cpus);
	enum entry_level level = level_now();
	struct sampler_level *at;
	int error;

	count_seen_nmi(level, regs && user_mode(regs));
	if (!state) {
		stats_inc_nmi(STATS_lost_stopped);
		return;
	}
	at = &state->levels[level];
	if (READ_ONCE(at->busy)) {
		stats_inc_nmi(STATS_lost_nested);
		return;
	}
	WRITE_ONCE(at->busy, true);
	barrier();
	error = sample_at_level(state, level, event, period, regs);
	barrier();
	WRITE_ONCE(at->busy, false);
	if (error)
		count_lost_nmi(error);
	kick_if_filling_nmi(state);
}

/* ---- switches ---- */

static int write_switch(struct sampler_cpu *state, u32 from_id, bool preempted, bool dead)
{
	struct entry_switch *entry;
	struct ring_slot slot;
	int error = ring_reserve(&state->ring, ENTRY_SWITCH, sizeof(*entry), 8, &slot);

	if (error)
		return error;
	entry = (struct entry_switch *)slot.payload;
	entry->from_id = from_id;
	entry->to_id = state->levels[ENTRY_LEVEL_TASK].id;
	entry->preempted = preempted;
	entry->dead = dead;
	ring_commit(&state->ring, &slot);
	return 0;
}

static int switch_contexts(struct sampler_cpu *state, struct task_struct *prev,
			   struct task_struct *next, bool preempted)
{
	int error = enter_context(state, ENTRY_LEVEL_TASK, prev);
	u32 from_id = state->levels[ENTRY_LEVEL_TASK].id;

	if (!error)
		error = enter_context(state, ENTRY_LEVEL_TASK, next);
	if (!error)
		error = write_switch(state, from_id, preempted,
				     READ_ONCE(prev->__state) & TASK_DEAD);
	return error;
}

void sampler_switch(struct task_struct *prev, struct task_struct *next, bool preempted)
{
	struct sampler_cpu *state = this_cpu_read(sampler_cpus);
	struct sampler_level *at = state ? &state->levels[ENTRY_LEVEL_TASK] : NULL;
	int error = -EBUSY;

	if (at && !READ_ONCE(at->busy)) {
		WRITE_ONCE(at->busy, true);
		barrier();
		error = switch_contexts(state, prev, next, preempted);
		barrier();
		WRITE_ONCE(at->busy, false);
	}
	stats_inc_nmi(error ? STATS_switches_lost : STATS_switches);
	if (state)
		kick_if_filling_nmi(state);
}

/* ---- for the sync worker ---- */

static void flush_here(void *ring)
{
	(void)ring_flush(ring); /* -EAGAIN: a writer closed the packet first */
}

bool sampler_flush(int cpu)
{
	struct ring *ring = &per_cpu(sampler_cpus, cpu)->ring;

	/*
	 * If no packet is open, there is nothing to flush, and the call would
	 * only wake an idle CPU.
	 */
	if ((ring_load(&ring->shared->reserved) & ring->sub_mask) <= RING_FINALISED)
		return false;
	if (!cpu_online(cpu))
		flush_here(ring);
	else
		(void)smp_call_function_single(cpu, flush_here, ring, 1);
	return true;
}

struct ring_reader *sampler_reader(int cpu)
{
	return &per_cpu(sampler_cpus, cpu)->reader;
}

void sampler_references_dropped(int cpu, unsigned int number)
{
	struct sampler_cpu *state = per_cpu(sampler_cpus, cpu);

	WRITE_ONCE(state->nr_dropped, state->nr_dropped + number);
}

void sampler_renew(void)
{
	WRITE_ONCE(sampler_epoch, sampler_epoch + 1);
}
