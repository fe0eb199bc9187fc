/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code tables (unwind/code_table.h) of images: where functions begin, and how frames are
 * unwound. A table is requested when a sample, or a mapping of a profiled process, first names its
 * image. If an earlier run needed the table, it is read from the folder of tables. Otherwise the
 * keeper (image_keeper.h) builds it, and sampling continues without the table until the keeper
 * answers.
 *
 * Elsewhere: building tables (unwind/), walking stacks (perf_unwind).
 */
#ifndef DAEMON_IMAGE_CODE_H
#define DAEMON_IMAGE_CODE_H

#include "daemon/image/image.h"
#include "daemon/image/image_keeper.h"
#include "unwind/code_table.h"

struct vdso;

struct image_code_counters {
	uint64_t wanted; /* images whose tables were requested */
	uint64_t found;	 /* tables found in the folder */
	uint64_t built;	 /* tables built in this run */
	uint64_t none;	 /* images without a table: no unwind information, not ELF, other machine */
	uint64_t unreadable; /* images that are damaged or too big */
	uint64_t failed;     /* tables that could not be written or mapped */
};

struct image_code {
	bool on, told_damage;
	/* The input is a recording. A table that is not available now will not become available. */
	bool recorded;
	char *path;		 /* path of the folder of tables; NULL: tables are in memory only */
	struct code_table *vdso; /* NULL: the vdso has no table */
	const struct vdso *vdso_of;
	struct image_code_counters counters;
};

/* Initializes code. No tables are requested before image_code_begin. */
void image_code_init(struct image_code *code);
void image_code_deinit(struct image_code *code);

/*
 * Allows requests for tables. path: the folder of tables, copied; NULL: no folder. Returns 0 or
 * -ENOMEM.
 */
int image_code_begin(struct image_code *code, const char *path, const struct vdso *vdso);

/* Returns whether it is time to request the image's table. */
static inline bool image_code_is_due(const struct image_code *code, const struct image_entry *entry,
				     uint64_t now_ns)
{
	return code->on && !entry->code && now_ns >= entry->code_due_ns &&
	       entry->image.kind == OPROF_IMAGE_FILE;
}

/* For recordings: returns whether the image's table may still arrive. */
static inline bool image_code_may_come(const struct image_code *code,
				       const struct image_entry *entry)
{
	return code->on && code->recorded && !entry->code && entry->code_due_ns != UINT64_MAX &&
	       entry->image.kind == OPROF_IMAGE_FILE;
}

/*
 * Returns the image's table, or NULL if it is not available now. For the vdso, returns the table in
 * `code`.
 */
const struct code_table *image_code_of(const struct image_code *code,
				       const struct image_entry *entry);

/*
 * Reads the image's table from the folder. Returns true if the table exists and is valid. A damaged
 * table is removed; the first damaged table is reported in the log.
 */
bool image_code_find(struct image_code *code, struct image_entry *entry);

/*
 * Handles an answer of the keeper. fd: the descriptor that came with the answer, borrowed; -1:
 * none.
 */
void image_code_take(struct image_code *code, struct image_entry *entry,
		     const struct keeper_answer *answer, int fd, uint64_t now_ns);

#endif
