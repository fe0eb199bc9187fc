// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TASK and CPU records set the context of later records. A switch is two records: a SWITCH, whose
 * context is the task that leaves the CPU, and then a TASK, which names the task that gets the CPU.
 *
 *	SWITCH			the stretch of the task that leaves the CPU begins
 *	TASK after SWITCH	the stretch of the task that gets the CPU ends: report it
 *	off_cpu_settle()	report the elapsed parts of all stretches, which then continue
 *	SWITCHES_LOST		settle up to the loss; then all stretches are unsure
 *	RELEASE			the program's tasks are dead: their stretches are lost
 *
 * A task that was off CPU when switches were lost may have run since then without a record. The
 * first SWITCH after the loss is the loss's end: from this time, all switches are recorded again.
 * If a task has not left a CPU since the loss's end, and is not on a CPU now, it has been off CPU
 * since the loss's end. For a task that has not left a CPU, there are two proofs that it is not on
 * a CPU:
 *
 * - the task gets a CPU, so it was not on a CPU until now; or
 * - every CPU has had a switch since the loss's end, so all tasks that were on a CPU at the loss's
 *   end have left it. The task must also still exist, since it may have ended without a record.
 *
 * After either proof, the task's stretch is sure again and continues from the loss's end.
 */
#include "daemon/filing/off_cpu.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More CPUs than any kernel supports. */
#define CPUS_MAX 65536

/* A time interval in which a task is off CPU. */
struct off_cpu_stretch {
	struct node node;
	struct oprof_task task;
	uint64_t since_ns; /* the stretch has been reported up to this time */
	uint64_t loss;	   /* number of the last loss after which the task is known to be off CPU */
	uint32_t cpu;	   /* the CPU that the task left */
	uint32_t state;	   /* enum oprof_off_cpu */
	struct off_cpu_stretch *next_spare;
};

/* ---- records for the next sink ---- */

static bool task_is_same(const struct oprof_task *a, const struct oprof_task *b)
{
	return a->head.type == b->head.type && a->tid == b->tid && a->generation == b->generation &&
	       a->tgid == b->tgid && a->app_image == b->app_image && a->cgroup == b->cgroup;
}

/* Sends task and cpu as the context of the next record, unless the next sink has this context. */
static void send_context(struct off_cpu *off_cpu, const struct oprof_task *task, uint32_t cpu)
{
	struct oprof_cpu *next_cpu = &off_cpu->next_cpu;

	if (!next_cpu->head.type || next_cpu->cpu != cpu) {
		next_cpu->head = (struct oprof_record){.type = OPROF_RECORD_CPU,
						       .size_bytes = sizeof(*next_cpu)};
		next_cpu->cpu = cpu;
		off_cpu->next->record(off_cpu->next, &next_cpu->head);
	}
	if (task->head.type && !task_is_same(task, &off_cpu->next_task)) {
		off_cpu->next_task = *task;
		off_cpu->next->record(off_cpu->next, &off_cpu->next_task.head);
	}
}

/*
 * Sends a record to the next sink. If the sink has another context, first sends the source's
 * context.
 */
static void pass_on(struct off_cpu *off_cpu, const struct oprof_record *record)
{
	send_context(off_cpu, &off_cpu->task, off_cpu->cpu.cpu);
	off_cpu->next->record(off_cpu->next, record);
}

static void send_lost(struct off_cpu *off_cpu, uint64_t time_ns, enum oprof_lost reason,
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
	pass_on(off_cpu, &lost.head);
}

static void send_sample(struct off_cpu *off_cpu, const struct off_cpu_stretch *stretch,
			uint64_t until_ns)
{
	struct oprof_sample sample = {
		.head = {.type = OPROF_RECORD_SAMPLE, .size_bytes = sizeof(sample)},
		.time_ns = until_ns,
		.weight = until_ns - stretch->since_ns,
		.event = off_cpu->event,
		.mode = OPROF_MODE_OFF_CPU,
		.leaf = {.image = OPROF_IMAGE_COOKIE_OFF_CPU,
			 .mode = OPROF_MODE_OFF_CPU,
			 .offset = stretch->state},
	};

	off_cpu->nr_seen++;
	send_context(off_cpu, &stretch->task, stretch->cpu);
	off_cpu->next->record(off_cpu->next, &sample.head);
}

/* ---- losses of switches ---- */

static void loss_begin(struct off_cpu_loss *loss)
{
	loss->nr++;
	loss->resumed_ns = 0;
	loss->nr_resumed = 0;
}

/* Returns whether all tasks that were on a CPU at the loss's end have left it since. */
static bool loss_is_over(const struct off_cpu_loss *loss)
{
	return loss->resumed_ns && loss->nr_resumed == loss->nr_seen && !loss->overflow;
}

static bool loss_room(struct off_cpu_loss *loss, uint32_t cpu)
{
	uint32_t nr = (cpu | 63) + 1;
	uint64_t *bigger;

	if (cpu < loss->nr_cpus)
		return true;
	if (cpu >= CPUS_MAX)
		return false;
	bigger = reallocarray(loss->cpus, nr, sizeof(*bigger));
	if (!bigger)
		return false;
	memset(bigger + loss->nr_cpus, 0, (nr - loss->nr_cpus) * sizeof(*bigger));
	loss->cpus = bigger;
	loss->nr_cpus = nr;
	return true;
}

/* Notes that a switch on `cpu` was recorded, so that the CPU's current task is known again. */
static void loss_resume(struct off_cpu_loss *loss, uint32_t cpu, uint64_t time_ns)
{
	if (!loss->resumed_ns)
		loss->resumed_ns = time_ns;
	if (!loss_room(loss, cpu)) {
		loss->overflow = true;
		return;
	}
	if (loss->cpus[cpu] == loss->nr + 1)
		return;
	if (!loss->cpus[cpu])
		loss->nr_seen++;
	loss->cpus[cpu] = loss->nr + 1;
	loss->nr_resumed++;
}

/* ---- stretches ---- */

static uint64_t stretch_hash(int32_t tid)
{
	return hash_number((uint32_t)tid);
}

static struct off_cpu_stretch *stretch_find(const struct off_cpu *off_cpu, int32_t tid)
{
	struct node *node = node_hash_first(&off_cpu->stretches, stretch_hash(tid));

	for (; node; node = node_hash_next(node)) {
		struct off_cpu_stretch *stretch = node_owner(node, struct off_cpu_stretch, node);

		if (stretch->task.tid == tid)
			return stretch;
	}
	return NULL;
}

/* Returns NULL if out of memory, or if there are too many stretches. */
static struct off_cpu_stretch *stretch_create(struct off_cpu *off_cpu)
{
	struct off_cpu_stretch *stretch = off_cpu->spare;

	if (stretch) {
		off_cpu->spare = stretch->next_spare;
		return stretch;
	}
	if (off_cpu->stretches.nr_nodes >= OFF_CPU_TASKS_MAX)
		return NULL;
	return malloc(sizeof(*stretch));
}

static void stretch_destroy(struct off_cpu *off_cpu, struct off_cpu_stretch *stretch)
{
	node_hash_remove(&off_cpu->stretches, &stretch->node);
	stretch->next_spare = off_cpu->spare;
	off_cpu->spare = stretch;
}

static bool stretch_is_sure(const struct off_cpu *off_cpu, const struct off_cpu_stretch *stretch)
{
	return stretch->loss == off_cpu->loss.nr;
}

/*
 * Call when it is proved that the task has not run since the end of the last loss. The stretch
 * continues from the loss's end or from the last settling, whichever is later. Otherwise a proof
 * that takes hours would make one sample of hours.
 */
static void stretch_make_sure(const struct off_cpu *off_cpu, struct off_cpu_stretch *stretch)
{
	uint64_t resumed_ns = off_cpu->loss.resumed_ns;

	stretch->loss = off_cpu->loss.nr;
	stretch->since_ns = resumed_ns > off_cpu->settled_ns ? resumed_ns : off_cpu->settled_ns;
}

/* Begins a stretch of the current task, which leaves its CPU. */
static void stretch_begin(struct off_cpu *off_cpu, const struct oprof_switch *record)
{
	const struct oprof_task *task = &off_cpu->task;
	struct off_cpu_stretch *stretch = stretch_find(off_cpu, task->tid);

	if (stretch) { /* the task got a CPU at an unknown time: its switch was not recorded */
		/* An unsure stretch was already counted when switches were lost. */
		if (stretch_is_sure(off_cpu, stretch))
			send_lost(off_cpu, record->time_ns, OPROF_LOST_NO_TASK, 1);
		stretch_destroy(off_cpu, stretch);
	}
	stretch = stretch_create(off_cpu);
	if (!stretch) {
		send_lost(off_cpu, record->time_ns, OPROF_LOST_MEMORY, 1);
		return;
	}
	*stretch = (struct off_cpu_stretch){
		.task = *task,
		.since_ns = record->time_ns,
		.loss = off_cpu->loss.nr,
		.cpu = off_cpu->cpu.cpu,
		.state = record->state == OPROF_OFF_CPU_PREEMPTED ? OPROF_OFF_CPU_PREEMPTED
								  : OPROF_OFF_CPU_WAITING,
	};
	node_hash_add(&off_cpu->stretches, &stretch->node, stretch_hash(task->tid));
}

/*
 * Ends the stretch of the current task, which gets its CPU. The task has no stretch if no record
 * showed that it left a CPU.
 */
static void stretch_end(struct off_cpu *off_cpu, uint64_t time_ns)
{
	struct off_cpu_stretch *stretch = stretch_find(off_cpu, off_cpu->task.tid);

	if (!stretch)
		return;
	if (!stretch_is_sure(off_cpu, stretch))
		stretch_make_sure(off_cpu, stretch);
	/* The tid now belongs to another task, or the clock went backwards. */
	if (stretch->task.generation != off_cpu->task.generation || time_ns < stretch->since_ns)
		send_lost(off_cpu, time_ns, OPROF_LOST_NO_TASK, 1);
	else if (time_ns > stretch->since_ns)
		send_sample(off_cpu, stretch, time_ns);
	stretch_destroy(off_cpu, stretch);
}

/* ---- all stretches ---- */

struct settling {
	struct off_cpu *off_cpu;
	uint64_t until_ns;
};

static void settle_one(struct node *node, void *context)
{
	struct off_cpu_stretch *stretch = node_owner(node, struct off_cpu_stretch, node);
	const struct settling *settling = context;
	struct off_cpu *off_cpu = settling->off_cpu;

	if (!stretch_is_sure(off_cpu, stretch)) {
		if (!loss_is_over(&off_cpu->loss))
			return;
		if (!off_cpu->lives(stretch->task.tgid, stretch->task.tid)) {
			stretch_destroy(off_cpu, stretch);
			return;
		}
		stretch_make_sure(off_cpu, stretch);
	}
	if (stretch->since_ns >= settling->until_ns)
		return;
	send_sample(off_cpu, stretch, settling->until_ns);
	stretch->since_ns = settling->until_ns;
}

void off_cpu_settle(struct off_cpu *off_cpu, uint64_t until_ns)
{
	struct settling settling = {.off_cpu = off_cpu, .until_ns = until_ns};

	node_hash_walk(&off_cpu->stretches, settle_one, &settling);
	if (until_ns > off_cpu->settled_ns)
		off_cpu->settled_ns = until_ns;
}

struct sure_count {
	const struct off_cpu *off_cpu;
	uint64_t nr;
};

static void count_one(struct node *node, void *context)
{
	struct sure_count *count = context;

	count->nr +=
		stretch_is_sure(count->off_cpu, node_owner(node, struct off_cpu_stretch, node));
}

struct giving_up {
	struct off_cpu *off_cpu;
	uint32_t app_image;
	uint64_t nr;
};

static void give_up_one(struct node *node, void *context)
{
	struct off_cpu_stretch *stretch = node_owner(node, struct off_cpu_stretch, node);
	struct giving_up *giving_up = context;

	if (stretch->task.app_image != giving_up->app_image)
		return;
	giving_up->nr++;
	stretch_destroy(giving_up->off_cpu, stretch);
}

/* ---- records of the source ---- */

static void on_switch(struct off_cpu *off_cpu, const struct oprof_switch *record)
{
	loss_resume(&off_cpu->loss, off_cpu->cpu.cpu, record->time_ns);
	if (off_cpu->task.head.type && off_cpu->task.tgid > 0)
		stretch_begin(off_cpu, record);
	off_cpu->switching = true;
	off_cpu->switch_ns = record->time_ns;
}

static void on_task(struct off_cpu *off_cpu, const struct oprof_task *task)
{
	off_cpu->task = *task;
	if (off_cpu->switching && task->tgid > 0)
		stretch_end(off_cpu, off_cpu->switch_ns);
	off_cpu->switching = false;
}

/*
 * Reports all stretches up to the loss. Then counts each sure stretch as one lost sample, for the
 * part of the stretch after the loss.
 */
static void on_switches_lost(struct off_cpu *off_cpu, const struct oprof_switches_lost *lost)
{
	struct sure_count sure = {.off_cpu = off_cpu};

	off_cpu_settle(off_cpu, lost->time_ns);
	node_hash_walk(&off_cpu->stretches, count_one, &sure);
	if (lost->nr_records && sure.nr)
		send_lost(off_cpu, lost->time_ns, OPROF_LOST_KERNEL_RING, sure.nr);
	off_cpu->switching = false;
	loss_begin(&off_cpu->loss);
}

/* The image's cookie is invalid after this record: no stretch and no context may contain it. */
static void on_release(struct off_cpu *off_cpu, const struct oprof_release *release)
{
	struct giving_up giving_up = {.off_cpu = off_cpu, .app_image = release->image};

	node_hash_walk(&off_cpu->stretches, give_up_one, &giving_up);
	if (giving_up.nr)
		send_lost(off_cpu, 0, OPROF_LOST_NO_TASK, giving_up.nr);
	if (off_cpu->task.app_image == release->image)
		off_cpu->task.head.type = OPROF_RECORD_PAD;
	off_cpu->next->record(off_cpu->next, &release->head);
}

/* Returns whether off_cpu_record handles this type, and the record is as long as the type needs. */
static bool record_is_ours(const struct oprof_record *record)
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
		return false;
	}
}

static void off_cpu_record(struct record_sink *sink, const struct oprof_record *record)
{
	struct off_cpu *off_cpu = (struct off_cpu *)sink;

	if (!record_is_ours(record)) {
		pass_on(off_cpu, record);
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
		on_switches_lost(off_cpu, (const struct oprof_switches_lost *)record);
		return;
	default: /* OPROF_RECORD_RELEASE */
		on_release(off_cpu, (const struct oprof_release *)record);
		return;
	}
}

/* Also returns true for a task of another user, which this process may not signal. */
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
	return node_hash_init(&off_cpu->stretches);
}

void off_cpu_deinit(struct off_cpu *off_cpu)
{
	struct node *node;

	if (!off_cpu->stretches.buckets)
		return;
	while ((node = node_hash_any(&off_cpu->stretches)))
		stretch_destroy(off_cpu, node_owner(node, struct off_cpu_stretch, node));
	while (off_cpu->spare) {
		struct off_cpu_stretch *stretch = off_cpu->spare;

		off_cpu->spare = stretch->next_spare;
		free(stretch);
	}
	node_hash_deinit(&off_cpu->stretches);
	free(off_cpu->loss.cpus);
}
