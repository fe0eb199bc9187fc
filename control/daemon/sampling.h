/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events to sample and the separation of samples: options that operf and opcontrol share, and
 * their conversion to the daemon's command line.
 */
#ifndef CONTROL_SAMPLING_H
#define CONTROL_SAMPLING_H

#include "control/daemon/daemon_start.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLING_DEPTH_MAX 127 /* the kernel's default (kernel.perf_event_max_stack) */

#define SAMPLING_STACK_BYTES_MIN 1024
#define SAMPLING_STACK_BYTES_MAX 65528 /* the kernel's limit */

/* The way to find the callers of user-space functions. */
enum sampling_unwind {
	SAMPLING_UNWIND_AUTO, /* the best way available */
	SAMPLING_UNWIND_FP,   /* by frame pointers */
	SAMPLING_UNWIND_TABLES,
	SAMPLING_UNWIND_NR,
};

/* Names of these values in options and files. */
extern const char *const sampling_unwind_names[SAMPLING_UNWIND_NR];

enum sampling_separation {
	SAMPLING_SEPARATE_LIB = 1,
	SAMPLING_SEPARATE_KERNEL = 2, /* always set together with SAMPLING_SEPARATE_LIB */
	SAMPLING_SEPARATE_THREAD = 4,
	SAMPLING_SEPARATE_CPU = 8,
	SAMPLING_SEPARATE_CGROUP = 16,
	SAMPLING_SEPARATE_ALL = 31,
};

#define SAMPLING_SEPARATION_BYTES 64

struct sampling {
	char **events; /* as given, "NAME:COUNT:..."; NULL: the default event */
	size_t nr_events, room_events;
	uint64_t hz;		 /* frequency given by -F; 0: not given */
	unsigned int separation; /* bits of enum sampling_separation */
	bool separation_given;	 /* false: the command's default applies */
	unsigned int depth;	 /* limit of call chains; 0: no call chains */
	enum sampling_unwind unwind;
	unsigned int stack_bytes; /* maximum size of each copy of a stack; 0: the daemon chooses */
};

void sampling_init(struct sampling *sampling);
void sampling_deinit(struct sampling *sampling);

/* Adds the events of a comma-separated list. Returns 0, -EINVAL (an empty event), or -ENOMEM. */
int sampling_add_events(struct sampling *sampling, const char *list, struct diag *diag);
void sampling_clear_events(struct sampling *sampling);

/* These functions set a value from an option's text. They return 0, or -EINVAL and diag. */
int sampling_set_hz(struct sampling *sampling, const char *text, struct diag *diag);
int sampling_set_depth(struct sampling *sampling, const char *text, struct diag *diag);
int sampling_set_unwind(struct sampling *sampling, const char *text, struct diag *diag);
/* Sets the size of stack copies; 0: the daemon chooses. */
int sampling_set_stack_bytes(struct sampling *sampling, const char *text, struct diag *diag);
/*
 * Adds the separations of a comma-separated list. "none" must be the only word, and clears the
 * separation.
 */
int sampling_set_separation(struct sampling *sampling, const char *text, struct diag *diag);
/* Writes the separation into text[SAMPLING_SEPARATION_BYTES]. */
void sampling_format_separation(const struct sampling *sampling, char *text);

/*
 * Checks all values against the event tables, and adds --event, --frequency, --separate,
 * --callgraph, --unwind and --stack-bytes to args. Events without a count are sampled at the
 * frequency that -F gave, or, without -F, at default_hz. Returns 0, or -errno and diag.
 */
int sampling_to_args(const struct sampling *sampling, uint64_t default_hz, struct daemon_args *args,
		     struct diag *diag);

/* Checks the same as sampling_to_args, but adds no arguments. */
int sampling_check(const struct sampling *sampling, uint64_t default_hz, struct diag *diag);

#endif
