// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/trace/trace_threads.h"

#include "lib/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 1024u

int threads_init(struct threads *threads, uint64_t begin)
{
	*threads = (struct threads){.begin = begin,
				    .nr_slots = SLOTS_FIRST,
				    .slots = calloc(SLOTS_FIRST, sizeof(*threads->slots))};
	return threads->slots ? 0 : -ENOMEM;
}

void threads_deinit(struct threads *threads)
{
	for (size_t i = 0; i < threads->nr; i++)
		trace_distribution_deinit(&threads->threads[i].told.wakeups);
	free(threads->threads);
	free(threads->slots);
	*threads = (struct threads){0};
}

static void begin_thread(struct thread *thread, uint64_t begin)
{
	struct trace_thread *told = &thread->told;

	trace_distribution_deinit(&told->wakeups);
	memset(told->ns, 0, sizeof(told->ns));
	told->nr_switches = told->nr_syscalls = told->nr_errors = told->nr_wakeups = 0;
	told->is_before = told->has_ended;
	told->is_seen = false;
	told->is_chosen = thread->is_chosen;
	if (thread->since < begin)
		thread->since = begin;
}

void threads_begin(struct threads *threads, uint64_t begin)
{
	threads->begin = begin;
	for (size_t i = 0; i < threads->nr; i++)
		begin_thread(&threads->threads[i], begin);
}

static size_t slot_of(const struct threads *threads, int32_t tid)
{
	size_t slot = ((uint32_t)tid * 2654435761u) & (threads->nr_slots - 1);

	while (threads->slots[slot] && threads->threads[threads->slots[slot] - 1].told.tid != tid)
		slot = (slot + 1) & (threads->nr_slots - 1);
	return slot;
}

static int grow_slots(struct threads *threads)
{
	uint32_t *before = threads->slots;
	const size_t nr_before = threads->nr_slots;
	const size_t nr = nr_before ? 2 * nr_before : SLOTS_FIRST;
	uint32_t *bigger = calloc(nr, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	threads->slots = bigger;
	threads->nr_slots = nr;
	for (size_t i = 0; i < nr_before; i++)
		if (before[i])
			bigger[slot_of(threads, threads->threads[before[i] - 1].told.tid)] =
				before[i];
	free(before);
	return 0;
}

static void choose(const struct threads *threads, struct thread *thread)
{
	thread->is_chosen =
		!threads->chooser || threads->chooser(threads->chooser_context, thread->told.pid,
						      thread->told.tid, thread->told.name);
	thread->told.is_chosen |= thread->is_chosen;
}

uint32_t threads_add(struct threads *threads, int32_t tid, enum thread_state state, uint64_t since)
{
	struct thread *thread;

	if (array_reserve(&threads->threads, &threads->room, threads->nr, 1) ||
	    (2 * threads->nr >= threads->nr_slots && grow_slots(threads)))
		return THREAD_NONE;
	thread = &threads->threads[threads->nr];
	*thread = (struct thread){
		.told = {.tid = tid, .pid = -1, .process = TRACE_NO_PROCESS},
		.waits = state,
		.since = since,
		.call = CALL_NONE,
	};
	choose(threads, thread);
	threads->slots[slot_of(threads, tid)] = (uint32_t)++threads->nr;
	return (uint32_t)(threads->nr - 1);
}

uint32_t threads_living(const struct threads *threads, int32_t tid)
{
	const uint32_t found = threads->slots[slot_of(threads, tid)];

	return found && !threads->threads[found - 1].told.has_ended ? found - 1 : THREAD_NONE;
}

uint32_t threads_find(struct threads *threads, int32_t tid)
{
	const uint32_t found = threads->slots[slot_of(threads, tid)];
	const uint32_t living = threads_living(threads, tid);

	if (living != THREAD_NONE)
		return living;
	return threads_add(threads, tid, THREAD_UNKNOWN,
			   found ? threads->threads[found - 1].since : threads->begin);
}

void threads_name(struct threads *threads, uint32_t index, const uint8_t *name, uint32_t nr_bytes)
{
	struct thread *thread = &threads->threads[index];
	char *told = thread->told.name;
	const size_t room = sizeof(thread->told.name) - 1;

	if (nr_bytes > room)
		nr_bytes = (uint32_t)room;
	if (!told[nr_bytes] && !memcmp(told, name, nr_bytes))
		return;
	memcpy(told, name, nr_bytes);
	told[nr_bytes] = '\0';
	if (threads->chooser)
		choose(threads, thread);
}

void threads_set_process(struct threads *threads, uint32_t index, uint32_t first)
{
	struct thread *thread = &threads->threads[index];

	thread->told.process = first;
	thread->told.pid = threads->threads[first].told.tid;
	if (threads->chooser)
		choose(threads, thread);
}
