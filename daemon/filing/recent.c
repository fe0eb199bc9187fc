// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/recent.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct recent_entry *entry_at(struct recent *recent, uint64_t position)
{
	return &recent->entries[position % RECENT_ENTRIES_MAX];
}

static struct recent_mark *mark_at(const struct recent *recent, uint64_t number)
{
	return &recent->marks[number % RECENT_MARKS_MAX];
}

/* Returns the last mark. Entries before it are final. NULL: there are no marks. */
static const struct recent_mark *last_mark(const struct recent *recent)
{
	return recent->mark_head == recent->mark_tail ? NULL
						      : mark_at(recent, recent->mark_head - 1);
}

static void drop_entry(struct recent *recent)
{
	recent_keys_put(&recent->keys, recent_entry(recent, recent->tail)->key);
	recent->tail++;
}

/* Drops the oldest entry, and the marks that were set before it. */
static void drop_oldest(struct recent *recent)
{
	drop_entry(recent);
	while (recent->mark_tail != recent->mark_head &&
	       mark_at(recent, recent->mark_tail)->position < recent->tail)
		recent->mark_tail++;
}

/* Drops the samples before the oldest mark: no report can begin earlier. */
static void drop_unmarked(struct recent *recent)
{
	uint64_t first = recent->mark_tail == recent->mark_head
				 ? recent->head
				 : mark_at(recent, recent->mark_tail)->position;

	while (recent->tail < first)
		drop_entry(recent);
}

/*
 * Counts one more entry with key and returns the key's index, or -errno. Drops old entries if
 * necessary.
 */
static int64_t intern(struct recent *recent, const struct recent_key *key)
{
	int64_t index = recent_keys_get(&recent->keys, key);

	while (index == -ENOSPC && recent->tail != recent->head) {
		drop_oldest(recent);
		index = recent_keys_get(&recent->keys, key);
	}
	return index;
}

/*
 * Returns the entry at position if it has this key and offset, and samples can be added to it.
 * Otherwise returns NULL.
 */
static struct recent_entry *find_entry(struct recent *recent, uint64_t position, int64_t index,
				       uint64_t offset)
{
	const struct recent_mark *mark = last_mark(recent);
	struct recent_entry *entry = entry_at(recent, position);

	if (position < recent->tail || position >= recent->head ||
	    (mark && position < mark->position))
		return NULL;
	if (entry->key != index || entry->offset != offset || entry->nr_samples == UINT32_MAX)
		return NULL;
	return entry;
}

void recent_add(struct recent *recent, const struct recent_key *key, uint64_t offset,
		uint64_t weight, uint64_t time_ns)
{
	int64_t index = intern(recent, key);
	struct recent_entry *entry;
	uint64_t *last;

	if (index < 0) { /* out of memory: drop all, so that later samples are complete again */
		recent_clear(recent);
		return;
	}
	if (time_ns > recent->newest_ns)
		recent->newest_ns = time_ns;
	last = &recent->last_added[hash_number(offset ^ (uint64_t)index << 40) &
				   (RECENT_LAST_ADDED - 1)];
	entry = find_entry(recent, *last, index, offset);
	if (entry) {
		recent_keys_put(&recent->keys, (uint32_t)index);
		entry->nr_samples++;
		entry->weight += weight;
		return;
	}
	if (recent->head - recent->tail == RECENT_ENTRIES_MAX)
		drop_oldest(recent);
	*last = recent->head;
	*entry_at(recent, recent->head++) =
		(struct recent_entry){offset, weight, (uint32_t)index, 1};
}

void recent_release(struct recent *recent, const struct image *image)
{
	if (recent_keys_release(&recent->keys, image))
		recent_clear(recent);
}

void recent_mark(struct recent *recent, uint64_t drained_ns, const struct stats *stats)
{
	const struct recent_mark *last = last_mark(recent);
	struct recent_mark *mark;

	if (drained_ns > recent->drained_ns)
		recent->drained_ns = drained_ns;
	if (recent->newest_ns > recent->drained_ns)
		recent->drained_ns = recent->newest_ns;
	if (last && recent->drained_ns - last->time_ns < RECENT_MARK_NS)
		return;
	if (recent->mark_head - recent->mark_tail == RECENT_MARKS_MAX)
		recent->mark_tail++;
	mark = mark_at(recent, recent->mark_head++);
	mark->position = recent->head;
	mark->time_ns = recent->drained_ns;
	mark->nr_values = stats->nr_entries;
	memcpy(mark->values, stats->values, stats->nr_entries * sizeof(mark->values[0]));
	drop_unmarked(recent);
}

void recent_clear(struct recent *recent)
{
	recent->mark_tail = recent->mark_head;
	drop_unmarked(recent);
}

const struct recent_mark *recent_find_mark(const struct recent *recent, uint64_t end_ns,
					   uint64_t last_ns)
{
	const struct recent_mark *mark = NULL;

	for (uint64_t number = recent->mark_head; number != recent->mark_tail; number--) {
		mark = mark_at(recent, number - 1);
		if (mark->time_ns <= end_ns && end_ns - mark->time_ns >= last_ns)
			break;
	}
	return mark;
}

const struct recent_mark *recent_find_end(const struct recent *recent, uint64_t end_ns,
					  uint64_t until_ns)
{
	const struct recent_mark *end = NULL;

	for (uint64_t number = recent->mark_head; number != recent->mark_tail; number--) {
		const struct recent_mark *mark = mark_at(recent, number - 1);

		if (mark->time_ns < end_ns && end_ns - mark->time_ns > until_ns)
			break;
		end = mark;
	}
	return end;
}

int recent_create(struct recent **recent)
{
	struct recent *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	/* Zeroed pages take no memory until they are used. */
	made->entries = calloc(RECENT_ENTRIES_MAX, sizeof(*made->entries));
	made->marks = calloc(RECENT_MARKS_MAX, sizeof(*made->marks));
	if (!made->entries || !made->marks || recent_keys_init(&made->keys)) {
		free(made->entries);
		free(made->marks);
		free(made);
		return -ENOMEM;
	}
	*recent = made;
	return 0;
}

void recent_destroy(struct recent *recent)
{
	if (!recent)
		return;
	recent_keys_deinit(&recent->keys);
	free(recent->entries);
	free(recent->marks);
	free(recent);
}
