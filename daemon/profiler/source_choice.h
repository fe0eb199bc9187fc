/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which source a run has, and why: the kernel module where it can be had,
 * else perf_event_open. The reason is a sentence for people, with the remedy
 * where something is in the way.
 */
#ifndef DAEMON_SOURCE_CHOICE_H
#define DAEMON_SOURCE_CHOICE_H

#include "daemon/source.h"

#define SOURCE_REASON_BYTES DIAG_TEXT_BYTES

enum source_wish {
	SOURCE_WISH_AUTO, /* the first that can be opened */
	SOURCE_WISH_KMOD,
	SOURCE_WISH_PERF,
};

struct source_choice {
	const struct source_ops *ops; /* to be opened; then the one that is */
	const struct source_ops
		*fallback;		  /* where that can't be opened; NULL: then there is none */
	char reason[SOURCE_REASON_BYTES]; /* why ops, one line; empty: there was nothing to choose
					   */
};

/* "auto", "kmod" or "perf". 0 or -EINVAL. */
int source_wish_parse(const char *text, enum source_wish *wish);

void source_choice_init(struct source_choice *choice, enum source_wish wish);

/* As source_ops.open, of the one that can be had. */
int source_choice_open(struct source_choice *choice, struct source **source,
		       const struct source_config *config, struct record_sink *sink,
		       struct diag *diag);

#endif
