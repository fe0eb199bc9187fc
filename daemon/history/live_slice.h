/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slice in the making: what live sample files hold, gathered in memory,
 * then published in a session's history folder.
 *
 * Not for: when to close, and what happens to the files then (history.h).
 */
#ifndef DAEMON_LIVE_SLICE_H
#define DAEMON_LIVE_SLICE_H

#include "libdb/slice/slice.h"
#include "libdb/slice/stack_tree.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_slice {
	struct slice_builder *builder;
	uint64_t epoch_first, epoch_last;	 /* of the files; 0: no file was taken */
	int64_t first_sample_ns, last_sample_ns; /* 0: not known */
	uint8_t boot_id[16];			 /* 0: of several boots */
	uint32_t flags;				 /* OPROF_SLICE_* */
	uint64_t nr_samples;			 /* without idle ones */
	uint64_t nr_idle;
	uint64_t bytes_max; /* that it will take, at most */
	size_t nr_damaged;  /* files that can't be read: what they held is lost */
	struct stack_tree stacks;
	bool has_stacks;     /* a live stack file was taken */
	bool stacks_damaged; /* ... cannot be read */
	uint64_t nr_stacks;  /* samples in its trees */
};

int live_slice_init(struct live_slice *live); /* 0 or -ENOMEM */
void live_slice_deinit(struct live_slice *live);

/*
 * Take what the file of this name (below session_path) holds, unless its
 * epoch is epoch_closed or earlier. One that is gone, or cannot be read for what is in it,
 * holds nothing. 0, or -errno: nothing of it was taken, the slice is of no use any more.
 */
int live_slice_add(struct live_slice *live, const char *session_path, const char *name,
		   uint64_t epoch_closed);

/* The same of the session's stack file. */
int live_slice_add_stacks(struct live_slice *live, const char *session_path, uint64_t epoch_closed);

/* An error of reading that says that the file is damaged, not that it could not be read. */
bool live_slice_is_damage(int error);

/*
 * Write it to the history folder of session_path (made when it is missing)
 * under the name that info gives it; at once (rename), not synced. step is
 * called between changes to the folder, or NULL. *path: of it, to be freed by
 * the caller; *nr_blocks: bytes that it takes on disk. 0, or -errno: nothing has changed.
 */
int live_slice_publish(struct live_slice *live, const char *session_path,
		       const struct slice_info *info, void (*step)(void), char **path,
		       uint64_t *nr_blocks);

#endif
