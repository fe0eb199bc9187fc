// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/replay.h"
#include "tests/unit/perf_encode.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPLAY_EVENTS	8
#define REPLAY_PERIOD	1000000
#define REPLAY_COUNTERS 128
#define REPLAY_SAMPLE_TYPE                                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU)

struct replay_wanted {
	uint64_t time_ns;
	char *text;
	bool found;
};

struct replay_label {
	char name[32];
	uint64_t generation;
};

static const char *const lost_names[OPROF_LOST_NR] = {
	"kernel_ring", "no_task", "no_mapping", "no_kernel_map", "other_namespace", "mode",
	"bad_record",  "disk",	  "file",	"memory",	 "side_band"};
static const char *const mode_names[] = {"user", "kernel", "idle", "hv", "guest"};

__attribute__((format(printf, 2, 3))) static void replay_fail(struct replay *replay,
							      const char *format, ...)
{
	size_t used = strlen(replay->report);
	va_list args;

	replay->nr_failed++;
	if (used + 2 >= sizeof(replay->report))
		return;
	va_start(args, format);
	(void)vsnprintf(replay->report + used, sizeof(replay->report) - used - 1, format, args);
	va_end(args);
	used = strlen(replay->report);
	replay->report[used] = '\n';
	replay->report[used + 1] = '\0';
}

static void frame_show(const struct replay *replay, const struct oprof_frame *frame, char *text,
		       size_t nr_bytes)
{
	const struct image *image = perf_state_image(replay->state, frame->image);

	if (frame->image == OPROF_IMAGE_NONE)
		(void)snprintf(text, nr_bytes, "none");
	else
		(void)snprintf(text, nr_bytes, "%s+0x%" PRIx64, image ? image->path : "?",
			       frame->offset);
}

static void chain_show(const struct replay *replay, const struct oprof_sample *sample, char *text,
		       size_t nr_bytes)
{
	const struct oprof_frame *frames = (const struct oprof_frame *)(sample + 1);
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < sample->nr_frames && used + 2 < nr_bytes; i++) {
		if (i)
			text[used++] = ',';
		frame_show(replay, &frames[i], text + used, nr_bytes - used);
		used += strlen(text + used);
	}
}

static const char *app_show(const struct replay *replay)
{
	const struct image *image = perf_state_image(replay->state, replay->task.app_image);

	return image ? image->path : "none";
}

/* Same label, same generation, and the other way round. */
static void label_check(struct replay *replay, const char *name, uint64_t time_ns)
{
	uint64_t generation = replay->task.generation;
	struct replay_label *labels;

	for (size_t i = 0; i < replay->nr_labels; i++) {
		bool same_name = !strcmp(replay->labels[i].name, name);

		if (same_name != (replay->labels[i].generation == generation))
			replay_fail(replay,
				    "time %" PRIu64 ": gen=%s wanted, but generation %" PRIu64
				    " is of %s",
				    time_ns, name, generation, replay->labels[i].name);
		if (same_name)
			return;
	}
	labels = reallocarray(replay->labels, replay->nr_labels + 1, sizeof(*labels));
	if (!labels)
		abort();
	replay->labels = labels;
	(void)snprintf(labels[replay->nr_labels].name, sizeof(labels->name), "%s", name);
	labels[replay->nr_labels++].generation = generation;
}

static void u64_check(struct replay *replay, uint64_t time_ns, const char *key, const char *value,
		      uint64_t is)
{
	if (strtoull(value, NULL, 0) != is)
		replay_fail(replay, "time %" PRIu64 ": %s=%s wanted, is %" PRIu64, time_ns, key,
			    value, is);
}

static void text_check(struct replay *replay, uint64_t time_ns, const char *key, const char *value,
		       const char *is)
{
	if (strcmp(value, is))
		replay_fail(replay, "time %" PRIu64 ": %s=%s wanted, is %s", time_ns, key, value,
			    is);
}

static uint64_t sample_number(const struct replay *replay, const struct oprof_sample *sample,
			      const char *key, bool *known)
{
	*known = true;
	if (!strcmp(key, "tgid"))
		return (uint64_t)replay->task.tgid;
	if (!strcmp(key, "tid"))
		return (uint64_t)replay->task.tid;
	if (!strcmp(key, "cpu"))
		return replay->cpu;
	if (!strcmp(key, "event"))
		return sample->event;
	if (!strcmp(key, "weight"))
		return sample->weight;
	if (!strcmp(key, "cgroup"))
		return replay->task.cgroup;
	if (!strcmp(key, "truncated"))
		return !!(sample->head.flags & OPROF_SAMPLE_CHAIN_TRUNCATED);
	if (!strcmp(key, "guessed"))
		return !!(sample->head.flags & OPROF_SAMPLE_TASK_GUESSED);
	*known = false;
	return 0;
}

static void sample_check_key(struct replay *replay, const struct oprof_sample *sample,
			     const char *key, const char *value)
{
	uint64_t time_ns = sample->time_ns;
	char is[2048];
	bool known;
	uint64_t number = sample_number(replay, sample, key, &known);

	if (known) {
		u64_check(replay, time_ns, key, value, number);
	} else if (!strcmp(key, "image")) {
		frame_show(replay, &sample->leaf, is, sizeof(is));
		text_check(replay, time_ns, key, value, is);
	} else if (!strcmp(key, "chain")) {
		chain_show(replay, sample, is, sizeof(is));
		text_check(replay, time_ns, key, value, is);
	} else if (!strcmp(key, "app")) {
		text_check(replay, time_ns, key, value, app_show(replay));
	} else if (!strcmp(key, "mode")) {
		text_check(replay, time_ns, key, value, mode_names[sample->mode]);
	} else if (!strcmp(key, "gen")) {
		label_check(replay, value, time_ns);
	} else {
		replay_fail(replay, "time %" PRIu64 ": %s=%s wanted, but a sample came out",
			    time_ns, key, value);
	}
}

/* Call check for each KEY=VALUE of text; context is handed through. */
static void wanted_each(struct replay *replay, const char *text, const void *context,
			void (*check)(struct replay *replay, const void *context, const char *key,
				      const char *value))
{
	char copy[4096];
	char *state = NULL;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " \t", &state); word;
	     word = strtok_r(NULL, " \t", &state)) {
		char *value = strchr(word, '=');

		if (!value) {
			replay_fail(replay, "%s: KEY=VALUE wanted", word);
			continue;
		}
		*value++ = '\0';
		check(replay, context, word, value);
	}
}

static void sample_check(struct replay *replay, const void *context, const char *key,
			 const char *value)
{
	sample_check_key(replay, context, key, value);
}

static void lost_check(struct replay *replay, const void *context, const char *key,
		       const char *value)
{
	const struct oprof_lost_record *lost = context;

	if (strcmp(key, "lost"))
		replay_fail(replay, "time %" PRIu64 ": %s=%s wanted, but lost=%s", lost->time_ns,
			    key, value, lost_names[lost->reason]);
	else
		text_check(replay, lost->time_ns, key, value, lost_names[lost->reason]);
}

static struct replay_wanted *wanted_find(struct replay *replay, uint64_t time_ns)
{
	for (size_t i = 0; i < replay->nr_wanted; i++)
		if (!replay->wanted[i].found && replay->wanted[i].time_ns == time_ns)
			return &replay->wanted[i];
	return NULL;
}

/* Damaged samples may have no time: the first one that is wanted damaged. */
static struct replay_wanted *wanted_find_lost(struct replay *replay,
					      const struct oprof_lost_record *lost)
{
	struct replay_wanted *wanted = wanted_find(replay, lost->time_ns);
	char text[64];

	(void)snprintf(text, sizeof(text), "lost=%s", lost_names[lost->reason]);
	for (size_t i = 0; !wanted && i < replay->nr_wanted; i++)
		if (!replay->wanted[i].found && strstr(replay->wanted[i].text, text))
			wanted = &replay->wanted[i];
	return wanted;
}

static void sink_sample(struct replay *replay, const struct oprof_sample *sample)
{
	struct replay_wanted *wanted = wanted_find(replay, sample->time_ns);
	char image[2048];

	replay->nr_out++;
	frame_show(replay, &sample->leaf, image, sizeof(image));
	if (replay->config.verbose)
		printf("# sample time=%" PRIu64 " tgid=%d tid=%d cpu=%u app=%s image=%s mode=%s\n",
		       sample->time_ns, replay->task.tgid, replay->task.tid, replay->cpu,
		       app_show(replay), image, mode_names[sample->mode]);
	if (!replay->task.generation)
		replay_fail(replay, "time %" PRIu64 ": no TASK before it", sample->time_ns);
	if (!wanted) {
		replay_fail(replay, "time %" PRIu64 ": not wanted: sample in %s", sample->time_ns,
			    image);
		return;
	}
	wanted->found = true;
	wanted_each(replay, wanted->text, sample, sample_check);
}

static void sink_lost(struct replay *replay, const struct oprof_lost_record *lost)
{
	struct replay_wanted *wanted;

	if (lost->reason >= OPROF_LOST_NR) {
		replay_fail(replay, "LOST has reason %u", lost->reason);
		return;
	}
	replay->lost[lost->reason] += lost->nr_samples;
	if (replay->config.verbose)
		printf("# lost time=%" PRIu64 " reason=%s nr=%" PRIu64 "\n", lost->time_ns,
		       lost_names[lost->reason], lost->nr_samples);
	if (lost->reason == OPROF_LOST_KERNEL_RING)
		return;
	wanted = wanted_find_lost(replay, lost);
	if (!wanted) {
		replay_fail(replay, "time %" PRIu64 ": not wanted: lost=%s", lost->time_ns,
			    lost_names[lost->reason]);
		return;
	}
	wanted->found = true;
	wanted_each(replay, wanted->text, lost, lost_check);
}

static void replay_record(struct record_sink *sink, const struct oprof_record *record)
{
	struct replay *replay = (struct replay *)(void *)sink;
	const void *whole = record;

	if (record->size_bytes % 8 || record->size_bytes < sizeof(*record))
		replay_fail(replay, "a record of %u bytes", record->size_bytes);
	switch (record->type) {
	case OPROF_RECORD_TASK:
		memcpy(&replay->task, whole, sizeof(replay->task));
		break;
	case OPROF_RECORD_CPU:
		replay->cpu = ((const struct oprof_cpu *)whole)->cpu;
		break;
	case OPROF_RECORD_SAMPLE:
		sink_sample(replay, whole);
		break;
	case OPROF_RECORD_LOST:
		sink_lost(replay, whole);
		break;
	case OPROF_RECORD_THROTTLE:
		replay->nr_throttles += record->flags;
		break;
	default:
		break;
	}
}

static void replay_apply(struct perf_consumer *consumer, const struct perf_item *item)
{
	struct replay *replay =
		(struct replay *)(void *)((char *)consumer - offsetof(struct replay, consumer));

	perf_state_apply(replay->state, item);
}

static int replay_add_rings(struct replay *replay)
{
	struct perf_layout layout = {.sample_type = replay->config.sample_type,
				     .ids = &replay->ids};
	unsigned int nr_cpus = replay->config.nr_cpus;
	uint32_t ring; /* as replay_ring gives it: i */
	int error = 0;

	for (unsigned int i = 0; i < 2 * nr_cpus && !error; i++) {
		layout.side_band = i < nr_cpus;
		layout.cpu = i % nr_cpus;
		error = perf_feed_add_ring(replay->feed, &layout, 0, &ring);
	}
	for (uint32_t i = 0; i < REPLAY_EVENTS && !error; i++) {
		error = perf_ids_add(&replay->ids, i + 1, i);
		replay->ids.periods[i] = REPLAY_PERIOD;
	}
	return error;
}

static int replay_init(struct replay *replay)
{
	struct perf_state_config config = {.sink = &replay->sink};
	int error;

	(void)snprintf(replay->empty_path, sizeof(replay->empty_path), "/tmp/replay-XXXXXX");
	if (!mkdtemp(replay->empty_path))
		return -errno;
	if (!replay->config.nr_cpus)
		replay->config.nr_cpus = 2;
	if (!replay->config.sample_type)
		replay->config.sample_type = REPLAY_SAMPLE_TYPE;
	config.nr_cpus = replay->config.nr_cpus;
	config.proc_path = replay->config.proc_path ? replay->config.proc_path : replay->empty_path;
	config.sys_path = replay->empty_path;
	config.kernel = replay->config.kernel;
	error = perf_state_create(&replay->state, &config, NULL);
	if (!error)
		error = perf_feed_create(&replay->feed, &replay->consumer, &replay->sink);
	if (!error)
		error = replay_add_rings(replay);
	return error;
}

int replay_create(struct replay **replay, const struct replay_config *config)
{
	struct replay *made = calloc(1, sizeof(*made));
	int error;

	if (!made)
		return -ENOMEM;
	if (config)
		made->config = *config;
	made->sink.record = replay_record;
	made->consumer.apply = replay_apply;
	perf_ids_init(&made->ids);
	error = replay_init(made);
	if (error) {
		replay_destroy(made);
		return error;
	}
	*replay = made;
	return 0;
}

void replay_destroy(struct replay *replay)
{
	if (!replay)
		return;
	perf_feed_destroy(replay->feed);
	perf_state_destroy(replay->state);
	perf_ids_deinit(&replay->ids);
	for (size_t i = 0; i < replay->nr_wanted; i++)
		free(replay->wanted[i].text);
	free(replay->wanted);
	free(replay->labels);
	if (replay->empty_path[0])
		(void)rmdir(replay->empty_path);
	free(replay);
}

uint32_t replay_ring(const struct replay *replay, unsigned int cpu, bool side_band)
{
	return side_band ? cpu : replay->config.nr_cpus + cpu;
}

void replay_want(struct replay *replay, uint64_t time_ns, const char *text)
{
	struct replay_wanted *wanted;

	if (replay->nr_wanted == replay->room_wanted) {
		replay->room_wanted = replay->room_wanted ? 2 * replay->room_wanted : 64;
		wanted = reallocarray(replay->wanted, replay->room_wanted, sizeof(*wanted));
		if (!wanted)
			abort();
		replay->wanted = wanted;
	}
	wanted = &replay->wanted[replay->nr_wanted++];
	wanted->time_ns = time_ns;
	wanted->text = strdup(text);
	wanted->found = false;
	if (!wanted->text)
		abort();
}

void replay_bytes(struct replay *replay, uint32_t ring, const void *bytes, size_t nr_bytes)
{
	if (perf_feed_bytes(replay->feed, ring, bytes, nr_bytes))
		replay_fail(replay, "no memory for %zu bytes", nr_bytes);
}

void replay_item(struct replay *replay, uint32_t ring, const struct perf_item *item,
		 const char *wanted)
{
	static uint64_t record[PERF_ENCODE_BYTES_MAX / 8];
	struct perf_layout layout = {.sample_type = replay->config.sample_type};
	uint64_t id = item->event == UINT16_MAX ? 1 : item->event + 1u;
	size_t nr_bytes = perf_encode(&layout, id, item, record);

	if (item->type == PERF_RECORD_SAMPLE || wanted) {
		replay->nr_samples++;
		replay_want(replay, item->time_ns, wanted ? wanted : "");
	}
	replay_bytes(replay, ring, record, nr_bytes);
}

void replay_round(struct replay *replay, uint64_t begin_ns)
{
	perf_feed_round(replay->feed, begin_ns);
}

void replay_flush(struct replay *replay, uint64_t until_ns)
{
	perf_feed_flush(replay->feed, until_ns);
}

uint64_t replay_counter(const struct replay *replay, const char *name)
{
	const struct perf_feed_counters *feed = perf_feed_counters(replay->feed);
	struct source_counter counters[REPLAY_COUNTERS];
	size_t nr;

	if (!strcmp(name, "late_records"))
		return feed->late_records;
	if (!strcmp(name, "unknown_records"))
		return feed->unknown_records;
	if (!strcmp(name, "bad_records"))
		return feed->bad_records;
	if (!strcmp(name, "side_band_lost"))
		return feed->side_band_lost;
	if (!strcmp(name, "side_band_bad"))
		return feed->side_band_bad;
	if (!strcmp(name, "seen"))
		return feed->seen;
	if (!strcmp(name, "throttles"))
		return replay->nr_throttles;
	for (size_t i = 0; i < OPROF_LOST_NR; i++)
		if (!strncmp(name, "lost_", 5) && !strcmp(name + 5, lost_names[i]))
			return replay->lost[i];
	nr = perf_state_counters(replay->state, counters, REPLAY_COUNTERS);
	for (size_t i = 0; i < nr && i < REPLAY_COUNTERS; i++)
		if (!strcmp(name, counters[i].name))
			return counters[i].value;
	return 0;
}

unsigned int replay_end(struct replay *replay)
{
	uint64_t sum, seen;

	replay_flush(replay, UINT64_MAX);
	sum = replay->nr_out;
	for (size_t i = 0; i < OPROF_LOST_NR; i++)
		sum += replay->lost[i];
	seen = perf_feed_counters(replay->feed)->seen;
	if (seen != sum)
		replay_fail(replay, "seen %" PRIu64 ", but out and lost %" PRIu64, seen, sum);
	for (size_t i = 0; i < replay->nr_wanted; i++)
		if (!replay->wanted[i].found)
			replay_fail(replay, "time %" PRIu64 ": never came: %s",
				    replay->wanted[i].time_ns, replay->wanted[i].text);
	return replay->nr_failed;
}
