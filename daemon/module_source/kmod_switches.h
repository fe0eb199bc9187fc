/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches of all CPUs, brought into the order of their times. The kernel
 * module tells those of one CPU in order, but goes from CPU to CPU: a task's
 * coming to one may be told before its leaving another. So they wait here
 * until it is certain that nothing older comes.
 */
#ifndef DAEMON_KMOD_SWITCHES_H
#define DAEMON_KMOD_SWITCHES_H

#include "daemon/image/image.h"
#include "daemon/image/record_writer.h"

/* A task as records tell it, with a reference on its program, so that it keeps its cookie. */
struct kmod_task {
	struct oprof_task told;	 /* app_image: ours */
	struct image_entry *app; /* NULL: none, or not known */
};

/* *to is another reference of its own to what *from is; what it was is let go. */
void kmod_task_copy(struct kmod_task *to, const struct kmod_task *from);
void kmod_task_clear(struct kmod_task *task);

struct kmod_switch {
	uint64_t time_ns;
	uint64_t number; /* in which it came: keeps the order of one CPU's at one time */
	bool lost;	 /* no switch: from here on some were not told */
	uint32_t cpu, state;
	uint64_t nr_records; /* lost */
	struct kmod_task from, to;
};

struct kmod_switches {
	struct kmod_switch *all;
	size_t nr, room;
	uint64_t last_number;
	uint64_t told_ns;		       /* all up to here are out */
	uint64_t ignore_from_ns, ignore_to_ns; /* those of this time are not told; to 0: none */
	uint64_t nr_late;		       /* came behind newer ones that were out */
	uint64_t nr_no_memory;
};

void kmod_switches_init(struct kmod_switches *switches);
void kmod_switches_deinit(struct kmod_switches *switches);

/* References are copied. Without memory it becomes a loss. */
void kmod_switches_add(struct kmod_switches *switches, const struct kmod_switch *item);
void kmod_switches_lose(struct kmod_switches *switches, uint64_t time_ns, uint64_t nr_records);

/* Some CPUs told of this time, others did not: tell nothing of it but that. */
void kmod_switches_ignore(struct kmod_switches *switches, uint64_t from_ns, uint64_t to_ns);

/* Nothing older than until_ns comes any more: tell what is. */
void kmod_switches_tell(struct kmod_switches *switches, struct record_writer *writer,
			uint64_t until_ns);

#endif
