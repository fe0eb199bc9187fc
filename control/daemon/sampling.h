/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be sampled and how it is kept apart, as the user asked for it:
 * what operf's and opcontrol's options have in common, on its way to the
 * daemon's command line.
 */
#ifndef CONTROL_SAMPLING_H
#define CONTROL_SAMPLING_H

#include "control/daemon/daemon_start.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLING_DEPTH_MAX 127 /* the kernel's own (kernel.perf_event_max_stack) */

#define SAMPLING_STACK_BYTES_MIN 1024
#define SAMPLING_STACK_BYTES_MAX 65528 /* what the kernel takes */

/* How callers of programs are found. */
enum sampling_unwind {
	SAMPLING_UNWIND_AUTO, /* the best that there is */
	SAMPLING_UNWIND_FP,   /* by frame pointers */
	SAMPLING_UNWIND_TABLES,
	SAMPLING_UNWIND_NR,
};

/* As they are written. */
extern const char *const sampling_unwind_names[SAMPLING_UNWIND_NR];

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
	size_t nr_events, room_events;
	uint64_t hz;		 /* -F; 0: not given */
	unsigned int separation; /* bits of enum sampling_separation */
	bool separation_given;	 /* else it is the default of who asks */
	unsigned int depth;	 /* of call chains; 0: none */
	enum sampling_unwind unwind;
	unsigned int stack_bytes; /* of each copy of a stack; 0: the daemon's choice */
};

void sampling_init(struct sampling *sampling);
void sampling_deinit(struct sampling *sampling);

/* Add the events of a comma list. 0, -EINVAL (an empty one), -ENOMEM. */
int sampling_add_events(struct sampling *sampling, const char *list, struct diag *diag);
void sampling_clear_events(struct sampling *sampling);

/* From texts of options. 0 or -EINVAL. */
int sampling_set_hz(struct sampling *sampling, const char *text, struct diag *diag);
int sampling_set_depth(struct sampling *sampling, const char *text, struct diag *diag);
int sampling_set_unwind(struct sampling *sampling, const char *text, struct diag *diag);
/* 0: the daemon's choice again. */
int sampling_set_stack_bytes(struct sampling *sampling, const char *text, struct diag *diag);
/* A comma list, added to what is there; "none" stands alone and clears it. */
int sampling_set_separation(struct sampling *sampling, const char *text, struct diag *diag);
/* Into text[SAMPLING_SEPARATION_BYTES]. */
void sampling_format_separation(const struct sampling *sampling, char *text);

/*
 * Check everything against the event tables, and add --event, --frequency,
 * --separate, --callgraph, --unwind and --stack-bytes to args. default_hz: for events with no count
 * when there was no -F. 0 or -errno and diag.
 */
int sampling_to_args(const struct sampling *sampling, uint64_t default_hz, struct daemon_args *args,
		     struct diag *diag);

/* Only the check. */
int sampling_check(const struct sampling *sampling, uint64_t default_hz, struct diag *diag);

#endif
