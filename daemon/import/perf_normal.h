/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of a perf.data file, whatever fields they were recorded with, as
 * those of a ring of the perf source: so that one parser and one state serve
 * both. Events are told by their index + 1 as id. Trusts nothing in them.
 */
#ifndef DAEMON_PERF_NORMAL_H
#define DAEMON_PERF_NORMAL_H

#include "daemon/import/perf_file.h"
#include "daemon/perf/perf_parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_NORMAL_BYTES_MAX 65528

struct perf_normal {
	const struct perf_file *file; /* borrowed */
	struct perf_ids ids;	      /* of the file: id -> index of the event */
	bool mixed_trailers;	      /* of other records: of several layouts, by their ids */
	uint64_t sample_type;	      /* of what comes out */
	uint64_t regs_mask; /* of the user's registers in it, as a walk takes them; 0: none */
	uint64_t *out;	    /* PERF_NORMAL_BYTES_MAX */
};

/*
 * 0; -EOPNOTSUPP: the file's events have fields that can't be told from each other (ids lack),
 * or more than SOURCE_EVENTS_MAX are sampled; -ENOMEM.
 */
int perf_normal_init(struct perf_normal *normal, const struct perf_file *file, struct diag *diag);
void perf_normal_deinit(struct perf_normal *normal);

/* From now on without registers and stacks: they are of another kind of machine. */
void perf_normal_leave_regs(struct perf_normal *normal);

/*
 * *normal_record: valid until the next call; *time_ns: its time. 0, -ENOTSUP
 * (nothing that the state would use), -EILSEQ (malformed).
 */
int perf_normal_record(struct perf_normal *normal, const struct perf_event_header *record,
		       const struct perf_event_header **normal_record, uint64_t *time_ns);

#endif
