/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code tables (unwind/code_table.h) of images: where functions begin, and
 * how frames are left. One is asked for when a sample, or a mapping of a
 * profiled process, names its image for the first time. The folder of tables
 * has what earlier runs needed; else the keeper (image_keeper.h) has one
 * built, and hands it back while samples go on without it.
 *
 * Not for: building them (unwind/), walking stacks (perf_unwind).
 */
#ifndef DAEMON_IMAGE_CODE_H
#define DAEMON_IMAGE_CODE_H

#include "daemon/image/image.h"
#include "daemon/image/image_keeper.h"
#include "unwind/code_table.h"

struct vdso;

struct image_code_counters {
	uint64_t wanted;     /* images whose table was asked for */
	uint64_t found;	     /* of those, in the folder */
	uint64_t built;	     /* built now */
	uint64_t none;	     /* have none: no unwind information, not ELF, another machine */
	uint64_t unreadable; /* damaged, or too big */
	uint64_t failed;     /* could not be written, or mapped */
};

struct image_code {
	bool on, told_damage;
	bool recorded;		 /* what can't be had now will not come: no time passes */
	char *path;		 /* of the folder; NULL: tables live in memory only */
	struct code_table *vdso; /* NULL: it has none */
	const struct vdso *vdso_of;
	struct image_code_counters counters;
};

/* None is wanted until image_code_begin. Cannot fail. */
void image_code_init(struct image_code *code);
void image_code_deinit(struct image_code *code);

/* Tables are wanted from now on. path: borrowed during the call; NULL: no folder. 0 or -ENOMEM. */
int image_code_begin(struct image_code *code, const char *path, const struct vdso *vdso);

/* Is one to be asked for? */
static inline bool image_code_is_due(const struct image_code *code, const struct image_entry *entry,
				     uint64_t now_ns)
{
	return code->on && !entry->code && now_ns >= entry->code_due_ns &&
	       entry->image.kind == OPROF_IMAGE_FILE;
}

/* Of a recording: is there one to be waited for? */
static inline bool image_code_may_come(const struct image_code *code,
				       const struct image_entry *entry)
{
	return code->on && code->recorded && !entry->code && entry->code_due_ns != UINT64_MAX &&
	       entry->image.kind == OPROF_IMAGE_FILE;
}

/* The image's, as far as it is there. The vdso's own is here. */
const struct code_table *image_code_of(const struct image_code *code,
				       const struct image_entry *entry);

/* Take it from the folder, if it is there and whole: true. A damaged one is removed, which is said
 * once. */
bool image_code_find(struct image_code *code, struct image_entry *entry);

/* What the keeper answered, fd with it (borrowed; -1: none). */
void image_code_take(struct image_code *code, struct image_entry *entry,
		     const struct keeper_answer *answer, int fd, uint64_t now_ns);

#endif
