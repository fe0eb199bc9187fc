// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kernel has one ring for each CPU, so records of different CPUs do not arrive in the order of
 * their times. All records wait in one list of items. An item is a record, or a number of records
 * that the kernel lost. Before items are removed from the front of the list, the list is sorted by
 * stamp. An item is removed only if no older record can still arrive: its stamp must be at least
 * TRACE_SLACK_NS earlier than the moment when the current round began to read the rings.
 *
 * For a trace in a folder, each round writes the items that it removes as events.
 *
 * A flight recorder keeps the items until a snapshot is taken. It also keeps the tasks
 * (trace_tasks.h) in the state before the first item:
 *
 *	tasks | item, item, item, ...
 *	      ^ no later than the oldest record in the trace's own rings
 *
 * Items are removed from the list and applied to the tasks in three cases:
 *
 * - A snapshot is taken. The items before the snapshot's beginning are applied. The tasks are then
 *   the state at the beginning. The remaining items are written as events, and stay in the list.
 * - There are many items. The items older than all records in the trace's rings are applied,
 *   because no snapshot will need these items.
 * - The items still exceed bytes_max. The oldest items, which fill half of bytes_max, are applied.
 *   These items count as forgotten, and an item for lost records replaces them. If one of them is
 *   the end of a task, the task has no name in the next snapshot.
 *
 * With the kernel module, times of records are converted to stamps of its clock as they arrive.
 */
#include "daemon/tracer/trace_mappings.h"

#include "daemon/trace/trace_channel.h"
#include "daemon/trace/trace_clock.h"
#include "daemon/tracer/trace_perf.h"
#include "daemon/trace/trace_sample.h"
#include "daemon/trace/trace_tasks.h"
#include "lib/array.h"
#include "lib/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME  "mappings"
#define SUB_BYTES  (64u << 10)
#define NR_SUBS	   4u
#define RING_BYTES (256u << 10) /* size of the kernel's ring of each CPU */
/*
 * Largest error of the conversion. The stamps of mappings are moved back by this time, so that a
 * mapping's stamp is not later than the stamps of samples in the mapping.
 */
#define EARLIER_NS UINT64_C(1000)
/* A round applies items only if their total size exceeds this. A snapshot always applies them. */
#define APPLY_BYTES_MIN ((size_t)256 << 10)
/*
 * Packets are written to the folder when this many bytes of records have been added. The channel's
 * sub-buffers hold more.
 */
#define DRAIN_BYTES (2u * SUB_BYTES)

/* A record, or a number of records that were lost at the time `stamp`. */
struct item {
	uint64_t stamp, order; /* stamp of the trace's clock; order: order of arrival */
	uint64_t nr_lost;      /* 0: a record */
	size_t nr_bytes;       /* including path */
	struct trace_perf_record record;
	char path[];
};

struct trace_mappings {
	struct trace_perf_sink sink; /* must be first */
	struct trace_mappings_config config;
	struct trace_perf_event event;
	struct trace_perf *perf;
	struct trace_clock clock; /* the module's clock; not used with CLOCK_MONOTONIC */

	struct item **items; /* items that are neither written nor applied yet */
	size_t nr_items, room_items, nr_bytes;
	uint64_t nr_added;

	/* For a folder. */
	struct trace_channel *channel; /* NULL for a flight recorder */

	/* For a flight recorder. */
	struct trace_tasks *tasks; /* state before the first item; NULL: the trace is in a folder */
	/* when the total size of items exceeds this, a round applies some of them */
	size_t apply_bytes;

	uint64_t nr_written, lost, forgotten;
};
_Static_assert(offsetof(struct trace_mappings, sink) == 0, "its functions cast sink");

/* ---- the module's clock ---- */

static void read_clocks(struct trace_mappings *mappings)
{
	struct oprof_ktrace_info info;

	if (!mappings->config.ktrace)
		return;
	info = mappings->config.ktrace->info;
	ktrace_read_clocks(mappings->config.ktrace, &info);
	trace_clock_take(&mappings->clock, &info);
}

static uint64_t stamp_of(const struct trace_mappings *mappings, uint64_t ns)
{
	return mappings->config.ktrace ? trace_clock_stamp(&mappings->clock, ns - EARLIER_NS) : ns;
}

/* ---- items ---- */

static int compare_items(const void *a, const void *b)
{
	const struct item *first = *(struct item *const *)a, *second = *(struct item *const *)b;

	if (first->stamp != second->stamp)
		return first->stamp < second->stamp ? -1 : 1;
	return first->order < second->order ? -1 : first->order > second->order;
}

static void sort_items(struct trace_mappings *mappings)
{
	if (mappings->nr_items)
		qsort(mappings->items, mappings->nr_items, sizeof(struct item *), compare_items);
}

static void remove_items(struct trace_mappings *mappings, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		mappings->nr_bytes -= mappings->items[i]->nr_bytes;
		free(mappings->items[i]);
	}
	mappings->nr_items -= nr;
	if (mappings->nr_items) /* there is no array before the first item */
		memmove(mappings->items, mappings->items + nr,
			mappings->nr_items * sizeof(struct item *));
}

/* Adds an item to the list. Returns false if out of memory. */
static bool add_item(struct trace_mappings *mappings, uint64_t stamp,
		     const struct trace_perf_record *record, uint64_t nr_lost)
{
	const char *path = record->path ? record->path : "";
	const size_t path_bytes = strlen(path) + 1;
	struct item *item;

	if (array_reserve_bytes(&mappings->items, &mappings->room_items, mappings->nr_items, 1,
				sizeof(struct item *)))
		return false;
	item = malloc(sizeof(*item) + path_bytes);
	if (!item)
		return false;
	*item = (struct item){.stamp = stamp,
			      .order = mappings->nr_added++,
			      .nr_lost = nr_lost,
			      .nr_bytes = sizeof(*item) + path_bytes,
			      .record = *record};
	memcpy(item->path, path, path_bytes);
	item->record.path = item->path;
	mappings->items[mappings->nr_items++] = item;
	mappings->nr_bytes += item->nr_bytes;
	return true;
}

static void add_loss(struct trace_mappings *mappings, uint64_t stamp, uint64_t nr_lost)
{
	const struct trace_perf_record none = {0};

	(void)add_item(mappings, stamp, &none, nr_lost);
}

static void lose(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr)
{
	struct trace_mappings *mappings = (struct trace_mappings *)(void *)sink;

	(void)cpu;
	mappings->lost += nr;
	if (mappings->channel)
		trace_channel_lose(mappings->channel, 0, nr);
	else
		add_loss(mappings, stamp_of(mappings, clock_monotonic_ns()), nr);
}

static void take(struct trace_perf_sink *sink, const struct trace_perf_record *record)
{
	struct trace_mappings *mappings = (struct trace_mappings *)(void *)sink;

	if (record->kind == TRACE_RECORD_MAPPING && !trace_sample_bytes(record))
		return; /* executable memory without a file */
	if (!add_item(mappings, stamp_of(mappings, record->time), record, 0))
		lose(sink, record->cpu, 1);
}

/* ---- a flight recorder's tasks ---- */

/* Applies the items before the stamp `until` to the tasks, and removes them. */
static void apply_until(struct trace_mappings *mappings, uint64_t until)
{
	size_t nr = 0;

	sort_items(mappings);
	for (; nr < mappings->nr_items && mappings->items[nr]->stamp < until; nr++)
		if (!mappings->items[nr]->nr_lost)
			trace_tasks_take(mappings->tasks, &mappings->items[nr]->record);
	remove_items(mappings, nr);
}

/*
 * Returns the number of the oldest items that together fill half of bytes_max. All are older than
 * `until`. Items with equal stamps are not separated.
 */
static size_t nr_oldest_half(const struct trace_mappings *mappings, uint64_t until)
{
	struct item *const *items = mappings->items;
	size_t nr = 0, nr_bytes = 0;

	while (nr < mappings->nr_items && items[nr]->stamp < until &&
	       (nr_bytes < mappings->config.bytes_max / 2 ||
		(nr && items[nr]->stamp == items[nr - 1]->stamp)))
		nr_bytes += items[nr++]->nr_bytes;
	return nr;
}

/*
 * Applies the oldest items, counts them as forgotten, and adds an item that counts them as lost.
 * The items must be sorted.
 */
static void forget_oldest_half(struct trace_mappings *mappings, uint64_t until)
{
	const size_t nr = nr_oldest_half(mappings, until);
	uint64_t nr_records = 0, nr_lost = 0, last;

	if (!nr)
		return;
	for (size_t i = 0; i < nr; i++) {
		const struct item *item = mappings->items[i];

		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): items[] has no freed items */
		nr_records += item->nr_lost == 0;
		nr_lost += item->nr_lost;
	}
	last = mappings->items[nr - 1]->stamp;
	apply_until(mappings, last + 1);
	mappings->forgotten += nr_records;
	add_loss(mappings, last, nr_lost + nr_records);
}

static void set_apply_bytes(struct trace_mappings *mappings, size_t nr_bytes)
{
	if (nr_bytes < APPLY_BYTES_MIN)
		nr_bytes = APPLY_BYTES_MIN;
	if (nr_bytes > mappings->config.bytes_max)
		nr_bytes = mappings->config.bytes_max;
	mappings->apply_bytes = nr_bytes;
}

/*
 * If there are many items, applies those that are older than read_until and older than all records
 * in the trace's rings. The rings of all CPUs have been read up to read_until. The next limit is
 * twice the size of the remaining items. Otherwise each round would sort items that cannot be
 * applied yet.
 */
static void apply_if_many(struct trace_mappings *mappings, uint64_t read_until)
{
	uint64_t oldest;

	if (mappings->nr_bytes <= mappings->apply_bytes)
		return;
	oldest = mappings->config.oldest(mappings->config.context);
	apply_until(mappings, oldest < read_until ? oldest : read_until);
	if (mappings->nr_bytes > mappings->config.bytes_max)
		forget_oldest_half(mappings, read_until);
	set_apply_bytes(mappings, 2 * mappings->nr_bytes);
}

const struct trace_tasks *trace_mappings_tasks(struct trace_mappings *mappings, uint64_t at)
{
	if (!mappings)
		return NULL;
	apply_until(mappings, at);
	return mappings->tasks;
}

/* ---- events ---- */

struct writing {
	struct trace_mappings *mappings;
	struct trace_channel *channel;
	uint64_t begin;	 /* earlier records get this stamp; earlier losses do not count */
	size_t nr_bytes; /* bytes written since the channel was last drained */
	struct trace_mappings_counts done;
};

static void write_loss(struct writing *writing, const struct item *item)
{
	if (item->stamp < writing->begin)
		return;
	trace_channel_lose(writing->channel, 0, item->nr_lost);
	writing->done.lost += item->nr_lost;
}

static void write_record(struct writing *writing, const struct item *item)
{
	const uint64_t stamp = item->stamp < writing->begin ? writing->begin : item->stamp;
	const uint32_t id = writing->mappings->config.first_id + trace_sample_event(&item->record);
	const uint32_t nr_bytes = trace_sample_bytes(&item->record);
	uint8_t *payload;

	if (!nr_bytes)
		return; /* a task's name, which is not an event of the trace */
	payload = trace_channel_reserve(writing->channel, 0, id, stamp, nr_bytes);
	if (payload) {
		trace_sample_write(&item->record, payload);
		trace_channel_commit(writing->channel);
	}
	writing->done.nr_records += payload != NULL;
	writing->done.lost += payload == NULL;
	writing->nr_bytes += nr_bytes;
}

/* Writes an item to the channel, which is drained when necessary. Returns 0 or a disk error. */
static int write_item(struct writing *writing, const struct item *item, struct diag *diag)
{
	if (item->nr_lost)
		write_loss(writing, item);
	else
		write_record(writing, item);
	if (writing->nr_bytes < DRAIN_BYTES)
		return 0;
	writing->nr_bytes = 0;
	return trace_channel_drain(writing->channel, false, 0, diag);
}

/*
 * Writes all items up to the stamp `until` and sets *nr_items to their number. Returns 0 or the
 * first error.
 */
static int write_items(struct writing *writing, uint64_t until, size_t *nr_items, struct diag *diag)
{
	struct trace_mappings *mappings = writing->mappings;
	int error = 0;
	size_t i = 0;

	sort_items(mappings);
	for (; i < mappings->nr_items && mappings->items[i]->stamp <= until; i++) {
		struct diag why;
		const int one = write_item(writing, mappings->items[i], &why);

		error = diag_first(error, one, &why, diag);
	}
	*nr_items = i;
	return error;
}

/* Writes and removes the items up to the stamp `until`. Returns 0 or the first error. */
static int write_until(struct trace_mappings *mappings, uint64_t until, struct diag *diag)
{
	struct writing writing = {.mappings = mappings, .channel = mappings->channel};
	size_t nr_items;
	const int error = write_items(&writing, until, &nr_items, diag);

	remove_items(mappings, nr_items);
	mappings->nr_written += writing.done.nr_records;
	mappings->lost += writing.done.lost;
	return error;
}

/* Returns the number of events that writing all items would produce. */
static uint64_t nr_events(const struct trace_mappings *mappings)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < mappings->nr_items; i++)
		nr += !mappings->items[i]->nr_lost &&
		      trace_sample_bytes(&mappings->items[i]->record);
	return nr;
}

static int open_channel(const struct trace_mappings *mappings, struct trace_channel **channel,
			struct ctf_writer *writer, struct diag *diag)
{
	struct trace_channel_config config = {.mode = RING_DISCARD,
					      .sub_buffer_bytes = SUB_BYTES,
					      .nr_sub_buffers = NR_SUBS,
					      .stream_id = mappings->config.stream_id,
					      .nr_cpus = 1,
					      .name = FILE_NAME};
	int error;

	memcpy(config.uuid, mappings->config.uuid, sizeof(config.uuid));
	error = trace_channel_create(channel, &config, diag);
	if (!error)
		trace_channel_write_to(*channel, writer);
	return error;
}

/* ---- opening, rounds, snapshots ---- */

static int open_perf(struct trace_mappings *mappings, struct diag *diag)
{
	const struct trace_perf_config config = {.events = &mappings->event,
						 .nr_events = 1,
						 .ring_bytes = RING_BYTES,
						 .sink = &mappings->sink};

	mappings->sink = (struct trace_perf_sink){.record = take, .lost = lose};
	mappings->event = (struct trace_perf_event){.name = "mappings, which samples need",
						    .kind = TRACE_RECORD_MAPPING,
						    .has_tasks = !mappings->config.writer};
	return trace_perf_open(&mappings->perf, &config, diag);
}

static int open_rest(struct trace_mappings *mappings, struct diag *diag)
{
	struct ctf_writer *writer = mappings->config.writer;

	if (writer)
		return open_channel(mappings, &mappings->channel, writer, diag);
	if (trace_tasks_create(&mappings->tasks))
		return diag_set(diag, -ENOMEM, "out of memory for tasks");
	return 0;
}

int trace_mappings_open(struct trace_mappings **mappings,
			const struct trace_mappings_config *config, struct diag *diag)
{
	struct trace_mappings *made = calloc(1, sizeof(*made));
	int error;

	*mappings = NULL;
	if (!made)
		return diag_set(diag, -ENOMEM, "out of memory for mappings");
	made->config = *config;
	if (!config->bytes_max)
		made->config.bytes_max = TRACE_MAPPINGS_BYTES_MAX;
	set_apply_bytes(made, 0);
	if (config->ktrace)
		trace_clock_init(&made->clock, &config->ktrace->info);
	error = open_perf(made, diag);
	if (!error)
		error = open_rest(made, diag);
	if (error)
		trace_mappings_close(made);
	else
		*mappings = made;
	return error;
}

void trace_mappings_close(struct trace_mappings *mappings)
{
	if (!mappings)
		return;
	trace_perf_close(mappings->perf);
	trace_channel_destroy(mappings->channel);
	trace_tasks_destroy(mappings->tasks);
	remove_items(mappings, mappings->nr_items);
	free(mappings->items);
	free(mappings);
}

static int read_state(struct trace_mappings *mappings)
{
	const struct trace_state_config how = {.proc_path = "/proc", .is_later = true};

	return trace_state_read(trace_tasks_sink(mappings->tasks), &how);
}

int trace_mappings_start(struct trace_mappings *mappings)
{
	int error, read;

	if (!mappings)
		return 0;
	error = trace_perf_enable(mappings->perf, true);
	if (!mappings->tasks)
		return error;
	/* Changes that occur during this reading become items, like all later changes. */
	read = read_state(mappings);
	return error ? error : read;
}

int trace_mappings_follow_cpus(struct trace_mappings *mappings, struct diag *diag)
{
	return mappings ? trace_perf_follow_cpus(mappings->perf, diag) : 0;
}

int trace_mappings_round(struct trace_mappings *mappings, struct diag *diag)
{
	const uint64_t before = clock_monotonic_ns();
	int error;

	if (!mappings)
		return 0;
	read_clocks(mappings);
	(void)trace_perf_read(mappings->perf, false); /* damage is counted */
	if (mappings->tasks)
		apply_if_many(mappings, stamp_of(mappings, before - TRACE_SLACK_NS));
	if (!mappings->channel)
		return 0;
	error = write_until(mappings, stamp_of(mappings, before - TRACE_SLACK_NS), diag);
	return error ? error : trace_channel_drain(mappings->channel, false, 0, diag);
}

int trace_mappings_flush(struct trace_mappings *mappings, struct diag *diag)
{
	const int error = trace_mappings_round(mappings, diag);

	return error || !mappings || !mappings->channel
		       ? error
		       : trace_channel_flush(mappings->channel, diag);
}

int trace_mappings_stop(struct trace_mappings *mappings, struct diag *diag)
{
	struct diag why;
	int error;

	if (!mappings)
		return 0;
	read_clocks(mappings);
	(void)trace_perf_enable(mappings->perf, false);
	(void)trace_perf_read(mappings->perf, true);
	if (!mappings->channel)
		return 0;
	error = write_until(mappings, UINT64_MAX, diag);
	return diag_first(error,
			  trace_channel_drain(mappings->channel, true,
					      ktrace_now(mappings->config.ktrace), &why),
			  &why, diag);
}

int trace_mappings_snapshot(struct trace_mappings *mappings, struct ctf_writer *writer,
			    uint64_t begin, struct trace_mappings_counts *taken, struct diag *diag)
{
	struct writing writing = {.mappings = mappings, .begin = begin};
	struct diag why;
	size_t nr_items;
	int error;

	*taken = (struct trace_mappings_counts){0};
	if (!mappings)
		return 0;
	error = open_channel(mappings, &writing.channel, writer, diag);
	if (error) {
		taken->nr_records = nr_events(mappings);
		return error;
	}
	error = write_items(&writing, UINT64_MAX, &nr_items, diag);
	error = diag_first(error, trace_channel_flush(writing.channel, &why), &why, diag);
	trace_channel_destroy(writing.channel);
	*taken = writing.done;
	return error;
}

struct trace_mappings_counts trace_mappings_counts(const struct trace_mappings *mappings)
{
	struct trace_mappings_counts counts = {0};

	if (!mappings)
		return counts;
	counts.nr_records = mappings->nr_written;
	counts.lost = mappings->lost;
	counts.forgotten = mappings->forgotten;
	if (mappings->tasks)
		counts.forgotten += trace_tasks_lost(mappings->tasks);
	counts.ring_errors = trace_perf_counts(mappings->perf).ring_errors;
	if (mappings->channel)
		counts.nr_late = trace_channel_counts(mappings->channel).nr_late;
	return counts;
}
