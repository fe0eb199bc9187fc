// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/filing/recent_slice.h"

#include "daemon/session/separation.h"
#include "libdb/slice/slice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTION_NOT_ASKED INT64_C(-1)
#define SECTION_UNKNOWN	  INT64_C(-2) /* the image is no longer known */

struct making {
	const struct recent_slice_config *config;
	const struct recent_mark *mark;
	const struct recent_mark *end_mark; /* NULL: now */
	struct slice_builder *builder;
	int64_t *sections;	    /* number of each key's section, indexed by key */
	bool *weighted;		    /* by event */
	uint64_t next_mark;	    /* number of the first mark after the current entry */
	struct placement placement; /* placement of the current key */
	struct slice_info info;
	struct oprof_stats_entry *begin, *end;
};

/* ---- sections ---- */

static void key_reduce(unsigned int separation, const struct recent_key *from,
		       struct sample_key *key)
{
	const struct oprof_task task = {
		.tgid = from->tgid,
		.tid = from->tid,
		.app_image = from->app,
		.cgroup = from->cgroup,
	};
	struct sample_key user;
	struct sample_key kernel;

	separation_keys(separation, &task, from->cpu, &user, &kernel);
	*key = from->mode == OPROF_MODE_KERNEL ? kernel : user;
	if (from->mode == OPROF_MODE_IDLE)
		separation_idle_key(separation, from->cpu, key);
	if (from->mode == OPROF_MODE_OFF_CPU)
		separation_off_cpu_key(separation, &task, from->cpu, key);
	key->image = from->image;
	key->event = from->event;
}

static void section_path(const struct sample_path *from, struct slice_path *path)
{
	*path = (struct slice_path){
		.kind = from->kind,
		.path = from->path,
		.tgid = from->tgid,
		.start = from->start,
		.end = from->end,
	};
}

/* Fills section from placement, which still owns the strings. */
static void section_of(const struct placement *placement, struct slice_section *section)
{
	const struct sdb_identity *identity = &placement->identity;
	const struct sample_name *name = &placement->name;

	*section = (struct slice_section){
		.identity = identity->image,
		.image_kind = identity->image_kind,
		.image_start = identity->image_start,
		.event = identity->event,
		.period_or_hz = identity->period_or_hz,
		.unit_mask = identity->unit_mask,
		.flags = identity->flags,
		.tgid = name->tgid,
		.tid = name->tid,
		.cpu = name->cpu,
		.cgroup = name->cgroup == SAMPLE_NAME_ALL ? NULL : identity->cgroup,
	};
	section_path(&name->image, &section->image);
	section_path(&name->app, &section->app);
}

static const struct image *released_image(const void *context, uint32_t cookie)
{
	return recent_keys_image(context, cookie);
}

/* Returns the number of the key's section, or SECTION_UNKNOWN; *error: -errno on failure. */
static int64_t section_find(struct making *making, const struct recent_key *from, int *error)
{
	const struct recent_slice_config *config = making->config;
	struct placement_config place = {
		.source = config->source,
		.session = config->session,
		.separation = config->separation,
		.released = released_image,
		.context = &config->recent->keys,
		.unnumbered = true,
	};
	struct slice_section section;
	struct sample_key key;
	int64_t number;

	key_reduce(config->separation, from, &key);
	if (placement_find(&place, &key, &making->placement))
		return SECTION_UNKNOWN;
	section_of(&making->placement, &section);
	number = slice_builder_section(making->builder, &section);
	if (number < 0)
		*error = (int)number;
	return number;
}

/* ---- samples ---- */

/* If the period is fixed, computes the weight from the number of samples. */
static uint64_t entry_weight(const struct making *making, const struct recent_entry *entry,
			     uint16_t event)
{
	const struct event_choice *choice = &making->config->session->info.events[event];

	if (making->weighted[event] || choice->frequency)
		return entry->weight;
	return entry->nr_samples * choice->period_or_hz;
}

/* Returns the end of the round in which the entry at position was added. */
static uint64_t round_end_ns(struct making *making, uint64_t position)
{
	const struct recent *recent = making->config->recent;

	while (making->next_mark != recent->mark_head &&
	       recent->marks[making->next_mark % RECENT_MARKS_MAX].position <= position)
		making->next_mark++;
	return making->next_mark == recent->mark_head
		       ? recent->drained_ns
		       : recent->marks[making->next_mark % RECENT_MARKS_MAX].time_ns;
}

/*
 * A sample of time off CPU is reported when the task gets a CPU again, or once a minute. The time
 * off CPU may thus have begun before the report's time range. Returns the part that can lie in this
 * range: at most the time from the range's beginning to the end of the round in which the sample
 * was reported.
 */
static uint64_t time_in_stretch(struct making *making, uint64_t position, uint64_t weight)
{
	uint64_t end_ns = round_end_ns(making, position);
	uint64_t begin_ns = making->mark->time_ns;
	uint64_t most = end_ns > begin_ns ? end_ns - begin_ns : 0;

	return weight < most ? weight : most;
}

static int add_entry(struct making *making, uint64_t position)
{
	const struct recent_entry *entry = recent_entry(making->config->recent, position);
	const struct recent_key *key = &making->config->recent->keys.slots[entry->key].key;
	int64_t *section = &making->sections[entry->key];
	uint64_t weight;
	int error = 0;

	if (*section == SECTION_NOT_ASKED)
		*section = section_find(making, key, &error);
	if (error)
		return error;
	if (*section == SECTION_UNKNOWN) {
		making->info.flags |= OPROF_SLICE_HOLED;
		return 0;
	}
	weight = entry_weight(making, entry, key->event);
	if (key->mode == OPROF_MODE_OFF_CPU)
		weight = time_in_stretch(making, position, weight);
	return slice_builder_add(making->builder, *section, entry->offset, entry->nr_samples,
				 weight);
}

static uint64_t end_position(const struct making *making)
{
	return making->end_mark ? making->end_mark->position : making->config->recent->head;
}

static int add_entries(struct making *making)
{
	int error = 0;

	for (uint64_t at = making->mark->position; at < end_position(making) && !error; at++)
		error = add_entry(making, at);
	return error;
}

/* ---- header ---- */

static void set_counter(struct oprof_stats_entry *entry, const char *name, uint64_t value)
{
	memcpy(entry->name, name, sizeof(entry->name));
	entry->value = value;
}

static uint64_t value_at(const struct recent_mark *mark, uint32_t index)
{
	return index < mark->nr_values ? mark->values[index] : 0;
}

/* A counter may have decreased, if it was corrected because of a damaged file. */
static void set_counters(struct making *making)
{
	const struct stats *stats = &making->config->session->stats;

	for (uint32_t i = 0; i < stats->nr_entries; i++) {
		uint64_t end = making->end_mark ? value_at(making->end_mark, i) : stats->values[i];
		uint64_t begin = value_at(making->mark, i);

		set_counter(&making->begin[i], stats->names[i], begin < end ? begin : end);
		set_counter(&making->end[i], stats->names[i], end);
	}
	making->info.begin = making->begin;
	making->info.end = making->end;
	making->info.nr_counters = stats->nr_entries;
}

/* The sum wraps around instead of overflowing: a record may contain any time. */
static int64_t to_realtime(const struct recent_slice_config *config, uint64_t time_ns)
{
	return (int64_t)(time_ns + (uint64_t)config->to_realtime_ns);
}

static void set_info(struct making *making)
{
	const struct recent_slice_config *config = making->config;
	const struct run_info *session = &config->session->info;
	struct slice_info *info = &making->info;

	info->level = OPROF_SLICE_MINUTE;
	info->epoch_first = info->epoch_last = 1;
	info->begin_ns = to_realtime(config, making->mark->time_ns);
	info->end_ns = to_realtime(config, making->end_mark ? making->end_mark->time_ns
							    : config->recent->drained_ns);
	if (info->end_ns < info->begin_ns)
		info->end_ns = info->begin_ns;
	if (making->mark->position < end_position(making)) {
		info->first_sample_ns = info->begin_ns;
		info->last_sample_ns = to_realtime(config, config->recent->newest_ns);
		if (info->last_sample_ns > info->end_ns)
			info->last_sample_ns = info->end_ns;
		if (info->last_sample_ns < info->first_sample_ns)
			info->last_sample_ns = info->first_sample_ns;
	}
	memcpy(info->boot_id, session->boot_id, sizeof(info->boot_id));
	info->clock = session->clock;
	info->cpu_khz = session->cpu_khz;
	info->host = session->host;
	info->cpu_type = session->cpu_type;
	set_counters(making);
}

/* ---- making ---- */

static int making_init(struct making *making)
{
	const struct recent_slice_config *config = making->config;
	uint32_t nr_keys = config->recent->keys.nr_touched;
	const struct run_info *info = &config->session->info;

	making->sections = malloc((nr_keys + 1) * sizeof(*making->sections));
	making->weighted = calloc(info->nr_events + 1, sizeof(*making->weighted));
	making->begin = calloc(STATS_ENTRIES_MAX, sizeof(*making->begin));
	making->end = calloc(STATS_ENTRIES_MAX, sizeof(*making->end));
	if (!making->sections || !making->weighted || !making->begin || !making->end)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr_keys; i++)
		making->sections[i] = SECTION_NOT_ASKED;
	for (size_t i = 0; i < info->nr_events; i++)
		making->weighted[i] = placement_is_weighted(&info->events[i]);
	return slice_builder_create(&making->builder);
}

static void making_deinit(struct making *making)
{
	if (making->builder)
		slice_builder_destroy(making->builder);
	free(making->sections);
	free(making->weighted);
	free(making->begin);
	free(making->end);
}

static int make_in(struct making *making, int fd)
{
	uint64_t nr_bytes;
	int error = add_entries(making);

	if (error)
		return error;
	set_info(making);
	error = slice_builder_write(making->builder, &making->info, fd, &nr_bytes);
	if (error)
		return error;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) ||
	    lseek(fd, 0, SEEK_SET))
		return -errno;
	return 0;
}

static int make_slice(struct making *making)
{
	int fd = memfd_create("oprof-recent", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int error;

	if (fd < 0)
		return -errno;
	error = make_in(making, fd);
	if (!error)
		return fd;
	(void)close(fd);
	return error;
}

int recent_slice_open(const struct recent_slice_config *config, struct recent_stretch *stretch)
{
	struct making *making = calloc(1, sizeof(*making));
	int fd = -ENOMEM;

	if (!making)
		return -ENOMEM;
	making->config = config;
	making->next_mark = config->recent->mark_tail;
	making->mark =
		recent_find_mark(config->recent, config->recent->drained_ns, config->span.last_ns);
	if (config->span.until_ns)
		making->end_mark = recent_find_end(config->recent, config->recent->drained_ns,
						   config->span.until_ns);
	if (!making->mark) /* all marks were dropped since the last round: out of memory */
		fd = -EAGAIN;
	else if (!making_init(making))
		fd = make_slice(making);
	if (fd >= 0)
		*stretch = (struct recent_stretch){making->info.begin_ns, making->info.end_ns};
	making_deinit(making);
	free(making);
	return fd;
}
