/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the options of optrace record and optrace start to options of oprof-tracer: the events
 * to record, the sizes of buffers, and the folder.
 */
#ifndef CONTROL_TRACE_ARGS_H
#define CONTROL_TRACE_ARGS_H

#include "control/base/option.h"
#include "control/daemon/daemon_start.h"
#include "lib/diag.h"

#include <stdbool.h>
#include <stdint.h>

#define TRACE_ARGS_FOLDER "oprofile_trace"

enum trace_args_mode { TRACE_ARGS_DISCARD, TRACE_ARGS_OVERWRITE };

enum trace_args_option {
	TRACE_ARGS_EVENTS = 1,
	TRACE_ARGS_OUTPUT,
	TRACE_ARGS_MODE,
	TRACE_ARGS_FLUSH,
	TRACE_ARGS_ROTATE,
	TRACE_ARGS_KEEP,
	TRACE_ARGS_COMPRESS,
	TRACE_ARGS_PIDS,
	TRACE_ARGS_CGROUP,
	TRACE_ARGS_UID,
	TRACE_ARGS_SOURCE,
	TRACE_ARGS_VERSION,
	TRACE_ARGS_HELP,
	TRACE_ARGS_NR, /* numbers of further options begin here */
};

/* Entries of a popt table for the options above, except -o and -m, whose help differs. */
#define TRACE_ARGS_TABLE                                                                           \
	{                                                                                          \
		NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)trace_args_table, 0,           \
			"What is recorded:", NULL                                                  \
	}
extern const struct poptOption trace_args_table[];

struct trace_args {
	struct daemon_args daemon;
	enum trace_args_mode mode;
	bool has_mode;	/* a mode was given */
	bool selective; /* only some processes, a control group or some users are recorded */
	char *folder;	/* as given; NULL: not given */
};

void trace_args_init(struct trace_args *args, enum trace_args_mode mode);
void trace_args_deinit(struct trace_args *args);

/*
 * Processes one of the options above. Returns 0; 1 after help or version was shown; or -errno and
 * diag.
 */
int trace_args_take(struct trace_args *args, poptContext popt, int option, const char *text,
		    struct diag *diag);

/*
 * To be called after all options were processed. Adds the mode and the folder to the tracer's
 * command line. If no option gives the folder, the folder has the name by_default, and a trace that
 * exists there is moved away. Returns 0, or -errno and diag.
 */
int trace_args_end(struct trace_args *args, const char *by_default, struct diag *diag);

/* Returns path as a malloc'ed absolute path. Returns NULL and fills diag on errors. */
char *trace_args_whole_path(const char *path, struct diag *diag);

#endif
