/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The perf source (source_perf of daemon/source.h), with parameters for tests. */
#ifndef DAEMON_PERF_SOURCE_H
#define DAEMON_PERF_SOURCE_H

#include "daemon/perf_source/perf_open.h"
#include "daemon/source.h"

struct perf_source_options {
	const char *cpu_path;  /* NULL: "/sys/devices/system/cpu" */
	const char *proc_path; /* NULL: "/proc" */
	perf_open_fn *open;    /* NULL: the system call */
};

/* Like source_perf.open, with options. Borrows options and config during the call only. */
int perf_source_open(struct source **source, const struct source_config *config,
		     const struct perf_source_options *options, struct record_sink *sink,
		     struct diag *diag);

#endif
