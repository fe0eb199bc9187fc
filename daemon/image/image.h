/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The images that a source knows: files by path and identity, regions of memory without a file,
 * kernel code.
 *
 * An image gets its cookie when a record first names it (image_tell). An image with a cookie is
 * called "told". An image without references is removed, so that a machine that builds and runs
 * programs for weeks does not fill the daemon's memory. Up to a limit, however, images without
 * references are kept for programs that run again and again. Regions of a process are not kept,
 * since they end with the process. An image with a cookie is removed in two steps: first it is
 * retired, and can then be found only by its cookie; later image_table_release frees it.
 *
 * Elsewhere: deciding whether two descriptions mean one file (image_alias).
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
	struct node cookie_node; /* used after the image got a cookie */
	uint32_t nr_refs;
	bool saved; /* the session has its symbols or bytes, or needs none */
	/* For a file with a cookie: when to request it from the keeper again (image_keep). */
	uint64_t keep_due_ns;
	uint8_t keep_tries;
	bool keep_missing; /* reports would not find the image by its path */
	/*
	 * For a file: its code table (image_code). NULL: it has no table, or the table has not
	 * arrived yet.
	 */
	struct code_table *code;
	uint64_t code_due_ns; /* time at which to request the code table again */
	uint8_t code_tries;
	/*
	 * code_wanted: the table was requested at least once. code_asked: the keeper has not
	 * answered the last request yet.
	 */
	bool code_wanted, code_asked;
	bool code_in_memory; /* the table in the folder is unusable: build one in memory */
	struct image_table *table;
	struct image_entry *newer, *older; /* links of a list, while nr_refs is 0 */
};

struct image_list {
	struct image_entry *newest, *oldest;
	size_t nr;
};

struct image_table {
	struct node_hash entries;
	struct node_hash cookies; /* the images that have cookies */
	/* Images without references that are kept for reuse. */
	struct image_list unused, told_unused;
	/* Images that wait for their release; no longer in entries. */
	struct image_list retired;
	uint32_t last_cookie;
	uint64_t nr_made, nr_told, nr_released; /* totals */
	/*
	 * Identifies the folder to which the flag `saved` of the entries refers (kernel_symbols).
	 */
	dev_t saved_dev;
	ino_t saved_inode;
};

/* The image with the cookie OPROF_IMAGE_COOKIE_OFF_CPU, for source_ops.image. */
extern const struct image image_off_cpu;

int image_table_init(struct image_table *table);    /* 0 or -ENOMEM */
void image_table_deinit(struct image_table *table); /* also frees images with references */

/* The key of an image; strings are copied. Unused fields are 0. */
struct image_key {
	enum oprof_image_kind kind;
	const char *path;
	const struct oprof_image_identity *identity; /* NULL: all 0 */
	pid_t tgid;
	uint64_t start, end; /* range of an anonymous region or of kernel code */
};

/*
 * Finds the image with this key, or creates it. The caller gets a reference, and drops it with
 * image_put(). Returns NULL if out of memory. An identity with a build-id is stored without device
 * and inode, so that one build-id is one identity.
 */
struct image_entry *image_table_get(struct image_table *table, const struct image_key *key);

/*
 * Returns, like image_table_get, the region that begins at start in process tgid and reaches at
 * least to end. An image with a cookie cannot grow, since the names of its files contain its range.
 * A region that has grown is therefore a new image. The range of the new image is rounded up to a
 * power of two bytes. Otherwise a region that grows page by page would become one image per page.
 */
struct image_entry *image_table_get_region(struct image_table *table, const char *name, pid_t tgid,
					   uint64_t start, uint64_t end);
/* Like image_table_get_region, but returns NULL if the region is not known. */
struct image_entry *image_table_find_region(struct image_table *table, const char *name, pid_t tgid,
					    uint64_t start, uint64_t end);

struct image_entry *image_get(struct image_entry *entry); /* adds a reference */
void image_put(struct image_entry *entry);		  /* NULL is allowed */

/*
 * Returns the image's cookie. An image without a cookie gets one. Returns OPROF_IMAGE_NONE if all
 * 2^32 cookies are used.
 */
uint32_t image_tell(struct image_entry *entry);

/*
 * Fills *frame with the image's cookie, `mode` and `offset`. An image without a cookie gets one.
 * Returns OPROF_LOST_NR if *frame was filled, or OPROF_LOST_MEMORY.
 */
enum oprof_lost image_frame(struct image_entry *entry, uint64_t offset, enum oprof_mode mode,
			    struct oprof_frame *frame);

/*
 * Frees each retired image, after calling `gone` for it. Must not be called while a record that may
 * name a retired image is under construction.
 */
void image_table_release(struct image_table *table,
			 void (*gone)(const struct image *image, void *context), void *context);
/* Returns whether there are retired images. */
static inline bool image_table_has_retired(const struct image_table *table)
{
	return table->retired.nr;
}

const struct image *image_table_find(const struct image_table *table, uint32_t cookie);
struct image_entry *image_table_entry(const struct image_table *table, uint32_t cookie);

/*
 * Call when the session has changed: each file is then requested from the keeper again, and the
 * keeper checks whether reports will find the file.
 */
void image_table_keep_again(struct image_table *table);

#endif
