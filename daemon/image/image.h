/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The images that a source knows: files by path and identity, regions of memory without a file,
 * kernel code.
 *
 * An image gets its cookie when a record first names it (image_tell; then the image is "told"). An
 * image without references is removed, so that a machine that builds and runs programs for weeks
 * does not fill the daemon's memory. Up to a limit such images are kept for programs that run
 * again and again; regions of a process are not, since they end with the process. An image with a
 * cookie is removed in two steps: first it is retired and can be found by its cookie only;
 * image_table_release then frees it.
 *
 * Not for: deciding whether two descriptions mean one file (image_alias).
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
	struct node cookie_node; /* used once the image has a cookie */
	uint32_t nr_refs;
	bool saved; /* its symbols or bytes are in the session (kernel_symbols) */
	/* For a file with a cookie: when to ask again whether reports will find it (image_keep). */
	uint64_t keep_due_ns;
	uint8_t keep_tries;
	bool keep_missing; /* reports would not find it */
	/* For a file: where its functions are (image_code); NULL: not available, or not yet. */
	struct code_table *code;
	uint64_t code_due_ns; /* when to ask for the code table again */
	uint8_t code_tries;
	/* The table was asked for at least once; a request is not answered yet. */
	bool code_wanted, code_asked;
	bool code_in_memory; /* the folder's table is unusable: build it in memory */
	struct image_table *table;
	struct image_entry *newer, *older; /* links of a list, while nr_refs is 0 */
};

struct image_list {
	struct image_entry *newest, *oldest;
	size_t nr;
};

struct image_table {
	struct node_hash entries;
	struct node_hash cookies;	       /* the images that have cookies */
	struct image_list unused, told_unused; /* without references, kept for reuse */
	struct image_list retired;	       /* to be released; no longer in entries */
	uint32_t last_cookie;
	uint64_t nr_made, nr_told, nr_released; /* totals */
	/* The folder to which the saved flags of entries refer (kernel_symbols). */
	dev_t saved_dev;
	ino_t saved_inode;
};

/* The image of the cookie OPROF_IMAGE_COOKIE_OFF_CPU, for source_ops.image. */
extern const struct image image_off_cpu;

int image_table_init(struct image_table *table);    /* 0 or -ENOMEM */
void image_table_deinit(struct image_table *table); /* also frees images with references */

/* The key of an image; strings are copied. Unused fields are 0. */
struct image_key {
	enum oprof_image_kind kind;
	const char *path;
	const struct oprof_image_identity *identity; /* NULL: all 0 */
	pid_t tgid;
	uint64_t start, end; /* of anonymous regions and kernel code */
};

/*
 * Find the image of this key, or create it, and return it with a reference for the caller
 * (image_put). NULL: no memory. An identity with a build-id is stored without device and inode:
 * one build-id is one identity.
 */
struct image_entry *image_table_get(struct image_table *table, const struct image_key *key);

/*
 * Like image_table_get, for the region that begins at start in process tgid and reaches at least
 * to end. A region with a cookie cannot grow, since the names of its files contain its range: a
 * longer region is another image. That image gets room to grow, to a power of two bytes, so that a
 * region that grows page by page does not become one image per page.
 */
struct image_entry *image_table_get_region(struct image_table *table, const char *name, pid_t tgid,
					   uint64_t start, uint64_t end);
/* The same, but returns NULL if the region is not known. */
struct image_entry *image_table_find_region(struct image_table *table, const char *name, pid_t tgid,
					    uint64_t start, uint64_t end);

struct image_entry *image_get(struct image_entry *entry); /* adds a reference */
void image_put(struct image_entry *entry);		  /* NULL is allowed */

/*
 * Returns the image's cookie, and assigns one if it has none. OPROF_IMAGE_NONE: no cookie is left,
 * after 2^32.
 */
uint32_t image_tell(struct image_entry *entry);

/*
 * Fill *frame with offset in the image, which gets a cookie. Returns OPROF_LOST_NR (not lost) or
 * OPROF_LOST_MEMORY.
 */
enum oprof_lost image_frame(struct image_entry *entry, uint64_t offset, enum oprof_mode mode,
			    struct oprof_frame *frame);

/*
 * Call gone for each retired image, then free it. Must not be called while a record that may name
 * one is under construction.
 */
void image_table_release(struct image_table *table,
			 void (*gone)(const struct image *image, void *context), void *context);
/* There are retired images. */
static inline bool image_table_has_retired(const struct image_table *table)
{
	return table->retired.nr;
}

const struct image *image_table_find(const struct image_table *table, uint32_t cookie);
struct image_entry *image_table_entry(const struct image_table *table, uint32_t cookie);

/* Ask again for all files whether reports will find them: the session has changed. */
void image_table_keep_again(struct image_table *table);

#endif
