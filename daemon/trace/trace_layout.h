/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a tracepoint's raw record becomes the payload of an event in a trace:
 * its name and fields as CTF tells them, and what to copy. Fields are packed
 * in the order of the tracepoint's; what the kernel has for its own (common
 * fields, holes) is left out. Made when an event is chosen; then nothing is
 * looked up any more.
 *
 * Names are those that readers of kernel traces know from LTTng: NAME where
 * it begins with "SYSTEM_", else SYSTEM_NAME; threads are "tid" where the
 * kernel says "pid".
 */
#ifndef DAEMON_TRACE_LAYOUT_H
#define DAEMON_TRACE_LAYOUT_H

#include "ctf/ctf.h"
#include "events/tracepoint.h"

/* What is copied next: bytes of one stretch; or what lies elsewhere in the record. */
struct trace_copy {
	const struct tracepoint_field *elsewhere; /* NULL: a stretch */
	uint32_t offset, nr_bytes;		  /* of a stretch */
};

struct trace_layout {
	struct ctf_event event; /* into memory of this layout */
	struct tracepoint *tracepoint;
	struct ctf_field *fields;
	struct trace_copy *copies;
	unsigned int nr_copies;
};

/* A value of a record beyond which it is cut, which a reader sees by its length. */
#define TRACE_ELSEWHERE_BYTES_MAX 4096u

/*
 * tracepoint is the layout's from then on, also after an error. -EINVAL: names
 * that CTF does not know (diag); -ENOMEM.
 */
int trace_layout_init(struct trace_layout *layout, struct tracepoint *tracepoint, uint32_t id,
		      uint32_t stream_id, struct diag *diag);
void trace_layout_deinit(struct trace_layout *layout);

/* Bytes of the payload of record; -EBADMSG: it does not hold what its tracepoint says. */
int64_t trace_layout_bytes(const struct trace_layout *layout, const uint8_t *record,
			   size_t nr_record_bytes);
/* Into payload, which has so many bytes; record is as it was. */
void trace_layout_write(const struct trace_layout *layout, const uint8_t *record,
			size_t nr_record_bytes, uint8_t *payload);

/* Whether what readers know by that name is what the kernel calls so. */
bool trace_layout_is_named(const char *name, const char *kernels);

#endif
