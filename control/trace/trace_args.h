/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From options of optrace record and optrace start to those of oprof-tracer:
 * what is recorded, how large, where to.
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
	TRACE_ARGS_NR, /* others begin here */
};

/* The options above but -o and -m, whose words differ: for a table of popt's. */
#define TRACE_ARGS_TABLE                                                                           \
	{                                                                                          \
		NULL, 0, POPT_ARG_INCLUDE_TABLE, (void *)(uintptr_t)trace_args_table, 0,           \
			"What is recorded:", NULL                                                  \
	}
extern const struct poptOption trace_args_table[];

struct trace_args {
	struct daemon_args daemon;
	enum trace_args_mode mode;
	bool has_mode; /* it was asked for */
	char *folder;  /* as asked for; NULL: it was not */
};

void trace_args_init(struct trace_args *args, enum trace_args_mode mode);
void trace_args_deinit(struct trace_args *args);

/* One of the options above: 0; 1: something was shown, and that is all; -errno and diag. */
int trace_args_take(struct trace_args *args, poptContext popt, int option, const char *text,
		    struct diag *diag);

/*
 * All are taken: tell the tracer mode and folder, which is the one asked for or by_default; that
 * one a trace may be in already, which is moved. 0 or -errno and diag.
 */
int trace_args_end(struct trace_args *args, const char *by_default, struct diag *diag);

/* Of a path as people give it: one that does not depend on where we are; malloc'ed. NULL: diag. */
char *trace_args_whole_path(const char *path, struct diag *diag);

#endif
