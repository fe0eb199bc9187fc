// SPDX-License-Identifier: GPL-2.0-only
#include "kmod/generation.h"

#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "kmod/image.h"
#include "kmod/stats.h"
#include "kmod/tell.h"

#define BUCKETS_ORDER 12
/*
 * Maximum number of processes that one pass examines to find ended processes.
 * The next pass examines other processes.
 */
#define TEND_NR 4096u
/*
 * Samples may arrive late, so an ended process is kept for this many passes
 * after its last sample.
 */
#define QUIET_PASSES 2u
#define NUMBER_IDLE  1u

static struct {
	struct hlist_head *buckets; /* by tgid, the newest first */
	struct list_head all;	    /* the process that was checked longest ago comes first */
	u64 last_number;
	u32 nr;
	struct generation idle;
} generations;

static struct hlist_head *bucket_of(s32 tgid)
{
	return &generations.buckets[hash_32((u32)tgid, BUCKETS_ORDER)];
}

int generation_open(void)
{
	generations.buckets =
		kvcalloc(1u << BUCKETS_ORDER, sizeof(*generations.buckets), GFP_KERNEL);
	if (!generations.buckets)
		return -ENOMEM;
	INIT_LIST_HEAD(&generations.all);
	generations.nr = 0;
	generations.last_number = NUMBER_IDLE;
	generations.idle = (struct generation){.number = NUMBER_IDLE};
	INIT_LIST_HEAD(&generations.idle.regions);
	return 0;
}

static void generation_free(struct generation *generation)
{
	image_forget_regions(generation);
	hlist_del(&generation->node);
	list_del(&generation->all);
	put_pid(generation->pid);
	kfree(generation);
	generations.nr--;
}

void generation_close(void)
{
	struct generation *generation, *next;

	list_for_each_entry_safe(generation, next, &generations.all, all)
		generation_free(generation);
	image_forget_regions(&generations.idle);
	kvfree(generations.buckets);
	generations.buckets = NULL;
}

static struct generation *generation_find(struct pid *pid, s32 tgid)
{
	struct generation *generation;

	hlist_for_each_entry(generation, bucket_of(tgid),
			     node) if (generation->tgid == tgid &&
				       (!pid || generation->pid == pid)) return generation;
	return NULL;
}

static struct generation *generation_make(struct pid *pid, s32 tgid)
{
	struct generation *generation;

	if (generations.nr >= GENERATION_NR_MAX)
		return NULL;
	generation = kzalloc(sizeof(*generation), GFP_KERNEL | __GFP_NOWARN);
	if (!generation)
		return NULL;
	generation->pid = get_pid(pid);
	generation->tgid = tgid;
	generation->number = ++generations.last_number;
	INIT_LIST_HEAD(&generation->regions);
	hlist_add_head(&generation->node, bucket_of(tgid));
	list_add_tail(&generation->all, &generations.all);
	generations.nr++;
	stats_add(0, STATS_processes, 1);
	return generation;
}

struct generation *generation_get(struct pid *pid, s32 tgid, u64 pass)
{
	struct generation *generation;

	if (!pid && !tgid)
		return &generations.idle;
	generation = generation_find(pid, tgid);
	if (!generation && pid)
		generation = generation_make(pid, tgid);
	if (generation)
		generation->last_pass = pass;
	return generation;
}

/*
 * Returns whether the process was reaped. The number of its pid may already
 * belong to a new process, which has another struct pid.
 */
static bool has_ended(const struct generation *generation)
{
	bool ended;

	rcu_read_lock();
	ended = !pid_task(generation->pid, PIDTYPE_TGID);
	rcu_read_unlock();
	return ended;
}

static int generation_end(struct generation *generation)
{
	int error = image_release_regions(generation);

	if (!error)
		error = tell_process_end(generation->number);
	if (error)
		return error;
	generation_free(generation);
	stats_add(0, STATS_processes_ended, 1);
	return 0;
}

void generation_tend(u64 pass)
{
	u32 left = min(generations.nr, TEND_NR);
	struct generation *generation;

	for (; left; left--) {
		generation = list_first_entry(&generations.all, struct generation, all);
		if (generation->last_pass + QUIET_PASSES < pass && has_ended(generation)) {
			if (generation_end(generation))
				return; /* the buffer has no room for the report */
			continue;
		}
		list_move_tail(&generation->all, &generations.all);
	}
}
