/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trace folder says of the machine and of its clock. */
#ifndef DAEMON_TRACE_DESCRIBE_H
#define DAEMON_TRACE_DESCRIBE_H

#include "ctf/ctf.h"

#include <sys/utsname.h>

#define TRACE_DESCRIBE_NR_ENVS_MAX 16u

struct trace_describe {
	struct ctf_env envs[TRACE_DESCRIBE_NR_ENVS_MAX]; /* into machine */
	unsigned int nr_envs;
	struct utsname machine;
};

/* samples_hz: of its samples, so often a second; 0: there are none. */
void trace_describe_machine(struct trace_describe *describe, unsigned int samples_hz);

/* CLOCK_MONOTONIC. The boot's identity is the clock's: traces of one boot may be compared. */
void trace_describe_clock(struct ctf_clock *clock);

/*
 * Where the clock's 0 is: ns since 1970, or before it, where the machine's calendar is not set.
 * Of a clock whose freq_hz is known.
 */
void trace_describe_origin(struct ctf_clock *clock, int64_t origin_ns);

#endif
