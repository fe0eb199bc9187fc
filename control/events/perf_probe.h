/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tries perf_event_open, because only the real call shows what is permitted. */
#ifndef CONTROL_PERF_PROBE_H
#define CONTROL_PERF_PROBE_H

#include <stdbool.h>
#include <stdint.h>

enum perf_probe_target { PERF_PROBE_SELF, PERF_PROBE_SYSTEM };
enum perf_probe_mode { PERF_PROBE_USER, PERF_PROBE_USER_AND_KERNEL };

/* Opens and closes one sampling event. Returns 0 or -errno of perf_event_open. */
int perf_probe_open(uint32_t perf_type, uint64_t config, enum perf_probe_target target,
		    enum perf_probe_mode mode);

/* Returns whether this machine and this user can sample cycles. */
bool perf_probe_has_cycles(void);

/*
 * Maps rings with these numbers of data pages, for events of this process on every CPU. Returns 0
 * or -errno.
 */
int perf_probe_rings(unsigned int sample_pages, unsigned int side_pages);

#endif
