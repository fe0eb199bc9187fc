// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/off_cpu.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than any kernel has; of CPUs beyond it, nothing is sure after a loss. */
#define CPUS_MAX 65536

/* A task that is off CPU. */
struct off_cpu_wait {
	struct node node;
	struct oprof_task task;
	uint64_t since_ns;  /* told up to here */
	uint64_t nr_losses; /* up to which it is known to be off; see wait_is_sure */
	uint32_t cpu;	    /* that it left */
	uint32_t state;	    /* enum oprof_off_cpu */
	struct off_cpu_wait *next_spare;
};

/* ---- handing on ---- */

static bool task_is_same(const struct oprof_task *a, const struct oprof_task *b)
{
	return a->head.type == b->head.type && a->tid == b->tid && a->generation == b->generation &&
	       a->tgid == b->tgid && a->app_image == b->app_image && a->cgroup == b->cgroup;
}

/* The context of the record that is handed on next. */
static void context_tell(struct off_cpu *off_cpu, const struct oprof_task *task, uint32_t cpu)
{
	struct oprof_cpu *told_cpu = &off_cpu->told_cpu;

	if (!told_cpu->head.type || told_cpu->cpu != cpu) {
		told_cpu->head = (struct oprof_record){.type = OPROF_RECORD_CPU,
						       .size_bytes = sizeof(*told_cpu)};
		told_cpu->cpu = cpu;
		off_cpu->next->record(off_cpu->next, &told_cpu->head);
	}
	if (task->head.type && !task_is_same(task, &off_cpu->told_task)) {
		off_cpu->told_task = *task;
		off_cpu->next->record(off_cpu->next, &off_cpu->told_task.head);
	}
}

static void hand_on(struct off_cpu *off_cpu, const struct oprof_record *record)
{
	context_tell(off_cpu, &off_cpu->task, off_cpu->cpu.cpu);
	off_cpu->next->record(off_cpu->next, record);
}

static void lost_tell(struct off_cpu *off_cpu, uint64_t time_ns, enum oprof_lost reason,
		      uint64_t nr_samples)
{
	struct oprof_lost_record lost = {
		.head = {.type = OPROF_RECORD_LOST, .size_bytes = sizeof(lost)},
		.time_ns = time_ns,
		.reason = reason,
		.event = off_cpu->event,
		.nr_samples = nr_samples,
	};

	off_cpu->nr_seen += nr_samples;
	hand_on(off_cpu, &lost.head);
}

/* The stretch of wait up to until_ns, as a sample. */
static void wait_tell(struct off_cpu *off_cpu, const struct off_cpu_wait *wait, uint64_t until_ns)
{
	struct oprof_sample sample = {
		.head = {.type = OPROF_RECORD_SAMPLE, .size_bytes = sizeof(sample)},
		.time_ns = until_ns,
		.weight = until_ns - wait->since_ns,
		.event = off_cpu->event,
		.mode = OPROF_MODE_OFF_CPU,
		.leaf = {.image = OPROF_IMAGE_COOKIE_OFF_CPU,
			 .mode = OPROF_MODE_OFF_CPU,
			 .offset = wait->state},
	};

	off_cpu->nr_seen++;
	context_tell(off_cpu, &wait->task, wait->cpu);
	off_cpu->next->record(off_cpu->next, &sample.head);
}

/* ---- tasks off CPU ---- */

static struct off_cpu_wait *wait_find(const struct off_cpu *off_cpu, int32_t tid, uint64_t hash)
{
	struct node *node = node_hash_first(&off_cpu->waits, hash);

	for (; node; node = node_hash_next(node)) {
		struct off_cpu_wait *wait = node_owner(node, struct off_cpu_wait, node);

		if (wait->task.tid == tid)
			return wait;
	}
	return NULL;
}

static void wait_remove(struct off_cpu *off_cpu, struct off_cpu_wait *wait)
{
	node_hash_remove(&off_cpu->waits, &wait->node);
	wait->next_spare = off_cpu->spare;
	off_cpu->spare = wait;
}

static struct off_cpu_wait *wait_create(struct off_cpu *off_cpu)
{
	struct off_cpu_wait *wait = off_cpu->spare;

	if (wait) {
		off_cpu->spare = wait->next_spare;
		return wait;
	}
	if (off_cpu->waits.nr_nodes >= OFF_CPU_TASKS_MAX)
		return NULL;
	return malloc(sizeof(*wait));
}

/* No switches were lost since it was seen to leave, or it was found to be off still. */
static bool wait_is_sure(const struct off_cpu *off_cpu, const struct off_cpu_wait *wait)
{
	return wait->nr_losses == off_cpu->nr_losses;
}

/*
 * It is off now, and was not seen to leave since the loss: so it was all the
 * time. From the last settling on only, lest one report have hours at once.
 */
static void wait_make_sure(const struct off_cpu *off_cpu, struct off_cpu_wait *wait)
{
	wait->nr_losses = off_cpu->nr_losses;
	wait->since_ns = off_cpu->resumed_ns > off_cpu->settled_ns ? off_cpu->resumed_ns
								   : off_cpu->settled_ns;
}

static void wait_begin(struct off_cpu *off_cpu, const struct oprof_switch *record)
{
	uint64_t hash = hash_number((uint32_t)off_cpu->task.tid);
	struct off_cpu_wait *wait = wait_find(off_cpu, off_cpu->task.tid, hash);

	if (wait) { /* it came back unseen: how long it was gone is not known */
		if (wait_is_sure(off_cpu, wait)) /* else that was counted at the loss */
			lost_tell(off_cpu, record->time_ns, OPROF_LOST_NO_TASK, 1);
		wait_remove(off_cpu, wait);
	}
	wait = wait_create(off_cpu);
	if (!wait) {
		lost_tell(off_cpu, record->time_ns, OPROF_LOST_MEMORY, 1);
		return;
	}
	wait->task = off_cpu->task;
	wait->since_ns = record->time_ns;
	wait->nr_losses = off_cpu->nr_losses;
	wait->cpu = off_cpu->cpu.cpu;
	wait->state = record->state == OPROF_OFF_CPU_PREEMPTED ? OPROF_OFF_CPU_PREEMPTED
							       : OPROF_OFF_CPU_WAITING;
	node_hash_add(&off_cpu->waits, &wait->node, hash);
}

/* The task in force comes on its CPU. One that was not seen to go is not told of. */
static void wait_end(struct off_cpu *off_cpu, uint64_t time_ns)
{
	uint64_t hash = hash_number((uint32_t)off_cpu->task.tid);
	struct off_cpu_wait *wait = wait_find(off_cpu, off_cpu->task.tid, hash);

	if (!wait)
		return;
	if (!wait_is_sure(off_cpu, wait))
		wait_make_sure(off_cpu, wait);
	if (wait->task.generation != off_cpu->task.generation || time_ns < wait->since_ns)
		lost_tell(off_cpu, time_ns, OPROF_LOST_NO_TASK, 1);
	else if (time_ns > wait->since_ns)
		wait_tell(off_cpu, wait, time_ns);
	wait_remove(off_cpu, wait);
}

struct settling {
	struct off_cpu *off_cpu;
	uint64_t until_ns;
	uint32_t app_image; /* drop_one: of the tasks that go; OPROF_IMAGE_NONE: all */
	uint64_t nr_dropped;
	uint64_t nr_sure; /* count_sure */
};

/* Each CPU has told who left it since the last loss: what was not told of does not run. */
static bool all_cpus_resumed(const struct off_cpu *off_cpu)
{
	return off_cpu->resumed_ns && off_cpu->nr_cpus_resumed == off_cpu->nr_cpus_seen;
}

/* Whether wait is certain to go on; one whose task ended unseen is removed. */
static bool settle_unsure(struct off_cpu *off_cpu, struct off_cpu_wait *wait)
{
	if (!all_cpus_resumed(off_cpu))
		return false;
	if (!off_cpu->lives(wait->task.tgid, wait->task.tid)) {
		wait_remove(off_cpu, wait);
		return false;
	}
	wait_make_sure(off_cpu, wait);
	return true;
}

static void settle_one(struct node *node, void *context)
{
	struct off_cpu_wait *wait = node_owner(node, struct off_cpu_wait, node);
	const struct settling *settling = context;

	if (!wait_is_sure(settling->off_cpu, wait) && !settle_unsure(settling->off_cpu, wait))
		return;
	if (wait->since_ns >= settling->until_ns)
		return;
	wait_tell(settling->off_cpu, wait, settling->until_ns);
	wait->since_ns = settling->until_ns;
}

void off_cpu_settle(struct off_cpu *off_cpu, uint64_t until_ns)
{
	struct settling settling = {.off_cpu = off_cpu, .until_ns = until_ns};

	node_hash_walk(&off_cpu->waits, settle_one, &settling);
	if (until_ns > off_cpu->settled_ns)
		off_cpu->settled_ns = until_ns;
}

static void drop_one(struct node *node, void *context)
{
	struct off_cpu_wait *wait = node_owner(node, struct off_cpu_wait, node);
	struct settling *settling = context;

	if (settling->app_image != OPROF_IMAGE_NONE && wait->task.app_image != settling->app_image)
		return;
	settling->nr_dropped++;
	wait_remove(settling->off_cpu, wait);
}

static void count_sure(struct node *node, void *context)
{
	struct off_cpu_wait *wait = node_owner(node, struct off_cpu_wait, node);
	struct settling *settling = context;

	settling->nr_sure += wait_is_sure(settling->off_cpu, wait);
}

/*
 * What was so up to the loss is certain. Whether it was so to its end is not:
 * each such stretch has a piece that is lost.
 */
static void switches_lost(struct off_cpu *off_cpu, const struct oprof_switches_lost *lost)
{
	struct settling settling = {.off_cpu = off_cpu};

	off_cpu_settle(off_cpu, lost->time_ns);
	node_hash_walk(&off_cpu->waits, count_sure, &settling);
	if (lost->nr_records && settling.nr_sure)
		lost_tell(off_cpu, lost->time_ns, OPROF_LOST_KERNEL_RING, settling.nr_sure);
	off_cpu->comes = false;
	off_cpu->nr_losses++;
	off_cpu->resumed_ns = 0;
	off_cpu->nr_cpus_resumed = 0;
}

/* A program that is gone for good: nothing of it runs any more. */
static void image_released(struct off_cpu *off_cpu, uint32_t image)
{
	struct settling settling = {.off_cpu = off_cpu, .app_image = image};

	node_hash_walk(&off_cpu->waits, drop_one, &settling);
	if (settling.nr_dropped)
		lost_tell(off_cpu, 0, OPROF_LOST_NO_TASK, settling.nr_dropped);
	/* The context of records on their way to next must not name it. */
	if (off_cpu->task.app_image == image)
		off_cpu->task.head.type = OPROF_RECORD_PAD;
}

/* ---- records ---- */

/* Room for this CPU. False: it cannot be known of; nothing is sure then after a loss. */
static bool cpu_room(struct off_cpu *off_cpu, uint32_t cpu)
{
	uint32_t nr = (cpu | 63) + 1;
	uint64_t *bigger;

	if (cpu < off_cpu->nr_cpus)
		return true;
	if (cpu >= CPUS_MAX)
		return false;
	bigger = reallocarray(off_cpu->cpu_losses, nr, sizeof(*bigger));
	if (!bigger)
		return false;
	memset(bigger + off_cpu->nr_cpus, 0, (nr - off_cpu->nr_cpus) * sizeof(*bigger));
	off_cpu->cpu_losses = bigger;
	off_cpu->nr_cpus = nr;
	return true;
}

/* A CPU tells a switch: who ran on it is known. */
static void cpu_resume(struct off_cpu *off_cpu, uint32_t cpu, uint64_t time_ns)
{
	if (!off_cpu->resumed_ns)
		off_cpu->resumed_ns = time_ns;
	if (!cpu_room(off_cpu, cpu)) {
		off_cpu->nr_cpus_seen = UINT32_MAX;
		return;
	}
	if (off_cpu->cpu_losses[cpu] == off_cpu->nr_losses + 1)
		return;
	if (!off_cpu->cpu_losses[cpu] && off_cpu->nr_cpus_seen != UINT32_MAX)
		off_cpu->nr_cpus_seen++;
	off_cpu->cpu_losses[cpu] = off_cpu->nr_losses + 1;
	off_cpu->nr_cpus_resumed++;
}

static void on_switch(struct off_cpu *off_cpu, const struct oprof_switch *record)
{
	cpu_resume(off_cpu, off_cpu->cpu.cpu, record->time_ns);
	if (off_cpu->task.head.type && off_cpu->task.tgid > 0)
		wait_begin(off_cpu, record);
	off_cpu->comes = true;
	off_cpu->switch_ns = record->time_ns;
}

static void on_task(struct off_cpu *off_cpu, const struct oprof_task *task)
{
	off_cpu->task = *task;
	if (off_cpu->comes && task->tgid > 0)
		wait_end(off_cpu, off_cpu->switch_ns);
	off_cpu->comes = false;
}

static bool record_is_whole(const struct oprof_record *record)
{
	switch (record->type) {
	case OPROF_RECORD_TASK:
		return record->size_bytes >= sizeof(struct oprof_task);
	case OPROF_RECORD_CPU:
		return record->size_bytes >= sizeof(struct oprof_cpu);
	case OPROF_RECORD_SWITCH:
		return record->size_bytes >= sizeof(struct oprof_switch);
	case OPROF_RECORD_SWITCHES_LOST:
		return record->size_bytes >= sizeof(struct oprof_switches_lost);
	case OPROF_RECORD_RELEASE:
		return record->size_bytes >= sizeof(struct oprof_release);
	default:
		return false; /* none of ours */
	}
}

static void off_cpu_record(struct record_sink *sink, const struct oprof_record *record)
{
	struct off_cpu *off_cpu = (struct off_cpu *)sink;

	if (!record_is_whole(record)) {
		hand_on(off_cpu, record);
		return;
	}
	switch (record->type) {
	case OPROF_RECORD_TASK:
		on_task(off_cpu, (const struct oprof_task *)record);
		return;
	case OPROF_RECORD_CPU:
		off_cpu->cpu = *(const struct oprof_cpu *)record;
		return;
	case OPROF_RECORD_SWITCH:
		on_switch(off_cpu, (const struct oprof_switch *)record);
		return;
	case OPROF_RECORD_SWITCHES_LOST:
		switches_lost(off_cpu, (const struct oprof_switches_lost *)record);
		return;
	default: /* OPROF_RECORD_RELEASE */
		image_released(off_cpu, ((const struct oprof_release *)record)->image);
		off_cpu->next->record(off_cpu->next, record);
		return;
	}
}

/* Also another user's, or one that may not be signalled. */
static bool task_lives(int32_t tgid, int32_t tid)
{
	return !tgkill(tgid, tid, 0) || errno != ESRCH;
}

int off_cpu_init(struct off_cpu *off_cpu, struct record_sink *next, uint16_t event)
{
	*off_cpu = (struct off_cpu){.sink = {.record = off_cpu_record},
				    .next = next,
				    .event = event,
				    .lives = task_lives};
	return node_hash_init(&off_cpu->waits);
}

void off_cpu_deinit(struct off_cpu *off_cpu)
{
	struct settling settling = {.off_cpu = off_cpu};

	if (!off_cpu->waits.buckets)
		return;
	node_hash_walk(&off_cpu->waits, drop_one, &settling);
	while (off_cpu->spare) {
		struct off_cpu_wait *wait = off_cpu->spare;

		off_cpu->spare = wait->next_spare;
		free(wait);
	}
	node_hash_deinit(&off_cpu->waits);
	free(off_cpu->cpu_losses);
}
