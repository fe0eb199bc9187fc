/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace by the kernel module: what tracer.h has, of events that the module
 * records to rings of its own. The state of the machine, which the daemon tells,
 * is a stream of its own beside those.
 */
#ifndef DAEMON_TRACE_KMOD_H
#define DAEMON_TRACE_KMOD_H

#include "daemon/tracer/tracer.h"

struct trace_kmod;

/*
 * config's source does not matter here. -ENOENT: no module that traces is loaded; -EOPNOTSUPP:
 * something chosen that it does not have; -EPERM, -EPROTO, -errno; diag.
 */
int trace_kmod_open(struct trace_kmod **kmod, const struct tracer_config *config,
		    struct diag *diag);

/* As tracer.h's. */
int trace_kmod_start(struct trace_kmod *kmod, struct diag *diag);
int trace_kmod_round(struct trace_kmod *kmod, struct diag *diag);
int trace_kmod_poll_fd(const struct trace_kmod *kmod);
const char *trace_kmod_take_cause(struct trace_kmod *kmod);
int trace_kmod_stop(struct trace_kmod *kmod, struct diag *diag);
int trace_kmod_follow_cpus(struct trace_kmod *kmod, struct diag *diag);
int trace_kmod_flush(struct trace_kmod *kmod, struct diag *diag);
int trace_kmod_snapshot(struct trace_kmod *kmod, const char *folder, struct tracer_snapshot *taken,
			struct diag *diag);
struct tracer_held trace_kmod_held(const struct trace_kmod *kmod);
struct tracer_sizes trace_kmod_sizes(const struct trace_kmod *kmod);
unsigned int trace_kmod_nr_events(const struct trace_kmod *kmod);
struct tracer_counts trace_kmod_counts(const struct trace_kmod *kmod);
int trace_kmod_close(struct trace_kmod *kmod, struct diag *diag); /* NULL: nothing */

#endif
