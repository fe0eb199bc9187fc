/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The images that a source knows: files by path and identity, regions of
 * memory without a file, kernel code.
 *
 * An image gets its cookie when a record first names it (image_tell). It goes
 * once nothing refers to it: a machine that builds and runs programs for
 * weeks must not fill the daemon. Some such are kept, so that a program run
 * again and again is not made anew each time; not of one process's memory,
 * which is gone with the process. One with a cookie goes in two steps: it is
 * retired, found by its cookie only, until image_table_release says so.
 *
 * Not for: telling whether two descriptions mean one file (image_alias).
 */
#ifndef DAEMON_IMAGE_H
#define DAEMON_IMAGE_H

#include "daemon/system/node_hash.h"
#include "daemon/source.h"

#include <stdbool.h>

struct image_table;

struct image_entry {
	struct image image; /* cookie OPROF_IMAGE_NONE: not told yet */
	struct node node;
	struct node cookie_node; /* told ones */
	uint32_t nr_refs;
	bool saved; /* its symbols or bytes are in the session (kernel_symbols) */
	/* A file, told: when to ask again whether reports will find it (image_keep). */
	uint64_t keep_due_ns;
	uint8_t keep_tries;
	bool keep_missing; /* they would not */
	/* Of a file: where its functions are (image_code); NULL: not there, or not yet. */
	struct code_table *code;
	uint64_t code_due_ns; /* when to ask for it again */
	uint8_t code_tries;
	bool code_wanted, code_asked; /* ever; and not answered yet */
	bool code_in_memory;	      /* what the folder has of it is no good, and stays */
	struct image_table *table;
	struct image_entry *newer, *older; /* in a list of the table's, when nr_refs is 0 */
};

struct image_list {
	struct image_entry *newest, *oldest;
	size_t nr;
};

struct image_table {
	struct node_hash entries;
	struct node_hash cookies;	       /* those told */
	struct image_list unused, told_unused; /* that nothing refers to, and may be wanted again */
	struct image_list retired;	       /* to be released; not in entries */
	uint32_t last_cookie;
	uint64_t nr_made, nr_told, nr_released; /* ever */
	/* The folder that entries' saved speaks of (kernel_symbols). */
	dev_t saved_dev;
	ino_t saved_inode;
};

/* The image of the cookie OPROF_IMAGE_COOKIE_OFF_CPU, for source_ops.image. */
extern const struct image image_off_cpu;

int image_table_init(struct image_table *table);    /* 0 or -ENOMEM */
void image_table_deinit(struct image_table *table); /* whatever the references */

/* What finds an image; strings are copied. Unused fields are 0. */
struct image_key {
	enum oprof_image_kind kind;
	const char *path;
	const struct oprof_image_identity *identity; /* NULL: all 0 */
	pid_t tgid;
	uint64_t start, end; /* anonymous regions, kernel code */
};

/*
 * The image of this key, made if need be, with a reference for the caller
 * (image_put). NULL: no memory. An identity with a build-id is kept without
 * device and inode: one build-id is one identity.
 */
struct image_entry *image_table_get(struct image_table *table, const struct image_key *key);

/*
 * The region that begins at start in process tgid and reaches to end or
 * further, as image_table_get does it. A region that grew past the end that
 * it was told with is another image: the name of its files holds its range.
 * So that one that grows page by page is not one a page, it is then given
 * room to grow, to a power of two.
 */
struct image_entry *image_table_get_region(struct image_table *table, const char *name, pid_t tgid,
					   uint64_t start, uint64_t end);
/* Only if it is there: else NULL, and nothing is made. */
struct image_entry *image_table_find_region(struct image_table *table, const char *name, pid_t tgid,
					    uint64_t start, uint64_t end);

struct image_entry *image_get(struct image_entry *entry); /* another reference */
void image_put(struct image_entry *entry);		  /* NULL is fine */

/* The cookie, given now if it has none; OPROF_IMAGE_NONE: none is left, after 2^32. */
uint32_t image_tell(struct image_entry *entry);

/* *frame at offset of the image, which is told. OPROF_LOST_NR: not lost; or OPROF_LOST_MEMORY. */
enum oprof_lost image_frame(struct image_entry *entry, uint64_t offset, enum oprof_mode mode,
			    struct oprof_frame *frame);

/*
 * Calls gone for each image that is retired, then forgets it. Not while a
 * record that may name one is being made.
 */
void image_table_release(struct image_table *table,
			 void (*gone)(const struct image *image, void *context), void *context);
/* There are some. */
static inline bool image_table_has_retired(const struct image_table *table)
{
	return table->retired.nr;
}

const struct image *image_table_find(const struct image_table *table, uint32_t cookie);
struct image_entry *image_table_entry(const struct image_table *table, uint32_t cookie);

/* Ask of all files again whether reports will find them: the session is another. */
void image_table_keep_again(struct image_table *table);

#endif
