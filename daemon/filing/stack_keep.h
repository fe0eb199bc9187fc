/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call stacks of stored samples, kept in the session's live stack file
 * (oprof/stack_file.h): for each sample the application and separation that the
 * stack belongs to, and the functions from the outermost to the one that was hit.
 *
 * Not for: the file itself (libdb/stacks/stack_file.h), counters (attribution.h),
 * slices (history.h).
 */
#ifndef DAEMON_STACK_KEEP_H
#define DAEMON_STACK_KEEP_H

#include "daemon/filing/code_keys.h"
#include "daemon/filing/placement.h"
#include "daemon/session/sample_key.h"
#include "daemon/source.h"

#include <stdbool.h>
#include <stdint.h>

/* Of the file, unless the budget is small: a million nodes. */
#define STACK_KEEP_BYTES_MAX (UINT64_C(40) << 20)

/* Borrowed, all of it. */
struct stack_keep_config {
	const char *session_path; /* whose live file */
	const char *meta_path;	  /* where its symbols of the kernel are */
	uint64_t nr_bytes_max;	  /* of the file */
	const struct source *source;
	struct code_keys *code;
	unsigned int separation;
	/* As sample_cache_config.place. */
	int (*place)(void *context, const struct sample_key *key, struct placement *placement);
	/* The file was damaged and is set aside: nr_stacks that were kept in it are lost. */
	void (*set_aside)(void *context, uint64_t nr_stacks);
	void *context;
};

struct stack_keep;

int stack_keep_create(struct stack_keep **keep, const struct stack_keep_config *config);
void stack_keep_destroy(struct stack_keep *keep); /* closes; NULL is fine */

/* Stacks belong to epoch (> 0) from here on; those of earlier epochs are in a slice. */
void stack_keep_begin_epoch(struct stack_keep *keep, uint64_t epoch);

/* Close the file until an epoch begins: its folder is about to be removed or renamed. */
void stack_keep_clear(struct stack_keep *keep);

/* Call it before the adds of a round; now_ns: CLOCK_MONOTONIC. */
void stack_keep_begin_round(struct stack_keep *keep, uint64_t now_ns);

/* What became of a stack that was kept: a set of bits. */
#define STACK_KEPT_FOLDED    1 /* it ends in [other] */
#define STACK_KEPT_TRUNCATED 2
#define STACK_KEPT_BROKEN    4

/*
 * Add the stack of a sample that is stored in key's sample file. weight: the sample's in that
 * file, if the file stores weights. app: the application that the sample's task runs, or
 * OPROF_IMAGE_NONE; the stack belongs to app, also where the sample is filed under its own image.
 * Returns STACK_KEPT_* bits, or -errno: the stack is not kept.
 */
int stack_keep_add(struct stack_keep *keep, const struct sample_key *key, uint32_t app,
		   const struct oprof_sample *sample, uint64_t weight);

/* Symbols of the kernel or a module are missing in the session. True once for each such find. */
bool stack_keep_wants_symbols(struct stack_keep *keep);

/* The live file was found damaged: rename it; a new one is opened at the next add. */
void stack_keep_set_aside(struct stack_keep *keep, const char *why);

/* Bytes of disk that the file takes. */
uint64_t stack_keep_nr_bytes(const struct stack_keep *keep);

/* Write the file to disk; changes nothing in memory, so that a forked child may do it. */
int stack_keep_sync(const struct stack_keep *keep);

#endif
