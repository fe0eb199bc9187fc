/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples that oprof top shows, with their events and counters: the daemon's answer
 * (client_recent.h) to a request for the samples of the last seconds.
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

/* One measured event; its sections have the same name, count and unit mask. */
struct top_event {
	const char *name; /* owned by the slice */
	uint64_t period_or_hz;
	bool frequency;
	uint32_t unit_mask;
	bool exact;		      /* time off CPU: measured completely, in ns, not sampled */
	uint64_t nr_samples, nr_idle; /* nr_samples excludes idle samples */
	uint64_t weight;	      /* of nr_samples */
};

struct top_section {
	const struct slice_section *section; /* owned by the slice */
	struct sdb_entry *entries;	     /* section->nr_keys entries, sorted by key */
	size_t event;			     /* index in events */
	bool idle;
};

struct top_samples {
	struct slice *slice;
	struct top_section *sections; /* sections in the order of the slice */
	size_t nr_sections;
	struct top_event *events; /* sorted by name, then count */
	size_t nr_events;
	uint64_t seen, lost; /* samples of all events in the time range */
	int64_t begin_ns, end_ns;
	pid_t daemon; /* 0: not known */
};

/*
 * Requests the samples of the last last_ns nanoseconds from the daemon of session_dir. Returns 0,
 * or -errno of client_recent() or top_samples_read().
 */
int top_samples_ask(struct top_samples *samples, const char *session_dir, uint64_t last_ns,
		    const struct client_patience *patience, struct diag *diag);

/*
 * Reads a slice from fd and takes ownership of fd. Returns 0, or an error such as -ENOMEM or
 * -EILSEQ; samples then needs no deinit.
 */
int top_samples_read(struct top_samples *samples, int fd, struct diag *diag);

void top_samples_deinit(struct top_samples *samples);

#endif
