// SPDX-License-Identifier: GPL-2.0-or-later
#include "pp/session/session_parts.h"

#include "libdb/slice/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/stacks/stack_file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Maximum number of attempts to read a session. An attempt fails if the daemon closes a slice
 * during the attempt. The daemon closes a slice about once a minute.
 */
#define TRIES_MAX 20
/* A slice that overlaps the time range by less than this may be ignored; see is_sliver(). */
#define SLIVER_NS INT64_C(5000000000)

/* State of the attempts to read a session. */
struct session_reading {
	struct session_parts *parts;
	struct session_info *info;
	const char *path;
	const struct session_parts_options *options;
	struct history_files history;
	bool quiet;		 /* damaged slices have already been reported */
	struct strings reported; /* paths and messages passed to skip() in all attempts */
	bool cgroups_lack; /* a cgroup's name was missing even after the names were read again */
};

/*
 * Reports an omitted file. Even if several attempts omit the file, it is reported only once. (If
 * out of memory, it may be reported again.)
 */
static void report(struct session_reading *reading, const char *path, const struct diag *diag)
{
	const size_t nr_before = reading->reported.nr_used;
	char *key;
	bool is_new = true;

	if (asprintf(&key, "%s: %s", path, diag->text) >= 0) {
		is_new = !strings_keep(&reading->reported, key) ||
			 reading->reported.nr_used > nr_before;
		free(key);
	}
	if (is_new)
		reading->options->skip(path, diag);
}

static void live_deinit(struct part_live *live)
{
	if (live->samples)
		sdb_image_deinit(live->samples);
	free(live->samples);
	free(live->path);
}

static void drop_live_files(struct session_parts *parts)
{
	for (size_t i = 0; i < parts->nr_live; i++)
		live_deinit(&parts->live[i]);
	free(parts->live);
	parts->live = NULL;
	parts->nr_live = 0;
	if (parts->stacks)
		stack_tree_deinit(parts->stacks);
	free(parts->stacks);
	parts->stacks = NULL;
}

void session_parts_deinit(struct session_parts *parts)
{
	for (size_t i = 0; i < parts->nr_slices; i++) {
		slice_close(parts->slices[i].slice);
		free(parts->slices[i].path);
	}
	free(parts->slices);
	drop_live_files(parts);
	counters_deinit(&parts->live_counters);
	strings_deinit(&parts->strings);
	*parts = (struct session_parts){0};
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/*
 * Returns whether a slice is ignored because its overlap with the time range is too short. The
 * daemon closes a slice a moment after its minute has ended, so each slice slightly overlaps the
 * next minute.
 */
static bool is_sliver(const struct time_range *range, int64_t begin_ns, int64_t end_ns)
{
	int64_t overlap = smaller(end_ns, range->end_ns) -
			  (begin_ns > range->begin_ns ? begin_ns : range->begin_ns);
	int64_t length = end_ns - begin_ns;

	if (range->begin_ns != TIME_RANGE_OPEN_BEGIN && range->end_ns != TIME_RANGE_OPEN_END)
		length = smaller(length, range->end_ns - range->begin_ns);
	return overlap < smaller(SLIVER_NS, length / 10);
}

static bool in_range(const struct time_range *range, int64_t begin_ns, int64_t end_ns)
{
	if (!range)
		return true;
	if (begin_ns >= range->end_ns || (end_ns <= range->begin_ns && begin_ns < range->begin_ns))
		return false;
	return !is_sliver(range, begin_ns, end_ns);
}

/* ---- the extent of all slices and live files, selected or not ---- */

static void widen(int64_t *oldest_ns, int64_t *newest_ns, int64_t begin_ns, int64_t end_ns)
{
	if (begin_ns && (!*oldest_ns || begin_ns < *oldest_ns))
		*oldest_ns = begin_ns;
	if (end_ns > *newest_ns)
		*newest_ns = end_ns;
}

static void note_extent(struct session_parts *parts, const struct time_range *range,
			int64_t begin_ns, int64_t end_ns)
{
	widen(&parts->oldest_ns, &parts->newest_ns, begin_ns, end_ns);
	if (!range)
		return;
	if (end_ns <= range->begin_ns && end_ns > parts->before_ns)
		parts->before_ns = end_ns;
	if (begin_ns >= range->end_ns && (!parts->after_ns || begin_ns < parts->after_ns))
		parts->after_ns = begin_ns;
}

/* ---- slices ---- */

static void tell_damaged(const char *path, const struct diag *diag, void *context)
{
	struct session_reading *reading = context;

	if (reading->quiet)
		return;
	reading->parts->nr_damaged++;
	report(reading, path, diag);
}

static int keep_slice(struct session_parts *parts, const struct history_file *file,
		      struct slice *slice)
{
	struct part_slice *bigger =
		reallocarray(parts->slices, parts->nr_slices + 1, sizeof(*bigger));
	char *path = strdup(file->path);

	if (bigger)
		parts->slices = bigger;
	if (!bigger || !path) {
		free(path);
		slice_close(slice);
		return -ENOMEM;
	}
	bigger[parts->nr_slices++] = (struct part_slice){
		.slice = slice,
		.path = path,
		.level = file->level,
		.begin_ns = file->begin_ns,
		.end_ns = file->end_ns,
	};
	return 0;
}

/* Returns -EAGAIN if the file was merged since it was listed. */
static int open_slice(struct session_reading *reading, const struct history_file *file)
{
	struct slice *slice;
	struct diag why;
	int error = slice_open(&slice, file->path, &why);

	if (!error)
		return keep_slice(reading->parts, file, slice);
	if (error == -ENOENT)
		return -EAGAIN;
	if (error == -ENOMEM || error == -EMFILE || error == -ENFILE)
		return error;
	tell_damaged(file->path, &why, reading);
	return 0;
}

static int open_slices(struct session_reading *reading)
{
	int error = 0;

	for (size_t i = 0; i < reading->history.nr_files && !error; i++) {
		const struct history_file *file = &reading->history.files[i];

		if (file->superseded)
			continue;
		note_extent(reading->parts, reading->options->range, file->begin_ns, file->end_ns);
		if (in_range(reading->options->range, file->begin_ns, file->end_ns))
			error = open_slice(reading, file);
	}
	return error;
}

/* ---- live files ---- */

/*
 * Returns the path of a cgroup, or NULL. The daemon stores a cgroup's name before it creates the
 * cgroup's files. If the name is missing, the list of names may be older than the files; then the
 * list is read again.
 */
static const char *find_cgroup(struct session_reading *reading, int64_t number)
{
	const char *path = session_info_cgroup(reading->info, number);

	if (path || reading->cgroups_lack)
		return path;
	if (!session_info_renew_cgroups(reading->info, reading->path))
		path = session_info_cgroup(reading->info, number);
	reading->cgroups_lack = !path;
	return path;
}

static const char *keep_cgroup(struct session_reading *reading, int64_t number)
{
	const char *path = find_cgroup(reading, number);
	char text[24];

	if (!path) {
		(void)snprintf(text, sizeof(text), "%" PRId64, number);
		path = text;
	}
	return strings_keep(&reading->parts->strings, path);
}

static int set_path(struct session_reading *reading, struct slice_path *path,
		    const struct sample_path *named, const char *true_path)
{
	path->kind = named->kind;
	path->tgid = named->tgid;
	path->start = named->start;
	path->end = named->end;
	path->path = strings_keep(&reading->parts->strings,
				  named->hashed && true_path ? true_path : named->path);
	return path->path ? 0 : -ENOMEM;
}

/*
 * Describes a live file. header is NULL if the file cannot be read; then the attempt to read its
 * samples will report the error.
 */
static int describe(struct session_reading *reading, const struct sample_name *name,
		    const struct sdb_image *header, struct slice_section *section)
{
	*section = (struct slice_section){
		.period_or_hz = name->period_or_hz,
		.unit_mask = name->unit_mask,
		.flags = name->frequency ? OPROF_SDB_FREQUENCY : 0,
		.tgid = name->tgid,
		.tid = name->tid,
		.cpu = name->cpu,
		.identity.inode = name->identity,
		.image_kind = OPROF_IMAGE_FILE,
	};
	if (header) {
		section->identity = header->header.image;
		section->image_kind = (enum oprof_image_kind)header->header.image_kind;
		section->image_start = header->header.image_start;
		section->flags = header->header.flags;
	}
	section->event = strings_keep(&reading->parts->strings, name->event);
	if (name->cgroup >= 0)
		section->cgroup = keep_cgroup(reading, name->cgroup);
	if (!section->event || (name->cgroup >= 0 && !section->cgroup) ||
	    set_path(reading, &section->app, &name->app, header ? header->app_path : NULL))
		return -ENOMEM;
	return set_path(reading, &section->image, &name->image, header ? header->image_path : NULL);
}

static int keep_live(struct session_parts *parts, const struct slice_section *section,
		     const char *path, struct part_live **live)
{
	if (!(parts->nr_live & (parts->nr_live - 1))) {
		size_t room = parts->nr_live ? parts->nr_live * 2 : 1;
		struct part_live *bigger = reallocarray(parts->live, room, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		parts->live = bigger;
	}
	*live = &parts->live[parts->nr_live];
	**live = (struct part_live){.section = *section, .path = strdup(path)};
	if (!(*live)->path)
		return -ENOMEM;
	parts->nr_live++;
	return 0;
}

static void set_times(struct part_live *live, const struct oprof_sdb_header *header)
{
	live->begin_ns = header->start_time_ns;
	live->end_ns = header->end_time_ns;
}

/* Reads a file with epochs immediately, because the daemon may soon move its samples to a slice. */
static int load_now(struct session_reading *reading, const struct slice_section *section,
		    const char *path)
{
	struct part_live *live;
	struct sdb_image *samples = malloc(sizeof(*samples));
	struct diag why;
	int error = samples ? sdb_image_load(path, samples, &why) : -ENOMEM;

	if (error) {
		free(samples);
		if (error == -ENOMEM || error == -ENOENT)
			return error == -ENOENT ? 0 : error;
		reading->parts->nr_skipped++;
		report(reading, path, &why);
		return 0;
	}
	if (samples->nr_entries && samples->header.epoch > reading->history.epoch_closed) {
		error = keep_live(reading->parts, section, path, &live);
		if (!error) {
			live->samples = samples;
			set_times(live, &samples->header);
			live->section.nr_samples = samples->nr_samples;
			live->section.weight = samples->weight;
			live->section.nr_keys = samples->nr_entries;
			return 0;
		}
	}
	sdb_image_deinit(samples);
	free(samples);
	return error;
}

/* Adds a live file to the parts. header is the file's header; NULL if it cannot be read. */
static int add_live(struct session_reading *reading, const char *path,
		    const struct sample_name *name, const struct sdb_image *header)
{
	struct slice_section section;
	struct part_live *live;
	int error = describe(reading, name, header, &section);

	if (error)
		return error;
	if (header && header->header.flags & OPROF_SDB_EPOCHS) {
		if (header->header.epoch <= reading->history.epoch_closed)
			return 0;
		if (reading->options->wanted(&section, reading->options->context))
			return load_now(reading, &section, path);
	}
	error = keep_live(reading->parts, &section, path, &live);
	if (!error && header)
		set_times(live, &header->header);
	return error;
}

static int visit_live(const char *path, const struct sample_name *name, const struct diag *diag,
		      void *context)
{
	struct session_reading *reading = context;
	struct sdb_image header;
	struct diag why;
	int error;

	if (!name) {
		reading->parts->nr_skipped++;
		report(reading, path, diag);
		return 0;
	}
	error = sdb_image_load_header(path, &header, &why);
	if (error == -ENOENT) /* an empty file that the daemon removed */
		return 0;
	if (error == -ENOMEM || error == -EMFILE || error == -ENFILE)
		return error;
	if (error && (name->app.hashed || name->image.hashed)) {
		reading->parts->nr_skipped++;
		report(reading, path, &why);
		return 0;
	}
	if (error)
		return add_live(reading, path, name, NULL);
	error = add_live(reading, path, name, &header);
	sdb_image_deinit(&header);
	return error;
}

/* ---- live call trees ---- */

static int read_stacks(struct session_reading *reading)
{
	struct session_parts *parts = reading->parts;
	struct stack_tree *tree;
	char path[PATH_MAX];
	struct diag why;
	uint64_t epoch;
	int error;

	if (!reading->options->stacks || snprintf(path, sizeof(path), "%s/" OPROF_STACK_FILE,
						  reading->path) >= (int)sizeof(path))
		return 0;
	tree = malloc(sizeof(*tree));
	error = tree ? stack_file_load(path, tree, &epoch, &why) : -ENOMEM;
	if (!error && epoch > reading->history.epoch_closed) {
		parts->stacks = tree;
		return 0;
	}
	if (!error)
		stack_tree_deinit(tree);
	free(tree);
	if (!error || error == -ENOENT || error == -ENOMEM)
		return error == -ENOENT ? 0 : error;
	parts->nr_damaged_stacks++;
	report(reading, path, &why);
	return 0;
}

/*
 * Selects all live files or none, depending on their common time range: together they are treated
 * as the session's newest slice.
 */
static void choose_live(struct session_parts *parts, const struct time_range *range)
{
	int64_t begin_ns = 0;
	int64_t end_ns = 0;

	for (size_t i = 0; i < parts->nr_live; i++)
		widen(&begin_ns, &end_ns, parts->live[i].begin_ns, parts->live[i].end_ns);
	if (begin_ns)
		note_extent(parts, range, begin_ns, end_ns);
	parts->has_live = !begin_ns || in_range(range, begin_ns, end_ns);
	if (!parts->has_live)
		drop_live_files(parts);
}

/* ---- sums ---- */

static int add_change(struct counters *counters, const struct oprof_stats_entry *entry,
		      uint64_t before)
{
	/* If recovery after a crash has decreased a counter, its change counts as 0. */
	return counters_add(counters, entry->name,
			    entry->value > before ? entry->value - before : 0);
}

static int add_slice_counters(struct counters *counters, const struct slice_info *info)
{
	int error = 0;

	for (size_t i = 0; i < info->nr_counters && !error; i++)
		error = add_change(counters, &info->end[i], info->begin[i].value);
	return error;
}

static uint64_t value_at_end(const struct slice_info *last, const char *name)
{
	for (size_t i = 0; last && i < last->nr_counters; i++)
		if (!strncmp(last->end[i].name, name, OPROF_STATS_NAME_BYTES))
			return last->end[i].value;
	return 0;
}

/*
 * Adds the growth of the session's counters since the end of `last`, which must be the session's
 * newest slice, or NULL if there are no slices.
 */
static int add_live_counters(struct counters *counters, const struct session_info *info,
			     const struct slice_info *last)
{
	int error = 0;

	for (size_t i = 0; i < info->nr_stats && !error; i++)
		error = add_change(counters, &info->stats[i],
				   value_at_end(last, info->stats[i].name));
	return error;
}

/* Returns the newest valid slice, even if it is outside the time range. */
static const struct history_file *newest_slice(const struct history_files *history)
{
	for (size_t i = 0; i < history->nr_files; i++)
		if (!history->files[i].superseded &&
		    history->files[i].epoch_last == history->epoch_closed)
			return &history->files[i];
	return NULL;
}

/* Sets live_counters to the growth of the session's counters since the newest slice. */
static int count_live(struct session_reading *reading)
{
	const struct history_file *newest = newest_slice(&reading->history);
	struct session_parts *parts = reading->parts;
	struct slice *slice = NULL;
	struct diag why;
	int error;

	parts->of_session = !reading->options->range && reading->info->nr_stats;
	if (!newest || parts->of_session)
		return add_live_counters(&parts->live_counters, reading->info, NULL);
	if (!parts->has_live)
		return 0;
	error = slice_open(&slice, newest->path, &why);
	if (error)
		return error == -ENOENT ? -EAGAIN : error == -ENOMEM ? error : 0;
	error = add_live_counters(&parts->live_counters, reading->info, slice_info(slice));
	slice_close(slice);
	return error;
}

int session_parts_count(const struct session_parts *parts, struct counters *counters)
{
	int error = 0;

	for (size_t i = 0; i < parts->live_counters.nr_entries && !error; i++)
		error = add_change(counters, &parts->live_counters.entries[i], 0);
	for (size_t i = 0; i < parts->nr_slices && !error && !parts->of_session; i++)
		error = add_slice_counters(counters, slice_info(parts->slices[i].slice));
	return error;
}

static void sum_up_time(struct session_parts *parts)
{
	int64_t begin_ns = 0;
	int64_t end_ns = 0;

	parts->begin_ns = parts->end_ns = parts->nr_ns = 0;
	for (size_t i = 0; i < parts->nr_slices; i++) {
		const struct part_slice *slice = &parts->slices[i];

		widen(&parts->begin_ns, &parts->end_ns, slice->begin_ns, slice->end_ns);
		parts->nr_ns += slice->end_ns - slice->begin_ns;
	}
	for (size_t i = 0; i < parts->nr_live; i++)
		widen(&begin_ns, &end_ns, parts->live[i].begin_ns, parts->live[i].end_ns);
	widen(&parts->begin_ns, &parts->end_ns, begin_ns, end_ns);
	parts->nr_ns += end_ns - begin_ns;
}

/* ---- a session ---- */

static int read_parts(struct session_reading *reading, struct diag *diag)
{
	struct diag why;
	int error;

	if (session_info_load(reading->info, reading->path, &why))
		report(reading, reading->path, &why);
	error = open_slices(reading);
	if (!error)
		error = sample_name_walk(reading->path, visit_live, reading);
	if (!error)
		error = read_stacks(reading);
	if (!error) {
		choose_live(reading->parts, reading->options->range);
		sum_up_time(reading->parts);
		error = count_live(reading);
	}
	if (error && error != -ENOMEM && error != -EAGAIN)
		diag_set_at(diag, error, reading->path, 0, "cannot be read: %s", strerror(-error));
	return error;
}

/* Returns -EAGAIN if slices changed since the list was read. */
static int check_same(struct session_reading *reading)
{
	struct history_files now = {0};
	bool same;
	int error;

	reading->quiet = true;
	error = history_files_list(&now, reading->path, tell_damaged, reading);
	reading->quiet = false;
	if (error)
		return error;
	same = history_files_same(&reading->history, &now);
	history_files_deinit(&now);
	return same ? 0 : -EAGAIN;
}

static int read_once(struct session_reading *reading, struct diag *diag)
{
	int error;

	*reading->parts = (struct session_parts){0};
	*reading->info = (struct session_info){0};
	reading->history = (struct history_files){0};
	reading->cgroups_lack = false;
	error = history_files_list(&reading->history, reading->path, tell_damaged, reading);
	if (error)
		return diag_set(diag, error, "%s/" OPROF_SLICE_FOLDER " cannot be read: %s",
				reading->path, strerror(-error));
	reading->parts->epoch_closed = reading->history.epoch_closed;
	error = read_parts(reading, diag);
	if (!error)
		error = check_same(reading);
	history_files_deinit(&reading->history);
	return error;
}

int session_parts_read(struct session_parts *parts, struct session_info *info, const char *path,
		       const struct session_parts_options *options, struct diag *diag)
{
	struct session_reading reading = {
		.parts = parts, .info = info, .path = path, .options = options};
	int error = read_once(&reading, diag);

	for (int i = 1; i < TRIES_MAX && error == -EAGAIN; i++) {
		session_parts_deinit(parts);
		session_info_deinit(info);
		error = read_once(&reading, diag);
	}
	if (error == -EAGAIN)
		diag_set(diag, error, "cannot read %s: its slices change too fast; try again",
			 path);
	strings_deinit(&reading.reported);
	return error;
}

int session_parts_add_slice(struct session_parts *parts, struct slice *slice, const char *name)
{
	const struct slice_info *info = slice_info(slice);
	char *path = strdup(name);
	struct history_file file = {
		.path = path,
		.level = info->level,
		.begin_ns = info->begin_ns,
		.end_ns = info->end_ns,
	};
	int error;

	if (!path) {
		slice_close(slice);
		return -ENOMEM;
	}
	error = keep_slice(parts, &file, slice);
	free(path);
	if (error)
		return error;
	widen(&parts->oldest_ns, &parts->newest_ns, info->begin_ns, info->end_ns);
	sum_up_time(parts);
	return 0;
}

void session_parts_drop_slice(struct session_parts *parts, size_t index)
{
	struct part_slice *dropped = &parts->slices[index];

	slice_close(dropped->slice);
	free(dropped->path);
	memmove(dropped, dropped + 1, (parts->nr_slices - index - 1) * sizeof(*dropped));
	parts->nr_slices--;
	sum_up_time(parts);
}

void session_parts_drop_live(struct session_parts *parts)
{
	drop_live_files(parts);
	counters_deinit(&parts->live_counters);
	parts->has_live = false;
	sum_up_time(parts);
}
