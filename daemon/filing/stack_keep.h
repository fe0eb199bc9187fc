/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the call stacks of stored samples in the session's live stack file (oprof/stack_file.h).
 * For each sample, the file has the application and separation to which the stack belongs. It also
 * has the functions, from the outermost function to the function in which the sample was taken.
 *
 * Elsewhere: the file itself (libdb/stacks/stack_file.h), counters (attribution.h), slices
 * (history.h).
 */
#ifndef DAEMON_STACK_KEEP_H
#define DAEMON_STACK_KEEP_H

#include "daemon/filing/code_keys.h"
#include "daemon/filing/placement.h"
#include "daemon/session/sample_key.h"
#include "daemon/source.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Maximum size of the file. A file of this size has a million nodes. With a small budget the limit
 * is lower.
 */
#define STACK_KEEP_BYTES_MAX (UINT64_C(40) << 20)

/* All pointers are borrowed. */
struct stack_keep_config {
	const char *session_path; /* folder of the live file */
	const char *meta_path;	  /* folder with the session's symbols of the kernel */
	uint64_t nr_bytes_max;	  /* of the file */
	const struct source *source;
	struct code_keys *code;
	unsigned int separation;
	/* The same as sample_cache_config.place. */
	int (*place)(void *context, const struct sample_key *key, struct placement *placement);
	/*
	 * Called when the file was damaged and set aside: the nr_stacks stacks that it contained
	 * are lost.
	 */
	void (*set_aside)(void *context, uint64_t nr_stacks);
	void *context;
};

struct stack_keep;

int stack_keep_create(struct stack_keep **keep, const struct stack_keep_config *config);
void stack_keep_destroy(struct stack_keep *keep); /* closes the file; NULL is allowed */

/*
 * Begins `epoch` (> 0), to which stacks added from now on belong. Stacks of earlier epochs are in a
 * slice.
 */
void stack_keep_begin_epoch(struct stack_keep *keep, uint64_t epoch);

/* Closes the file until an epoch begins: its folder is about to be removed or renamed. */
void stack_keep_clear(struct stack_keep *keep);

/* Call before the stacks of a round are added. now_ns: CLOCK_MONOTONIC. */
void stack_keep_begin_round(struct stack_keep *keep, uint64_t now_ns);

/* How a stack was kept: a set of bits. */
#define STACK_KEPT_FOLDED    1 /* the stack ends in [other] */
#define STACK_KEPT_TRUNCATED 2
#define STACK_KEPT_BROKEN    4

/*
 * Adds the stack of a sample that is stored in the sample file of `key`. weight: the sample's
 * weight, if that file stores weights. app: the application of the sample's task, or
 * OPROF_IMAGE_NONE; the stack belongs to this application, even if the sample is filed under its
 * own image. Returns STACK_KEPT_* bits, or -errno: the stack is not kept.
 */
int stack_keep_add(struct stack_keep *keep, const struct sample_key *key, uint32_t app,
		   const struct oprof_sample *sample, uint64_t weight);

/* Returns whether symbols of the kernel or a module were missing since the last call. */
bool stack_keep_wants_symbols(struct stack_keep *keep);

/* Call when the live file was found damaged: renames it. The next add opens a new file. */
void stack_keep_set_aside(struct stack_keep *keep, const char *why);

/* Returns the bytes on disk of the file. */
uint64_t stack_keep_nr_bytes(const struct stack_keep *keep);

/* Writes the file to disk; changes nothing in memory, so that a forked child may call it. */
int stack_keep_sync(const struct stack_keep *keep);

#endif
