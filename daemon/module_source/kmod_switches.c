// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/module_source/kmod_switches.h"

#include "lib/array.h"

#include <stdlib.h>
#include <string.h>

/* Limit of the queue: more switches than the busiest machine makes in a second. */
#define WAITING_MAX (1u << 20)

void kmod_task_copy(struct kmod_task *to, const struct kmod_task *from)
{
	struct image_entry *before = to->app;

	*to = *from;
	if (to->app)
		image_get(to->app);
	image_put(before);
}

void kmod_task_clear(struct kmod_task *task)
{
	image_put(task->app);
	memset(task, 0, sizeof(*task));
}

void kmod_switches_init(struct kmod_switches *switches)
{
	*switches = (struct kmod_switches){.nr = 0};
}

static void clear(struct kmod_switch *item)
{
	kmod_task_clear(&item->from);
	kmod_task_clear(&item->to);
}

void kmod_switches_deinit(struct kmod_switches *switches)
{
	for (size_t i = 0; i < switches->nr; i++)
		clear(&switches->all[i]);
	free(switches->all);
	kmod_switches_init(switches);
}

/*
 * Appends an element, with all fields zero except its number. Returns NULL if out of memory, or if
 * too many elements wait.
 */
static struct kmod_switch *append(struct kmod_switches *switches)
{
	struct kmod_switch *item;

	if (switches->nr == WAITING_MAX ||
	    array_reserve(&switches->all, &switches->room, switches->nr, 1))
		return NULL;
	item = &switches->all[switches->nr++];
	memset(item, 0, sizeof(*item));
	item->number = ++switches->last_number;
	return item;
}

/*
 * Returns an element of the queue for a loss. If out of memory, reuses the newest element, or
 * returns NULL if the queue is empty.
 */
static struct kmod_switch *lose(struct kmod_switches *switches, uint64_t time_ns,
				uint64_t nr_records)
{
	struct kmod_switch *item = append(switches);

	if (!item && switches->nr) { /* reuse the newest element */
		item = &switches->all[switches->nr - 1];
		nr_records += item->lost ? item->nr_records : 1;
		if (item->time_ns < time_ns)
			time_ns = item->time_ns;
		clear(item);
	}
	if (!item) {
		switches->nr_no_memory++;
		return NULL;
	}
	item->lost = true;
	item->time_ns = time_ns;
	item->nr_records = nr_records;
	return item;
}

void kmod_switches_lose(struct kmod_switches *switches, uint64_t time_ns, uint64_t nr_records)
{
	(void)lose(switches, time_ns, nr_records);
}

void kmod_switches_add(struct kmod_switches *switches, const struct kmod_switch *item)
{
	struct kmod_switch *added;

	if (item->time_ns < switches->told_ns)
		switches->nr_late++;
	added = append(switches);
	if (!added) {
		switches->nr_no_memory++;
		kmod_switches_lose(switches, item->time_ns, 1);
		return;
	}
	added->time_ns = item->time_ns;
	added->cpu = item->cpu;
	added->state = item->state;
	kmod_task_copy(&added->from, &item->from);
	kmod_task_copy(&added->to, &item->to);
}

static void ignore(struct kmod_switches *switches, uint64_t from_ns, uint64_t to_ns)
{
	switches->ignore_from_ns = from_ns;
	switches->ignore_to_ns = to_ns;
}

void kmod_switches_ignore(struct kmod_switches *switches, uint64_t from_ns, uint64_t to_ns)
{
	struct kmod_switch *item = lose(switches, from_ns, 0);

	if (!item) /* out of memory, and no switch waits */
		ignore(switches, from_ns, to_ns);
	else if (to_ns > item->ignore_to_ns)
		item->ignore_to_ns = to_ns;
}

static int compare(const void *a, const void *b)
{
	const struct kmod_switch *one = a;
	const struct kmod_switch *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static bool is_ignored(const struct kmod_switches *switches, uint64_t time_ns)
{
	return time_ns >= switches->ignore_from_ns && time_ns < switches->ignore_to_ns;
}

static void tell(struct kmod_switches *switches, struct record_writer *writer,
		 const struct kmod_switch *item)
{
	if (item->ignore_to_ns)
		ignore(switches, item->time_ns, item->ignore_to_ns);
	if (item->lost)
		record_writer_switches_lost(writer, item->time_ns, item->nr_records);
	else if (!is_ignored(switches, item->time_ns))
		record_writer_switch(writer, item->time_ns, item->cpu, &item->from.told,
				     item->state, &item->to.told);
}

void kmod_switches_tell(struct kmod_switches *switches, struct record_writer *writer,
			uint64_t until_ns)
{
	size_t nr = 0;

	if (!switches->nr)
		return;
	qsort(switches->all, switches->nr, sizeof(*switches->all), compare);
	while (nr < switches->nr && switches->all[nr].time_ns < until_ns) {
		tell(switches, writer, &switches->all[nr]);
		clear(&switches->all[nr++]);
	}
	switches->nr -= nr;
	memmove(switches->all, switches->all + nr, switches->nr * sizeof(*switches->all));
	if (until_ns > switches->told_ns && until_ns != UINT64_MAX)
		switches->told_ns = until_ns;
}
