/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a tracepoint's raw record to the payload of an event in a trace. The layout consists of
 * the event's name and fields for CTF, and the bytes to copy. Fields are packed in the tracepoint's
 * order, without the kernel's common fields and holes. The layout is made when an event is chosen,
 * so that writing a record needs no look-up.
 *
 * Names are those of LTTng, which readers of kernel traces know: NAME if it begins with "SYSTEM_",
 * otherwise SYSTEM_NAME. A scheduler's field for a thread is "tid" instead of the kernel's "pid".
 */
#ifndef DAEMON_TRACE_LAYOUT_H
#define DAEMON_TRACE_LAYOUT_H

#include "ctf/ctf.h"
#include "events/tracepoint.h"

/* One step of copying: consecutive bytes of the raw record, or a value elsewhere in the record. */
struct trace_copy {
	/* Field with such a value; NULL: consecutive bytes. */
	const struct tracepoint_field *elsewhere;
	uint32_t offset, nr_bytes; /* of the consecutive bytes */
};

struct trace_layout {
	struct ctf_event event; /* points into memory of this layout */
	struct tracepoint *tracepoint;
	struct ctf_field *fields;
	struct trace_copy *copies;
	unsigned int nr_copies;
};

/* A value elsewhere in the record is cut to this length. */
#define TRACE_ELSEWHERE_BYTES_MAX 4096u

/*
 * Takes ownership of tracepoint, also after an error. Returns 0; -EINVAL: CTF does not allow a name
 * (diag); -ENOMEM.
 */
int trace_layout_init(struct trace_layout *layout, struct tracepoint *tracepoint, uint32_t id,
		      uint32_t stream_id, struct diag *diag);
void trace_layout_deinit(struct trace_layout *layout);

/* Returns the size of record's payload, or -EBADMSG: record is shorter than its tracepoint. */
int64_t trace_layout_bytes(const struct trace_layout *layout, const uint8_t *record,
			   size_t nr_record_bytes);
/* Writes into payload, which has the size that trace_layout_bytes returned for the record. */
void trace_layout_write(const struct trace_layout *layout, const uint8_t *record,
			size_t nr_record_bytes, uint8_t *payload);

/* Returns whether name, as it is in traces, is that of the kernel's field `kernels`. */
bool trace_layout_is_named(const char *name, const char *kernels);

#endif
