/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which source a run uses, and why: the kernel module if it is available, else perf_event_open.
 * The reason is a sentence for people, with the remedy if something prevents the use of the
 * module.
 */
#ifndef DAEMON_SOURCE_CHOICE_H
#define DAEMON_SOURCE_CHOICE_H

#include "daemon/source.h"

#define SOURCE_REASON_BYTES DIAG_TEXT_BYTES

enum source_wish {
	SOURCE_WISH_AUTO, /* the first one that can be opened */
	SOURCE_WISH_KMOD,
	SOURCE_WISH_PERF,
};

struct source_choice {
	const struct source_ops *ops;	   /* the source to open; later the one that was opened */
	const struct source_ops *fallback; /* used if ops cannot be opened; NULL: none */
	char reason[SOURCE_REASON_BYTES];  /* why ops is used, one line */
};

/* Parse "auto", "kmod" or "perf". Returns 0 or -EINVAL. */
int source_wish_parse(const char *text, enum source_wish *wish);

void source_choice_init(struct source_choice *choice, enum source_wish wish);

/* Like source_ops.open, for the source chosen, or for the fallback if that fails. */
int source_choice_open(struct source_choice *choice, struct source **source,
		       const struct source_config *config, struct record_sink *sink,
		       struct diag *diag);

#endif
