/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What oprof top shows: the samples of the last seconds, as the daemon gave
 * them (client_recent.h), and what they say of themselves.
 */
#ifndef PP_TOP_SAMPLES_H
#define PP_TOP_SAMPLES_H

#include "client/client_recent.h"
#include "lib/diag.h"
#include "libdb/slice/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One measured event: what tells its sections from others'. */
struct top_event {
	const char *name; /* the slice's */
	uint64_t period_or_hz;
	bool frequency;
	uint32_t unit_mask;
	bool exact;		      /* time off CPU: all of it, in ns, not drawn at random */
	uint64_t nr_samples, nr_idle; /* idle ones are not among nr_samples */
	uint64_t weight;	      /* of nr_samples */
};

struct top_section {
	const struct slice_section *section; /* the slice's */
	struct sdb_entry *entries;	     /* section->nr_keys, ascending */
	size_t event;			     /* index */
	bool idle;
};

struct top_samples {
	struct slice *slice;
	struct top_section *sections; /* by image */
	size_t nr_sections;
	struct top_event *events; /* by name, then count */
	size_t nr_events;
	uint64_t seen, lost; /* in the stretch, of all events */
	int64_t begin_ns, end_ns;
	pid_t daemon; /* 0: not known */
};

/* Ask the daemon of session_dir for the last last_ns. 0, or -errno of client_recent or
 * slice_open_fd. */
int top_samples_ask(struct top_samples *samples, const char *session_dir, uint64_t last_ns,
		    const struct client_patience *patience, struct diag *diag);

/* Read a slice; fd is taken. 0, -ENOMEM, -EILSEQ, ...: nothing to deinit then. */
int top_samples_read(struct top_samples *samples, int fd, struct diag *diag);

void top_samples_deinit(struct top_samples *samples);

#endif
