// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/live_slice.h"

#include "daemon/history/history_reserve.h"
#include "lib/file.h"
#include "libdb/slice/history_files.h"
#include "libdb/stacks/stack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Upper limits, for contents that cannot be compressed (doc/slice.md). A number takes at most 10
 * bytes; a key has three numbers, and a section has a few more. OTHER_BYTES_MAX is for the header,
 * the counters and rounding to blocks.
 */
#define KEY_BYTES_MAX	  30
#define SECTION_BYTES_MAX 256
#define OTHER_BYTES_MAX	  (32 << 10)

int live_slice_init(struct live_slice *live)
{
	memset(live, 0, sizeof(*live));
	live->bytes_max = OTHER_BYTES_MAX;
	return slice_builder_create(&live->builder);
}

void live_slice_deinit(struct live_slice *live)
{
	slice_builder_destroy(live->builder);
	live->builder = NULL;
	if (live->has_stacks)
		stack_tree_deinit(&live->stacks);
	live->has_stacks = false;
}

/* ---- collecting ---- */

/*
 * Sets path to true_path. If true_path is empty, sets path to the path in `name`; that path may be
 * only a hash.
 */
static void set_path(struct slice_path *path, const struct sample_path *name, const char *true_path)
{
	path->kind = name->kind;
	path->path = *true_path ? true_path : name->path;
	path->tgid = name->tgid;
	path->start = name->start;
	path->end = name->end;
}

static int64_t find_section(struct live_slice *live, const struct sample_name *name,
			    const struct sdb_image *image)
{
	const struct oprof_sdb_header *header = &image->header;
	struct slice_section section = {
		.identity = header->image,
		.image_kind = header->image_kind,
		.image_start = header->image_start,
		.event = image->event,
		.period_or_hz = header->period_or_hz,
		.unit_mask = header->unit_mask,
		.flags = header->flags & ~OPROF_SDB_EPOCHS,
		.tgid = name->tgid,
		.tid = name->tid,
		.cpu = name->cpu,
		.cgroup = image->cgroup[0] ? image->cgroup : NULL,
	};

	set_path(&section.image, &name->image, image->image_path);
	set_path(&section.app, &name->app, image->app_path);
	return slice_builder_section(live->builder, &section);
}

static void take_times(struct live_slice *live, const struct oprof_sdb_header *header)
{
	int64_t first_ns = header->start_time_ns, last_ns = header->end_time_ns;

	if (first_ns && (!live->first_sample_ns || first_ns < live->first_sample_ns))
		live->first_sample_ns = first_ns;
	if (last_ns && (!live->last_sample_ns || last_ns > live->last_sample_ns))
		live->last_sample_ns = last_ns;
}

static void take_header(struct live_slice *live, const struct oprof_sdb_header *header)
{
	if (!live->epoch_first)
		memcpy(live->boot_id, header->boot_id, sizeof(live->boot_id));
	else if (memcmp(live->boot_id, header->boot_id, sizeof(live->boot_id)) != 0)
		memset(live->boot_id, 0, sizeof(live->boot_id));
	if (!live->epoch_first || header->epoch < live->epoch_first)
		live->epoch_first = header->epoch;
	if (header->epoch > live->epoch_last)
		live->epoch_last = header->epoch;
	if (header->flags & OPROF_SDB_HOLED)
		live->flags |= OPROF_SLICE_HOLED;
	take_times(live, header);
}

static int take_image(struct live_slice *live, const struct sample_name *name,
		      const struct sdb_image *image)
{
	int64_t section = find_section(live, name, image);
	int error;

	if (section < 0)
		return (int)section;
	error = slice_builder_add_entries(live->builder, section, image->entries,
					  image->nr_entries);
	if (error)
		return error;
	if (image->header.image_kind == OPROF_IMAGE_IDLE)
		live->nr_idle += image->nr_samples;
	else
		live->nr_samples += image->nr_samples;
	take_header(live, &image->header);
	live->bytes_max += image->nr_entries * KEY_BYTES_MAX + SECTION_BYTES_MAX +
			   strlen(image->image_path) + strlen(image->app_path) +
			   strlen(image->cgroup);
	return 0;
}

bool live_slice_is_damage(int error)
{
	return error == -EINVAL || error == -EILSEQ || error == -EPROTONOSUPPORT || error == -EIO;
}

int live_slice_add(struct live_slice *live, const char *session_path, const char *name,
		   uint64_t epoch_closed)
{
	static struct sample_name parsed; /* too big for the stack; the daemon has one thread */
	struct sdb_image image;
	char *path = NULL;
	int error;

	if (sample_name_parse(name, &parsed, NULL))
		return 0; /* not a sample file */
	if (asprintf(&path, "%s/%s", session_path, name) < 0)
		return -ENOMEM;
	error = sdb_image_load(path, &image, NULL);
	free(path);
	if (!error) {
		if (image.header.epoch > epoch_closed && image.nr_entries)
			error = take_image(live, &parsed, &image);
		sdb_image_deinit(&image);
		return error;
	}
	live->nr_damaged += live_slice_is_damage(error);
	return live_slice_is_damage(error) || error == -ENODATA || error == -ENOENT ? 0 : error;
}

/* ---- stacks ---- */

static void take_stacks(struct live_slice *live, uint64_t epoch, uint64_t nr_bytes)
{
	slice_builder_stacks(live->builder, &live->stacks);
	for (uint32_t i = 0; i < live->stacks.nr_nodes; i++)
		live->nr_stacks += live->stacks.nodes[i].nr_samples;
	live->bytes_max += nr_bytes;
	if (!live->nr_stacks)
		return;
	if (!live->epoch_first || epoch < live->epoch_first)
		live->epoch_first = epoch;
	if (epoch > live->epoch_last)
		live->epoch_last = epoch;
}

static int load_stacks(struct live_slice *live, const char *path, uint64_t epoch_closed)
{
	struct stat st;
	uint64_t epoch;
	int error = stack_file_load(path, &live->stacks, &epoch, NULL);

	if (error) {
		live->stacks_damaged = live_slice_is_damage(error) || error == -EISDIR;
		return live->stacks_damaged || error == -ENODATA || error == -ENOENT ? 0 : error;
	}
	if (epoch <= epoch_closed) {
		stack_tree_deinit(&live->stacks);
		return 0;
	}
	live->has_stacks = true;
	take_stacks(live, epoch, stat(path, &st) ? 0 : (uint64_t)st.st_size);
	return 0;
}

int live_slice_add_stacks(struct live_slice *live, const char *session_path, uint64_t epoch_closed)
{
	char *path;
	int error;

	if (asprintf(&path, "%s/" OPROF_STACK_FILE, session_path) < 0)
		return -ENOMEM;
	error = load_stacks(live, path, epoch_closed);
	free(path);
	return error;
}

/* ---- publishing ---- */

/*
 * Writes the slice to path. how: flags of open(). If the file has more disk space than the slice
 * needs, the rest is released. *nr_blocks: size of the file on disk, in bytes.
 */
static int write_slice(struct live_slice *live, const struct slice_info *info, const char *path,
		       int how, uint64_t *nr_blocks)
{
	int fd = open(path, O_WRONLY | how | O_CLOEXEC | O_NOFOLLOW, 0600);
	uint64_t nr_bytes;
	struct stat st = {.st_blocks = 0};
	int error;

	if (fd < 0)
		return -errno;
	error = slice_builder_write(live->builder, info, fd, &nr_bytes);
	if (!error && (ftruncate(fd, (off_t)nr_bytes) || fstat(fd, &st)))
		error = -errno;
	if (close(fd) && !error)
		error = -errno;
	if (!error)
		*nr_blocks = (uint64_t)st.st_blocks * 512;
	return error;
}

/*
 * Writes the slice to the file `tmp`. Creates the folder only if the first write fails. If the disk
 * is full, uses the reserved space.
 */
static int write_tmp(struct live_slice *live, const char *session_path,
		     const struct slice_info *info, const char *tmp, uint64_t *nr_blocks)
{
	int error = write_slice(live, info, tmp, O_CREAT | O_TRUNC, nr_blocks);

	if (error == -ENOENT && !file_make_parent_dirs(tmp, 0700))
		error = write_slice(live, info, tmp, O_CREAT | O_TRUNC, nr_blocks);
	if ((error != -ENOSPC && error != -EDQUOT) || history_reserve_take(session_path, tmp))
		return error;
	error = write_slice(live, info, tmp, 0, nr_blocks);
	if (error)
		history_reserve_give_back(session_path, tmp);
	return error;
}

static void no_step(void)
{
}

int live_slice_publish(struct live_slice *live, const char *session_path,
		       const struct slice_info *info, void (*step)(void), char **path,
		       uint64_t *nr_blocks)
{
	char name[128];
	char *made = NULL, *tmp = NULL;
	int error = -ENOMEM;

	if (!step)
		step = no_step;
	history_file_name(name, sizeof(name), info->level, info->epoch_first, info->epoch_last);
	if (asprintf(&made, "%s/" OPROF_SLICE_FOLDER "/%s", session_path, name) < 0)
		return -ENOMEM;
	if (asprintf(&tmp, "%s.tmp", made) >= 0) {
		step();
		error = write_tmp(live, session_path, info, tmp, nr_blocks);
		step();
		if (!error && rename(tmp, made))
			error = -errno;
		if (error)
			(void)unlink(tmp);
		free(tmp);
	}
	if (error)
		free(made);
	else
		*path = made;
	step();
	return error;
}
