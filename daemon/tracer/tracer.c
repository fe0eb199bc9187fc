// SPDX-License-Identifier: GPL-2.0-or-later
/* Which of the two records is chosen here, once; all else goes to that one. */
#include "daemon/tracer/tracer.h"

#include "daemon/tracer/trace_kmod.h"
#include "daemon/tracer/tracer_perf.h"

#include <errno.h>
#include <stdlib.h>

/* Exactly one. */
struct tracer {
	struct trace_kmod *kmod;
	struct tracer_perf *perf;
};

/* -ENOENT: it is perf's. */
static int open_kmod(struct tracer *tracer, const struct tracer_config *config, struct diag *diag)
{
	int error = -ENOENT;

	if (config->source != TRACER_PERF)
		error = trace_kmod_open(&tracer->kmod, config, diag);
	if (config->source == TRACER_MODULE)
		return error == -ENOENT ? -ENODEV : error;
	return error == -EOPNOTSUPP || error == -EPERM || error == -EACCES ? -ENOENT : error;
}

int tracer_open(struct tracer **tracer, const struct tracer_config *config, struct diag *diag)
{
	struct tracer *made = calloc(1, sizeof(*made));
	int error;

	*tracer = NULL;
	if (!made)
		return diag_set(diag, -ENOMEM, "no memory for a trace");
	error = open_kmod(made, config, diag);
	if (error == -ENOENT)
		error = tracer_perf_open(&made->perf, config, diag);
	if (error)
		free(made);
	else
		*tracer = made;
	return error;
}

int tracer_close(struct tracer *tracer, struct diag *diag)
{
	int error;

	if (!tracer)
		return 0;
	error = tracer->kmod ? trace_kmod_close(tracer->kmod, diag)
			     : tracer_perf_close(tracer->perf, diag);
	free(tracer);
	return error;
}

int tracer_start(struct tracer *tracer, struct diag *diag)
{
	return tracer->kmod ? trace_kmod_start(tracer->kmod, diag)
			    : tracer_perf_start(tracer->perf, diag);
}

int tracer_round(struct tracer *tracer, struct diag *diag)
{
	return tracer->kmod ? trace_kmod_round(tracer->kmod, diag)
			    : tracer_perf_round(tracer->perf, diag);
}

int tracer_poll_fd(const struct tracer *tracer)
{
	return tracer->kmod ? trace_kmod_poll_fd(tracer->kmod) : tracer_perf_poll_fd(tracer->perf);
}

const char *tracer_take_cause(struct tracer *tracer)
{
	return tracer->kmod ? trace_kmod_take_cause(tracer->kmod)
			    : tracer_perf_take_cause(tracer->perf);
}

int tracer_stop(struct tracer *tracer, struct diag *diag)
{
	return tracer->kmod ? trace_kmod_stop(tracer->kmod, diag)
			    : tracer_perf_stop(tracer->perf, diag);
}

int tracer_follow_cpus(struct tracer *tracer, struct diag *diag)
{
	return tracer->kmod ? trace_kmod_follow_cpus(tracer->kmod, diag)
			    : tracer_perf_follow_cpus(tracer->perf, diag);
}

int tracer_flush(struct tracer *tracer, struct diag *diag)
{
	return tracer->kmod ? trace_kmod_flush(tracer->kmod, diag)
			    : tracer_perf_flush(tracer->perf, diag);
}

int tracer_snapshot(struct tracer *tracer, const char *folder, struct tracer_snapshot *taken,
		    struct diag *diag)
{
	return tracer->kmod ? trace_kmod_snapshot(tracer->kmod, folder, taken, diag)
			    : tracer_perf_snapshot(tracer->perf, folder, taken, diag);
}

struct tracer_held tracer_held(struct tracer *tracer)
{
	return tracer->kmod ? trace_kmod_held(tracer->kmod) : tracer_perf_held(tracer->perf);
}

struct tracer_sizes tracer_sizes(const struct tracer *tracer)
{
	return tracer->kmod ? trace_kmod_sizes(tracer->kmod) : tracer_perf_sizes(tracer->perf);
}

unsigned int tracer_nr_events(const struct tracer *tracer)
{
	return tracer->kmod ? trace_kmod_nr_events(tracer->kmod)
			    : tracer_perf_nr_events(tracer->perf);
}

struct tracer_counts tracer_counts(const struct tracer *tracer)
{
	return tracer->kmod ? trace_kmod_counts(tracer->kmod) : tracer_perf_counts(tracer->perf);
}
