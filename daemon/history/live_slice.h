/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slice under construction: the contents of live sample files are collected in memory, then
 * published in the session's history folder.
 *
 * Elsewhere: when to close an epoch, and what then happens to the files (history.h).
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
	/* Epochs of the added files; 0: no file was added. */
	uint64_t epoch_first, epoch_last;
	int64_t first_sample_ns, last_sample_ns; /* 0: not known */
	uint8_t boot_id[16];			 /* all 0: samples of several boots */
	uint32_t flags;				 /* OPROF_SLICE_* */
	uint64_t nr_samples;			 /* without idle samples */
	uint64_t nr_idle;
	uint64_t bytes_max; /* upper limit of the slice's size */
	size_t nr_others;   /* other files in the folders of the live files */
	size_t nr_damaged;  /* files that cannot be read; their samples are lost */
	struct stack_tree stacks;
	bool has_stacks;     /* a live stack file was added */
	bool stacks_damaged; /* the stack file cannot be read */
	uint64_t nr_stacks;  /* samples in the trees of stacks */
};

int live_slice_init(struct live_slice *live); /* 0 or -ENOMEM */
void live_slice_deinit(struct live_slice *live);

/*
 * Adds the contents of the file with this name (below session_path), unless its epoch is
 * epoch_closed or earlier. A file that does not exist or is damaged counts as empty. Returns 0, or
 * -errno: the slice must not be used any more.
 */
int live_slice_add(struct live_slice *live, const char *session_path, const char *name,
		   uint64_t epoch_closed);

/* Adds the session's stack file, in the same way as live_slice_add. */
int live_slice_add_stacks(struct live_slice *live, const char *session_path, uint64_t epoch_closed);

/* Returns whether an error of reading a file means that the file is damaged. */
bool live_slice_is_damage(int error);

/*
 * Writes the slice to the history folder of session_path, which is created if missing. The file's
 * name depends on info. The slice appears atomically (rename) and is not synced. step (may be NULL)
 * is called between changes to the folder. *path: the slice's path, which the caller frees;
 * *nr_blocks: its size on disk in bytes. Returns 0; after -errno nothing has changed.
 */
int live_slice_publish(struct live_slice *live, const char *session_path,
		       const struct slice_info *info, void (*step)(void), char **path,
		       uint64_t *nr_blocks);

#endif
