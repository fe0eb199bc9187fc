/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describes the machine and its clock for a trace folder. */
#ifndef DAEMON_TRACE_DESCRIBE_H
#define DAEMON_TRACE_DESCRIBE_H

#include "ctf/ctf.h"

#include <sys/utsname.h>

#define TRACE_DESCRIBE_NR_ENVS_MAX 16u

struct trace_describe {
	struct ctf_env envs[TRACE_DESCRIBE_NR_ENVS_MAX]; /* texts point into machine */
	unsigned int nr_envs;
	struct utsname machine;
};

/* samples_hz: samples per second; 0: the trace has no samples. */
void trace_describe_machine(struct trace_describe *describe, unsigned int samples_hz);

/*
 * Describes CLOCK_MONOTONIC. The clock has the boot's UUID, so that traces of the same boot can be
 * compared.
 */
void trace_describe_clock(struct ctf_clock *clock);

/*
 * Sets the clock's origin to origin_ns, in ns since 1970. origin_ns is negative if the machine's
 * calendar time is not set. clock->freq_hz must be set.
 */
void trace_describe_origin(struct ctf_clock *clock, int64_t origin_ns);

#endif
