// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/history/leftover.h"

#include "daemon/filing/sample_tree.h"
#include "lib/file.h"
#include "lib/log.h"
#include "oprof/stack_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct leftover {
	struct live_slice *live;
	const char *session_path;
	uint64_t epoch_closed;
	struct sample_tree tree;
	void (*step)(void);
};

/*
 * All fields are written by one pwrite within a page, so that after a kill the file has either all
 * of the new values or none.
 */
static int give_epoch(const char *path, struct oprof_sdb_header *header, uint64_t epoch)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	int error = 0;

	if (fd < 0)
		return -errno;
	header->flags |= OPROF_SDB_EPOCHS;
	header->epoch = epoch;
	if (pwrite(fd, header, sizeof(*header), 0) != (ssize_t)sizeof(*header))
		error = errno ? -errno : -EIO;
	(void)close(fd);
	return error;
}

static int adopt_file(const char *path, const struct sample_name *name, const struct diag *diag,
		      void *context)
{
	const struct leftover *leftover = context;
	struct sdb_image image;
	int error = 0;

	(void)diag;
	if (!name || sdb_image_load_header(path, &image, NULL))
		return 0; /* a damaged file counts as empty */
	if (!image.header.epoch)
		error = give_epoch(path, &image.header, leftover->epoch_closed + 1);
	sdb_image_deinit(&image);
	return error;
}

static int take_file(const char *path, const struct sample_name *name, const struct diag *diag,
		     void *context)
{
	const struct leftover *leftover = context;

	(void)diag;
	if (!name) {
		leftover->live->nr_others++;
		return 0;
	}
	return live_slice_add(leftover->live, leftover->session_path,
			      path + strlen(leftover->session_path) + 1, leftover->epoch_closed);
}

int leftover_take(struct live_slice *live, const char *session_path, uint64_t epoch_closed)
{
	struct leftover leftover = {
		.live = live,
		.session_path = session_path,
		.epoch_closed = epoch_closed,
	};
	int error = sample_name_walk(session_path, adopt_file, &leftover);

	if (!error)
		error = sample_name_walk(session_path, take_file, &leftover);
	return error ? error : live_slice_add_stacks(live, session_path, epoch_closed);
}

static void set_aside(const char *what, const char *path)
{
	char *aside = NULL;

	if (asprintf(&aside, "%s.damaged", path) < 0) {
		log_error("%s file %s is damaged; it keeps its name", what, path);
		return;
	}
	log_error("%s file %s is damaged: renaming it to %s", what, path, aside);
	if (rename(path, aside))
		log_error("cannot rename %s: %s", path, strerror(errno));
	free(aside);
}

static int remove_file(const char *path, const struct sample_name *name, const struct diag *diag,
		       void *context)
{
	struct leftover *leftover = context;
	struct sdb_image image;
	int error;

	(void)diag;
	if (!name)
		return 0;
	if (leftover->step)
		leftover->step();
	error = sdb_image_load(path, &image, NULL);
	if (!error)
		sdb_image_deinit(&image);
	if (!error || error == -ENODATA)
		sample_tree_remove(&leftover->tree, path);
	else if (live_slice_is_damage(error))
		set_aside("sample", path);
	return 0;
}

static void remove_stacks(const char *session_path, bool damaged)
{
	char *path;

	if (asprintf(&path, "%s/" OPROF_STACK_FILE, session_path) < 0)
		return; /* the next epoch will empty the file */
	if (damaged)
		set_aside("stack", path);
	else
		(void)unlink(path);
	free(path);
}

/*
 * Removing thousands of files, one by one, may take minutes on a busy disk, and the daemon does not
 * sample during this time. Therefore, if all files can be removed, their folders are only moved
 * away, and another process removes them.
 */
void leftover_remove(const struct live_slice *live, struct session *session, void (*step)(void))
{
	const char *path = session->current_path;
	struct leftover leftover = {.session_path = path, .step = step};

	if (step)
		step();
	if (live->nr_damaged || live->nr_others || session_discard_files(session)) {
		sample_tree_init(&leftover.tree, path);
		(void)sample_name_walk(path, remove_file, &leftover);
	}
	if (step)
		step();
	remove_stacks(path, live->stacks_damaged);
}
