/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be sampled and how it is kept apart, as the user asked for it:
 * what operf's and opcontrol's options have in common, on its way to the
 * daemon's command line.
 */
#ifndef CONTROL_SAMPLING_H
#define CONTROL_SAMPLING_H

#include "control/daemon_start.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLING_DEPTH_MAX 127 /* the kernel's own (kernel.perf_event_max_stack) */

enum sampling_separation {
	SAMPLING_SEPARATE_LIB = 1,
	SAMPLING_SEPARATE_KERNEL = 2, /* always with LIB */
	SAMPLING_SEPARATE_THREAD = 4,
	SAMPLING_SEPARATE_CPU = 8,
	SAMPLING_SEPARATE_CGROUP = 16,
	SAMPLING_SEPARATE_ALL = 31,
};

#define SAMPLING_SEPARATION_BYTES 64

struct sampling {
	char **events; /* texts as given, "NAME:COUNT:..."; none: default */
	size_t nr_events;
	uint64_t hz;		 /* -F; 0: not given */
	unsigned int separation; /* bits of enum sampling_separation */
	bool separation_given;	 /* else it is the default of who asks */
	unsigned int depth;	 /* of call chains; 0: none */
};

void sampling_init(struct sampling *sampling);
void sampling_deinit(struct sampling *sampling);

/* Add the events of a comma list. 0, -EINVAL (an empty one), -ENOMEM. */
int sampling_add_events(struct sampling *sampling, const char *list, struct diag *diag);
void sampling_clear_events(struct sampling *sampling);

/* From texts of options. 0 or -EINVAL. */
int sampling_set_hz(struct sampling *sampling, const char *text, struct diag *diag);
int sampling_set_depth(struct sampling *sampling, const char *text, struct diag *diag);
/* A comma list, added to what is there; "none" stands alone and clears it. */
int sampling_set_separation(struct sampling *sampling, const char *text, struct diag *diag);
/* Into text[SAMPLING_SEPARATION_BYTES]. */
void sampling_format_separation(const struct sampling *sampling, char *text);

/*
 * Check everything against the event tables, and add --event, --frequency,
 * --separate and --callgraph to args. default_hz: for events with no count
 * when there was no -F. 0 or -errno and diag.
 */
int sampling_to_args(const struct sampling *sampling, uint64_t default_hz, struct daemon_args *args,
		     struct diag *diag);

/* Only the check. */
int sampling_check(const struct sampling *sampling, uint64_t default_hz, struct diag *diag);

#endif
