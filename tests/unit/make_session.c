// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/make_session.h"

#include "lib/file.h"
#include "libdb/history_files.h"
#include "libdb/sample_name.h"
#include "libdb/sdb.h"
#include "libdb/slice.h"
#include "oprof/session.h"

#include <check.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void make_session_init(struct make_session *session)
{
	const char *parent = getenv("TMPDIR");

	session->name = "current";
	(void)snprintf(session->dir, sizeof(session->dir), "%s/oprof-session-XXXXXX",
		       parent ? parent : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(session->dir));
}

void make_session_deinit(struct make_session *session)
{
	ck_assert_int_eq(file_remove_tree(session->dir), 0);
}

static void set_path(struct sample_path *to, const char *path)
{
	to->kind = *path == '/' ? SAMPLE_PATH_ROOT : SAMPLE_PATH_KERN;
	(void)snprintf(to->path, sizeof(to->path), "%s", path);
}

static const char *image_of(const struct make_file *file)
{
	return file->image ? file->image : file->app;
}

/* A build-id from the path and version, by any hash. */
static void make_identity(const struct make_file *file, struct oprof_image_identity *identity)
{
	uint32_t hash = 2166136261u;

	if (file->identity) {
		*identity = *file->identity;
		return;
	}
	*identity = (struct oprof_image_identity){.nr_build_id = 20};
	for (const char *c = image_of(file); *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	memcpy(identity->build_id, &hash, sizeof(hash));
	identity->build_id[4] = file->version;
}

static void set_name(struct sample_name *name, const struct make_file *file)
{
	struct oprof_image_identity identity;

	make_identity(file, &identity);
	*name = (struct sample_name){
		.period_or_hz = file->period_or_hz ? file->period_or_hz : 1000000,
		.frequency = file->frequency,
		.unit_mask = file->unit_mask,
		.tgid = file->tgid ? file->tgid : SAMPLE_NAME_ALL,
		.tid = file->tid ? file->tid : SAMPLE_NAME_ALL,
		.cpu = file->cpu_behind ? file->cpu_behind - 1 : SAMPLE_NAME_ALL,
		.cgroup = file->cgroup ? file->cgroup : SAMPLE_NAME_ALL,
		.identity = sample_identity(&identity),
	};
	set_path(&name->app, file->app);
	set_path(&name->image, image_of(file));
	(void)snprintf(name->event, sizeof(name->event), "%s",
		       file->event ? file->event : "cpu-clock");
}

static void set_identity(struct sdb_identity *identity, const struct sample_name *name,
			 const struct make_file *file)
{
	*identity = (struct sdb_identity){
		.event = name->event,
		.cpu_type = "Test CPU",
		.host = file->host ? file->host : "testhost",
		.app_path = file->app,
		.image_path = image_of(file),
		.cgroup = file->cgroup_path,
		.image_kind = file->kind	       ? file->kind
			      : *image_of(file) == '/' ? OPROF_IMAGE_FILE
						       : OPROF_IMAGE_KERNEL,
		.flags = file->flags | (file->frequency ? OPROF_SDB_FREQUENCY : 0) |
			 (file->weight_each ? OPROF_SDB_WEIGHTED : 0) |
			 (file->epoch ? OPROF_SDB_EPOCHS : 0),
		.epoch = file->epoch,
		.unit_mask = name->unit_mask,
		.period_or_hz = name->period_or_hz,
		.cpu_khz = 2400000,
	};
	make_identity(file, &identity->image);
}

static void add_samples(const char *path, const struct sdb_identity *identity,
			const struct make_file *file, const struct make_sample *samples,
			size_t nr_samples)
{
	struct sdb *db;
	struct diag diag;
	int error = sdb_open(&db, path, identity, &diag);

	ck_assert_msg(!error, "%s", diag_show(&diag));
	for (size_t i = 0; i < nr_samples; i++)
		ck_assert_int_eq(
			file->weight_each
				? sdb_add_weighted(db, samples[i].key, samples[i].nr_samples,
						   samples[i].nr_samples * file->weight_each)
				: sdb_add(db, samples[i].key, samples[i].nr_samples),
			0);
	if (file->start_time_ns)
		sdb_set_time(db, file->start_time_ns);
	if (file->end_time_ns)
		sdb_set_time(db, file->end_time_ns);
	sdb_close(db);
}

void make_session_add(const struct make_session *session, const struct make_file *file,
		      const struct make_sample *samples, size_t nr_samples, char *path)
{
	static struct sample_name name; /* large */
	struct sdb_identity identity;
	char relative[PATH_MAX];
	char whole[PATH_MAX];

	set_name(&name, file);
	set_identity(&identity, &name, file);
	ck_assert_int_eq(sample_name_format(&name, relative, sizeof(relative)), 0);
	ck_assert_int_lt(snprintf(whole, sizeof(whole), "%s/samples/%s/%s", session->dir,
				  session->name, relative),
			 (int)sizeof(whole));
	ck_assert_int_eq(file_make_parent_dirs(whole, 0700), 0);
	add_samples(whole, &identity, file, samples, nr_samples);
	if (path)
		memcpy(path, whole, sizeof(whole));
}

void make_session_add_one(const struct make_session *session, const struct make_file *file,
			  uint64_t key, uint64_t nr_samples)
{
	const struct make_sample sample = {key, nr_samples};

	make_session_add(session, file, &sample, 1, NULL);
}

void make_session_meta(const struct make_session *session, const char *name, const void *text,
		       size_t nr_bytes)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/samples/%s/meta/%s", session->dir, session->name,
		       name);
	ck_assert_int_eq(file_make_parent_dirs(path, 0700), 0);
	ck_assert_int_eq(file_replace(path, text, nr_bytes, 0600), 0);
}

void make_session_stats(const struct make_session *session, const struct make_stat *stats,
			size_t nr_stats)
{
	size_t nr_bytes =
		sizeof(struct oprof_stats_file) + nr_stats * sizeof(struct oprof_stats_entry);
	struct oprof_stats_file *file = calloc(1, nr_bytes);

	ck_assert_ptr_nonnull(file);
	memcpy(file->magic, OPROF_STATS_MAGIC, sizeof(file->magic));
	file->version = OPROF_STATS_VERSION;
	file->nr_entries = (uint32_t)nr_stats;
	for (size_t i = 0; i < nr_stats; i++) {
		(void)snprintf(file->entries[i].name, OPROF_STATS_NAME_BYTES, "%s", stats[i].name);
		file->entries[i].value = stats[i].value;
	}
	make_session_meta(session, "stats", file, nr_bytes);
	free(file);
}

/* ---- slices ---- */

static void set_slice_path(struct slice_path *to, const char *path)
{
	*to = (struct slice_path){.kind = *path == '/' ? SAMPLE_PATH_ROOT : SAMPLE_PATH_KERN,
				  .path = path};
}

void make_session_section(struct slice_section *section, const struct make_file *file)
{
	static struct sample_name name; /* large */
	static struct sdb_identity identity;

	set_name(&name, file);
	set_identity(&identity, &name, file);
	*section = (struct slice_section){
		.identity = identity.image,
		.image_kind = identity.image_kind,
		.image_start = identity.image_start,
		.event = file->event ? file->event : "cpu-clock",
		.period_or_hz = name.period_or_hz,
		.unit_mask = name.unit_mask,
		.flags = identity.flags & ~OPROF_SDB_EPOCHS,
		.tgid = name.tgid,
		.tid = name.tid,
		.cpu = name.cpu,
		.cgroup = file->cgroup_path,
	};
	set_slice_path(&section->app, file->app);
	set_slice_path(&section->image, image_of(file));
}

static void add_part(struct slice_builder *builder, const struct make_slice_part *part)
{
	uint64_t plain = part->file.frequency ? 1 : 1000000;
	struct slice_section section;
	int64_t number;

	if (part->file.period_or_hz && !part->file.frequency)
		plain = part->file.period_or_hz;
	make_session_section(&section, &part->file);
	number = slice_builder_section(builder, &section);
	ck_assert_int_ge(number, 0);
	ck_assert_int_eq(slice_builder_add(builder, number, part->key, part->nr_samples,
					   part->nr_samples * (part->file.weight_each
								       ? part->file.weight_each
								       : plain)),
			 0);
}

static void set_counters(struct oprof_stats_entry *entries, const struct make_stat *stats,
			 size_t nr_stats)
{
	for (size_t i = 0; i < nr_stats; i++) {
		entries[i] = (struct oprof_stats_entry){.value = stats[i].value};
		(void)snprintf(entries[i].name, sizeof(entries[i].name), "%s", stats[i].name);
	}
}

static void write_slice(struct slice_builder *builder, const struct make_slice_head *head,
			const char *path)
{
	struct oprof_stats_entry begin[8];
	struct oprof_stats_entry end[8];
	struct slice_info info = {
		.level = head->level,
		.epoch_first = head->epoch_first,
		.epoch_last = head->epoch_last,
		.begin_ns = head->begin_ns,
		.end_ns = head->end_ns,
		.first_sample_ns = head->begin_ns,
		.last_sample_ns = head->end_ns,
		.cpu_khz = 2400000,
		.host = head->host ? head->host : "testhost",
		.cpu_type = "Test CPU",
		.begin = begin,
		.end = end,
		.nr_counters = head->nr_stats,
	};
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	uint64_t nr_bytes;

	ck_assert_uint_le(head->nr_stats, 8);
	set_counters(begin, head->begin, head->nr_stats);
	set_counters(end, head->end, head->nr_stats);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(slice_builder_write(builder, &info, fd, &nr_bytes), 0);
	ck_assert_int_eq(close(fd), 0);
}

void make_session_slice(const struct make_session *session, const struct make_slice_head *head,
			const struct make_slice_part *parts, size_t nr_parts, char *path)
{
	struct slice_builder *builder;
	char name[128];
	char whole[PATH_MAX];

	history_file_name(name, sizeof(name), head->level, head->epoch_first, head->epoch_last);
	ck_assert_int_lt(snprintf(whole, sizeof(whole), "%s/samples/%s/" OPROF_SLICE_FOLDER "/%s",
				  session->dir, session->name, name),
			 (int)sizeof(whole));
	ck_assert_int_eq(file_make_parent_dirs(whole, 0700), 0);
	ck_assert_int_eq(slice_builder_create(&builder), 0);
	for (size_t i = 0; i < nr_parts; i++)
		add_part(builder, &parts[i]);
	if (head->stacks)
		slice_builder_stacks(builder, head->stacks);
	write_slice(builder, head, whole);
	slice_builder_destroy(builder);
	if (path)
		memcpy(path, whole, sizeof(whole));
}
