/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the switches of all CPUs by time. The kernel module reports the switches of each CPU in
 * order, but one CPU after another: if a task leaves one CPU and then gets another, the second
 * switch may be reported before the first. Switches therefore wait here until no older ones can
 * come.
 */
#ifndef DAEMON_KMOD_SWITCHES_H
#define DAEMON_KMOD_SWITCHES_H

#include "daemon/image/image.h"
#include "daemon/image/record_writer.h"

/* A task as in records. The reference on its program keeps the cookie valid. */
struct kmod_task {
	struct oprof_task told;	 /* app_image is the daemon's cookie */
	struct image_entry *app; /* program of the task; NULL: none, or unknown */
};

/*
 * Copies *from to *to, takes a reference on the program of *from, and releases the reference that
 * *to had.
 */
void kmod_task_copy(struct kmod_task *to, const struct kmod_task *from);
void kmod_task_clear(struct kmod_task *task);

struct kmod_switch {
	uint64_t time_ns;
	uint64_t number;       /* sequence number, which orders switches of equal time */
	bool lost;	       /* the element is not a switch, but marks the beginning of a loss */
	uint64_t ignore_to_ns; /* if lost: ignore switches up to this time; 0: ignore none */
	uint32_t cpu, state;
	uint64_t nr_records; /* if lost: number of lost switches */
	struct kmod_task from, to;
};

struct kmod_switches {
	struct kmod_switch *all;
	size_t nr, room;
	uint64_t last_number;
	uint64_t told_ns; /* switches older than this have been reported */
	/*
	 * Switches in this time range are not reported. Later ranges still wait in the queue; when
	 * the reports reach the beginning of the next range, it replaces this one. ignore_to_ns 0:
	 * no range.
	 */
	uint64_t ignore_from_ns, ignore_to_ns;
	uint64_t nr_late; /* switches that arrived after newer ones had been reported */
	uint64_t nr_no_memory;
};

void kmod_switches_init(struct kmod_switches *switches);
void kmod_switches_deinit(struct kmod_switches *switches);

/*
 * Copies item and takes references on its programs. If out of memory, the switch is counted as
 * lost.
 */
void kmod_switches_add(struct kmod_switches *switches, const struct kmod_switch *item);
void kmod_switches_lose(struct kmod_switches *switches, uint64_t time_ns, uint64_t nr_records);

/*
 * Call for a time range in which only some CPUs recorded switches. The sink then gets a loss
 * instead of the switches in the range. Earlier ranges that have not been reported yet remain
 * valid.
 */
void kmod_switches_ignore(struct kmod_switches *switches, uint64_t from_ns, uint64_t to_ns);

/*
 * Call when no more switches older than until_ns can come: reports all waiting switches that are
 * older.
 */
void kmod_switches_tell(struct kmod_switches *switches, struct record_writer *writer,
			uint64_t until_ns);

#endif
