/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the source that a run uses: the kernel module if it is available, otherwise
 * perf_event_open. Also gives the reason for the choice, a sentence for users; if the module cannot
 * be used, the sentence contains the remedy.
 */
#ifndef DAEMON_SOURCE_CHOICE_H
#define DAEMON_SOURCE_CHOICE_H

#include "daemon/source.h"

#define SOURCE_REASON_BYTES DIAG_TEXT_BYTES

enum source_wish {
	SOURCE_WISH_AUTO, /* the kernel module if it can be opened, otherwise perf */
	SOURCE_WISH_KMOD,
	SOURCE_WISH_PERF,
};

struct source_choice {
	enum source_wish wish; /* what the user requested */
	/* The source to open; after source_choice_open: the one that was opened. */
	const struct source_ops *ops;
	const struct source_ops *fallback; /* opened if ops cannot be opened; NULL: no fallback */
	char reason[SOURCE_REASON_BYTES];  /* why ops is used; one line */
};

/* Parses "auto", "kmod" or "perf". Returns 0 or -EINVAL. */
int source_wish_parse(const char *text, enum source_wish *wish);
/* Returns the text that source_wish_parse() parses as `wish`. */
const char *source_wish_text(enum source_wish wish);

void source_choice_init(struct source_choice *choice, enum source_wish wish);

/* If there is a fallback, makes it the only choice, and stores the reason. */
void source_choice_only_perf(struct source_choice *choice, const char *reason);

/* Like source_ops.open: opens the chosen source. If this fails, opens the fallback. */
int source_choice_open(struct source_choice *choice, struct source **source,
		       const struct source_config *config, struct record_sink *sink,
		       struct diag *diag);

#endif
