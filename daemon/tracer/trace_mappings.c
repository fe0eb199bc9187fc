// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/tracer/trace_mappings.h"

#include "daemon/trace/trace_channel.h"
#include "daemon/trace/trace_clock.h"
#include "daemon/tracer/trace_perf.h"
#include "daemon/trace/trace_sample.h"
#include "daemon/trace/trace_tasks.h"
#include "lib/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME  "mappings"
#define SUB_BYTES  (64u << 10)
#define NR_SUBS	   4u
#define RING_BYTES (256u << 10) /* of each CPU, the kernel's */
/* A record has its stamp so long before it can be read, at most: interrupts come between. */
#define SLACK_NS UINT64_C(1000000)
/* What the reckoning may be wrong by: a sample in it is never before its mapping. */
#define EARLIER_NS UINT64_C(1000)
/* From so many bytes on it is looked what the rings have forgotten. */
#define FOLD_BYTES ((size_t)256 << 10)
/* So many bytes of records, at most, before packets go to the folder: sub-buffers hold more. */
#define DRAIN_BYTES (2u * SUB_BYTES)

/* A record, or so many that were lost. */
struct item {
	uint64_t time, order; /* a stamp of the module's clock; as they came */
	uint64_t nr_lost;     /* 0: it is one */
	size_t nr_bytes;      /* of this */
	struct trace_perf_record record;
	char path[];
};

struct trace_mappings {
	struct trace_perf_sink sink; /* first: it is ours */
	struct trace_mappings_config config;
	struct trace_perf_event event;
	struct trace_perf *perf;
	struct trace_channel *channel; /* NULL: a flight recorder's */
	struct trace_clock clock;

	/* Of a flight recorder: how it was before all items. */
	struct trace_tasks *tasks;
	size_t fold_bytes; /* when there are so many it is to be brought forward */

	/* Of a folder: not written yet. */
	struct item **items;
	size_t nr_items, nr_items_max, nr_bytes;
	uint64_t nr_added, nr_written, lost, forgotten;
};

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

/* ---- what comes ---- */

static void drop_item(struct trace_mappings *mappings, struct item *item)
{
	mappings->nr_bytes -= item->nr_bytes;
	free(item);
}

static int compare_items(const void *a, const void *b)
{
	const struct item *first = *(struct item *const *)a, *second = *(struct item *const *)b;

	if (first->time != second->time)
		return first->time < second->time ? -1 : 1;
	return first->order < second->order ? -1 : first->order > second->order;
}

static void sort_items(struct trace_mappings *mappings)
{
	if (mappings->nr_items)
		qsort(mappings->items, mappings->nr_items, sizeof(struct item *), compare_items);
}

/* The first so many are gone. */
static void remove_items(struct trace_mappings *mappings, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		drop_item(mappings, mappings->items[i]);
	mappings->nr_items -= nr;
	memmove(mappings->items, mappings->items + nr, mappings->nr_items * sizeof(struct item *));
}

static bool has_place(struct trace_mappings *mappings)
{
	const size_t nr = mappings->nr_items_max ? 2 * mappings->nr_items_max : 256;
	struct item **bigger;

	if (mappings->nr_items < mappings->nr_items_max)
		return true;
	bigger = realloc(mappings->items, nr * sizeof(struct item *));
	if (!bigger)
		return false;
	mappings->items = bigger;
	mappings->nr_items_max = nr;
	return true;
}

static bool add(struct trace_mappings *mappings, const struct trace_perf_record *record,
		uint64_t nr_lost)
{
	const char *path = record->path ? record->path : "";
	const size_t path_bytes = strlen(path) + 1;
	struct item *item;

	item = has_place(mappings) ? malloc(sizeof(*item) + path_bytes) : NULL;
	if (!item)
		return false;
	*item = (struct item){.time = stamp_of(mappings, record->time),
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

static void lose(struct trace_perf_sink *sink, unsigned int cpu, uint64_t nr)
{
	struct trace_mappings *mappings = (struct trace_mappings *)(void *)sink;
	const struct trace_perf_record record = {.cpu = cpu, .time = clock_monotonic_ns()};

	mappings->lost += nr;
	if (mappings->channel)
		trace_channel_lose(mappings->channel, 0, nr);
	else
		(void)add(mappings, &record, nr);
}

static void take(struct trace_perf_sink *sink, const struct trace_perf_record *record)
{
	struct trace_mappings *mappings = (struct trace_mappings *)(void *)sink;

	if (record->kind == TRACE_RECORD_MAPPING && !trace_sample_bytes(record))
		return; /* executable, but no file's */
	if (!add(mappings, record, 0))
		lose(sink, record->cpu, 1);
}

/* ---- what is known ---- */

/* How it was at a stamp: what became of it up to there is no news any more. */
static void fold(struct trace_mappings *mappings, uint64_t until)
{
	size_t nr = 0;

	sort_items(mappings);
	for (; nr < mappings->nr_items && mappings->items[nr]->time < until; nr++)
		if (!mappings->items[nr]->nr_lost)
			trace_tasks_take(mappings->tasks, &mappings->items[nr]->record);
	remove_items(mappings, nr);
}

/* The oldest half is forgotten before its time, which is said for who asks for that. */
static void make_room(struct trace_mappings *mappings, uint64_t until)
{
	struct trace_perf_record last = {0};
	size_t nr = 0, nr_bytes = 0;
	uint64_t nr_lost = 0, nr_new = 0, time = 0;

	while (nr < mappings->nr_items && mappings->items[nr]->time < until &&
	       (nr_bytes < mappings->config.bytes_max / 2 || mappings->items[nr]->time == time)) {
		const struct item *item = mappings->items[nr++];

		nr_new += item->nr_lost == 0;
		nr_lost += item->nr_lost;
		nr_bytes += item->nr_bytes;
		time = item->time;
	}
	if (!nr)
		return;
	fold(mappings, time + 1);
	mappings->forgotten += nr_new;
	if (add(mappings, &last, nr_lost + nr_new))
		mappings->items[mappings->nr_items - 1]->time = time;
}

/* Where it stays as it is it is not looked at again and again. */
static void set_fold(struct trace_mappings *mappings, size_t nr_bytes)
{
	if (nr_bytes < FOLD_BYTES)
		nr_bytes = FOLD_BYTES;
	if (nr_bytes > mappings->config.bytes_max)
		nr_bytes = mappings->config.bytes_max;
	mappings->fold_bytes = nr_bytes;
}

/* Not beyond what has been read of all CPUs, for certain. */
static void bring_forward(struct trace_mappings *mappings, uint64_t read_until)
{
	uint64_t oldest;

	if (mappings->nr_bytes <= mappings->fold_bytes)
		return;
	oldest = mappings->config.oldest(mappings->config.context);
	fold(mappings, oldest < read_until ? oldest : read_until);
	if (mappings->nr_bytes > mappings->config.bytes_max)
		make_room(mappings, read_until);
	set_fold(mappings, 2 * mappings->nr_bytes);
}

const struct trace_tasks *trace_mappings_tasks(struct trace_mappings *mappings, uint64_t at)
{
	if (!mappings)
		return NULL;
	fold(mappings, at);
	return mappings->tasks;
}

/* ---- what goes ---- */

struct writing {
	struct trace_mappings *mappings;
	struct trace_channel *channel;
	uint64_t begin; /* the least stamp */
	size_t nr_bytes;
	struct trace_mappings_counts done;
};

static int write_item(struct writing *writing, const struct item *item, struct diag *diag)
{
	const uint64_t stamp = item->time < writing->begin ? writing->begin : item->time;
	const uint32_t nr_bytes = item->nr_lost ? 0 : trace_sample_bytes(&item->record);
	uint8_t *payload;

	if (item->nr_lost) {
		if (item->time < writing->begin)
			return 0;
		trace_channel_lose(writing->channel, 0, item->nr_lost);
		writing->done.lost += item->nr_lost;
		return 0;
	}
	if (!nr_bytes)
		return 0;
	payload = trace_channel_reserve(writing->channel, 0,
					writing->mappings->config.first_id +
						trace_sample_event(&item->record),
					stamp, nr_bytes);
	if (payload) {
		trace_sample_write(&item->record, payload);
		trace_channel_commit(writing->channel);
	}
	writing->done.nr_records += payload != NULL;
	writing->done.lost += payload == NULL;
	writing->nr_bytes += nr_bytes;
	if (writing->nr_bytes < DRAIN_BYTES)
		return 0;
	writing->nr_bytes = 0;
	return trace_channel_drain(writing->channel, false, 0, diag);
}

/* Of those up to a stamp; the rest stays. */
static int write_until(struct trace_mappings *mappings, uint64_t until, struct diag *diag)
{
	struct writing writing = {.mappings = mappings, .channel = mappings->channel};
	int error = 0;
	size_t i = 0;

	sort_items(mappings);
	for (; i < mappings->nr_items && mappings->items[i]->time <= until; i++) {
		struct diag one_diag;
		const int one = write_item(&writing, mappings->items[i], &one_diag);

		if (one && !error) {
			error = one;
			*diag = one_diag;
		}
	}
	remove_items(mappings, i);
	mappings->nr_written += writing.done.nr_records;
	mappings->lost += writing.done.lost;
	return error;
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

/* ---- sessions ---- */

int trace_mappings_open(struct trace_mappings **mappings,
			const struct trace_mappings_config *config, struct diag *diag)
{
	struct trace_mappings *made = calloc(1, sizeof(*made));
	struct trace_perf_config perf = {.nr_events = 1, .ring_bytes = RING_BYTES};
	int error;

	*mappings = NULL;
	if (!made)
		return diag_set(diag, -ENOMEM, "no memory for mappings");
	made->config = *config;
	if (!config->bytes_max)
		made->config.bytes_max = TRACE_MAPPINGS_BYTES_MAX;
	made->sink = (struct trace_perf_sink){.record = take, .lost = lose};
	if (config->ktrace)
		trace_clock_init(&made->clock, &config->ktrace->info);
	set_fold(made, 0);
	made->event = (struct trace_perf_event){.name = "mappings, which samples need",
						.kind = TRACE_RECORD_MAPPING,
						.has_tasks = !config->writer};
	perf.events = &made->event;
	perf.sink = &made->sink;
	error = config->writer ? 0 : trace_tasks_create(&made->tasks);
	error = error ? diag_set(diag, error, "no memory for tasks")
		      : trace_perf_open(&made->perf, &perf, diag);
	if (!error && config->writer)
		error = open_channel(made, &made->channel, config->writer, diag);
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
	/* What comes meanwhile is taken as news of it. */
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
		bring_forward(mappings, stamp_of(mappings, before - SLACK_NS));
	if (!mappings->channel)
		return 0;
	error = write_until(mappings, stamp_of(mappings, before - SLACK_NS), diag);
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
	int error;

	if (!mappings)
		return 0;
	read_clocks(mappings);
	(void)trace_perf_enable(mappings->perf, false);
	(void)trace_perf_read(mappings->perf, true);
	if (!mappings->channel)
		return 0;
	error = write_until(mappings, UINT64_MAX, diag);
	return error ? error
		     : trace_channel_drain(mappings->channel, true,
					   ktrace_now(mappings->config.ktrace), diag);
}

int trace_mappings_snapshot(struct trace_mappings *mappings, struct ctf_writer *writer,
			    uint64_t begin, struct trace_mappings_counts *taken, struct diag *diag)
{
	struct writing writing = {.mappings = mappings, .begin = begin};
	int error;

	*taken = (struct trace_mappings_counts){0};
	if (!mappings)
		return 0;
	error = open_channel(mappings, &writing.channel, writer, diag);
	if (error)
		return error;
	sort_items(mappings);
	for (size_t i = 0; !error && i < mappings->nr_items; i++)
		error = write_item(&writing, mappings->items[i], diag);
	if (!error)
		error = trace_channel_flush(writing.channel, diag);
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
