/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace by perf_event_open: what tracer.h has, of events that the kernel's
 * rings bring here, whose records are laid out anew and written to rings of
 * our own (trace_channel.h).
 */
#ifndef DAEMON_TRACER_PERF_H
#define DAEMON_TRACER_PERF_H

#include "daemon/tracer/tracer.h"

struct tracer_perf;

/* config's source does not matter here. -EOPNOTSUPP: something chosen that only the module has. */
int tracer_perf_open(struct tracer_perf **tracer, const struct tracer_config *config,
		     struct diag *diag);

/* As tracer.h's. */
int tracer_perf_start(struct tracer_perf *tracer, struct diag *diag);
int tracer_perf_round(struct tracer_perf *tracer, struct diag *diag);
int tracer_perf_poll_fd(const struct tracer_perf *tracer);
const char *tracer_perf_take_cause(struct tracer_perf *tracer);
int tracer_perf_stop(struct tracer_perf *tracer, struct diag *diag);
int tracer_perf_follow_cpus(struct tracer_perf *tracer, struct diag *diag);
int tracer_perf_flush(struct tracer_perf *tracer, struct diag *diag);
int tracer_perf_snapshot(struct tracer_perf *tracer, const char *folder,
			 struct tracer_snapshot *taken, struct diag *diag);
struct tracer_held tracer_perf_held(struct tracer_perf *tracer);
struct tracer_sizes tracer_perf_sizes(const struct tracer_perf *tracer);
unsigned int tracer_perf_nr_events(const struct tracer_perf *tracer);
struct tracer_counts tracer_perf_counts(const struct tracer_perf *tracer);
int tracer_perf_close(struct tracer_perf *tracer, struct diag *diag); /* NULL: nothing */

#endif
