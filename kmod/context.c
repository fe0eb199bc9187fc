// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/context.h"

#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>

#include "kmod/generation.h"
#include "kmod/image.h"
#include "kmod/resolve.h"
#include "kmod/sampler.h"
#include "kmod/stats.h"

struct context_cpu {
	struct context levels[ENTRY_NR_LEVELS];
	/* The previous context of level TASK, which SWITCH records need. Has no references. */
	struct {
		bool known;
		u32 id;
		struct oprof_task task;
	} before;
};

static struct {
	struct context_cpu *cpus;
	bool want_switches;
	unsigned int nr_held;
} contexts;

int context_open(bool want_switches)
{
	contexts.want_switches = want_switches;
	contexts.nr_held = 0;
	contexts.cpus = kvcalloc(nr_cpu_ids, sizeof(*contexts.cpus), GFP_KERNEL);
	return contexts.cpus ? 0 : -ENOMEM;
}

/*
 * Drops the entry's references. mmput_async() leaves the freeing of an unused
 * address space to another thread.
 */
static void let_go(int cpu, struct context *context)
{
	if (!context->known)
		return;
	context->known = false;
	if (context->entry.mm) {
		resolve_end(context->entry.mm);
		mmput_async(context->entry.mm);
		stats_add(cpu, STATS_references_dropped, 1);
	}
	put_pid(context->entry.process);
	sampler_references_dropped(cpu, 1);
	contexts.nr_held--;
}

void context_close(void)
{
	unsigned int level;
	int cpu;

	for_each_possible_cpu(cpu) for (level = 0; level < ENTRY_NR_LEVELS; level++)
		let_go(cpu, &contexts.cpus[cpu].levels[level]);
	kvfree(contexts.cpus);
	contexts.cpus = NULL;
}

/* Stores the context's id and task. Must be called before another context replaces this context. */
static void remember(struct context_cpu *state, struct context *context, u64 pass)
{
	if (!context->known)
		return;
	state->before.known = !context_resolve(context, pass);
	state->before.id = context->entry.id;
	state->before.task = context->task;
}

void context_enter(int cpu, const struct entry_context *entry, u64 pass)
{
	struct context_cpu *state = &contexts.cpus[cpu];
	struct context *context = &state->levels[entry->level];

	if (contexts.want_switches && entry->level == ENTRY_LEVEL_TASK)
		remember(state, context, pass);
	let_go(cpu, context);
	*context = (struct context){.entry = *entry, .known = true, .read_in = pass};
	contexts.nr_held++;
	if (entry->mm)
		stats_add(cpu, STATS_references_taken, 1);
}

struct context *context_find(int cpu, u32 level, u32 id)
{
	struct context *context;

	if (level >= ENTRY_NR_LEVELS)
		return NULL;
	context = &contexts.cpus[cpu].levels[level];
	if (!context->known || context->entry.id != id)
		return NULL;
	return context;
}

/* ---- resolving ---- */

/*
 * If the process's address space has changed, the process runs another
 * program. Then the process's old regions are released.
 */
static void note_program(struct generation *generation, const struct mm_struct *mm)
{
	if (generation->mm == mm)
		return;
	/* While an mmap lock is held, the cache in resolve.c may refer to these regions. */
	resolve_end(NULL);
	if (!image_release_regions(generation))
		generation->mm = mm;
}

static int resolve_app(struct generation *generation, struct mm_struct *mm)
{
	if (mm) {
		note_program(generation, mm);
		return resolve_program(mm, &generation->app_image);
	}
	/*
	 * A kernel thread or an exited task has no mm: the process's last known
	 * program stays valid.
	 */
	if (!image_use(generation->app_image))
		generation->app_image = OPROF_IMAGE_NONE;
	return 0;
}

static int resolve(struct context *context, u64 pass)
{
	const struct entry_context *entry = &context->entry;
	struct generation *generation = generation_get(entry->process, entry->tgid, pass);
	int error;

	if (!generation)
		return entry->process ? -ENOMEM : -ESRCH;
	error = resolve_app(generation, entry->mm);
	if (error)
		return error;
	context->generation = generation;
	context->task = (struct oprof_task){
		.tgid = entry->tgid,
		.tid = entry->tid,
		.generation = generation->number,
		.app_image = generation->app_image,
		.cgroup = entry->cgroup,
	};
	return 0;
}

int context_resolve(struct context *context, u64 pass)
{
	if (context->resolved_in == pass)
		return context->error;
	context->error = resolve(context, pass);
	/* After -ENOSPC the next call tries again, because the buffer may then have room. */
	context->resolved_in = context->error == -ENOSPC ? 0 : pass;
	return context->error;
}

bool context_task(int cpu, u32 id, u64 pass, struct oprof_task *task)
{
	struct context_cpu *state = &contexts.cpus[cpu];
	struct context *context = context_find(cpu, ENTRY_LEVEL_TASK, id);

	if (context && !context_resolve(context, pass))
		*task = context->task;
	else if (!context && state->before.known && state->before.id == id)
		*task = state->before.task;
	else
		*task = (struct oprof_task){.generation = 1};
	return context || state->before.id == id;
}

void context_tend(int cpu, u64 pass, bool waited)
{
	u64 before = waited ? pass : pass - 1;
	struct context *context;
	unsigned int level;

	for (level = 0; level < ENTRY_NR_LEVELS; level++) {
		context = &contexts.cpus[cpu].levels[level];
		if (context->known && context->read_in < before)
			let_go(cpu, context);
	}
}

unsigned int context_nr_held(void)
{
	return contexts.nr_held;
}
